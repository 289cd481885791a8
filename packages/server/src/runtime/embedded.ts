/** What a self-contained executable carries beside its code. */

const PAGES = 'pages.bin';

/** The dashboard's files by name, as `scripts/binary.mjs` has packed them; null where this is no such executable. */
export function embeddedPages(): ((name: string) => Promise<Uint8Array<ArrayBuffer> | null>) | null {
  const packed = Bun.embeddedFiles.find(file => (file as File).name === PAGES);
  if (packed === undefined) return null;
  return lookUpPages(packed);
}

/** Read when the first one is asked for. */
export function lookUpPages(
  packed: Pick<Blob, 'json'>,
): (name: string) => Promise<Uint8Array<ArrayBuffer> | null> {
  let files: Promise<Record<string, string>> | null = null;
  return async name => {
    files ??= packed.json() as Promise<Record<string, string>>;
    const found = await files;
    // A visitor names the file: `constructor` is none.
    return Object.hasOwn(found, name) ? Buffer.from(found[name] ?? '', 'base64') : null;
  };
}
