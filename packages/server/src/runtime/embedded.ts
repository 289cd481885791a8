/** What a self-contained executable carries beside its code. */

const PACKED = 'pages.bin';

interface EmbeddedFiles {
  list(): Promise<readonly string[]>;
  /** Null where there is no such file. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | null>;
}

/**
 * The files below `dashboard/` or `docs/`, as `scripts/binary.mjs` has packed them; null where this is no such
 * executable.
 */
export function embeddedFiles(folder: 'dashboard' | 'docs'): EmbeddedFiles | null {
  const packed = Bun.embeddedFiles.find(file => (file as File).name === PACKED);
  if (packed === undefined) return null;
  return lookUpFiles(packed, folder);
}

/** Read when the first one is asked for. */
export function lookUpFiles(packed: Pick<Blob, 'json'>, folder: string): EmbeddedFiles {
  let files: Promise<Record<string, string>> | null = null;
  const unpack = async () => {
    files ??= packed.json() as Promise<Record<string, string>>;
    return files;
  };
  const inside = `${folder}/`;
  return {
    async list() {
      const names = Object.keys(await unpack()).filter(name => name.startsWith(inside));
      return names.map(name => name.slice(inside.length));
    },
    async read(name) {
      const found = await unpack();
      // A visitor names the file: `constructor` is none.
      return Object.hasOwn(found, inside + name) ? Buffer.from(found[inside + name] ?? '', 'base64') : null;
    },
  };
}
