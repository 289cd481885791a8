import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Secrets that were planted, and every place they were looked for in. */
export interface Canaries {
  /** From now on this must be found nowhere. */
  plant(name: string, secret: string): string;
  /** What of all that was planted stands in this text, in the clear or thinly wrapped: `name in place`. */
  findIn(place: string, text: string | Uint8Array): string[];
  /** The same in each file below this folder. */
  findInFiles(place: string, folder: string): string[];
  readonly names: () => string[];
}

const BEGINNING = 6;

export function createCanaries(): Canaries {
  const secrets = new Map<string, string>();
  /** By what they begin with, which many have in common: a file is read once for each beginning. */
  const planted = new Map<string, { readonly name: string; readonly form: Buffer }[]>();

  function findIn(place: string, text: string | Uint8Array): string[] {
    const bytes =
      typeof text === 'string'
        ? Buffer.from(text)
        : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    const found = new Set<string>();
    for (const [beginning, forms] of planted)
      for (let at = bytes.indexOf(beginning); at >= 0; at = bytes.indexOf(beginning, at + 1))
        for (const { name, form } of forms)
          if (!found.has(name) && bytes.subarray(at, at + form.length).equals(form)) found.add(name);
    return [...secrets.keys()].filter(name => found.has(name)).map(name => `${name} in ${place}`);
  }

  return {
    plant(name, secret) {
      if (secret.length < 10) throw new Error(`${name} is too short to be looked for.`);
      if ((secrets.get(name) ?? secret) !== secret) throw new Error(`There are two of ${name}.`);
      secrets.set(name, secret);
      for (const form of formsOf(secret)) {
        const beginning = form.slice(0, BEGINNING);
        planted.set(beginning, [...(planted.get(beginning) ?? []), { name, form: Buffer.from(form) }]);
      }
      return secret;
    },
    findIn,
    findInFiles: (place, folder) =>
      filesBelow(folder).flatMap(file => findIn(`${place} ${file.slice(folder.length)}`, readIfThere(file))),
    names: () => [...secrets.keys()],
  };
}

/** As it is, and as programs write it when they mean no harm. */
const formsOf = (secret: string): string[] => [
  ...new Set([
    secret,
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
  ]),
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(file => statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** Files may go while others are read: databases clear up after themselves. */
function readIfThere(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Uint8Array();
    throw error;
  }
}
