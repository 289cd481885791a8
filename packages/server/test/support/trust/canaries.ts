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

export function createCanaries(): Canaries {
  const planted = new Map<string, Buffer[]>();
  const secrets = new Map<string, string>();

  function findIn(place: string, text: string | Uint8Array): string[] {
    const bytes =
      typeof text === 'string'
        ? Buffer.from(text)
        : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    return [...planted]
      .filter(([, forms]) => forms.some(form => bytes.includes(form)))
      .map(([name]) => `${name} in ${place}`);
  }

  return {
    plant(name, secret) {
      if (secret.length < 10) throw new Error(`${name} is too short to be looked for.`);
      if ((secrets.get(name) ?? secret) !== secret) throw new Error(`There are two of ${name}.`);
      secrets.set(name, secret);
      planted.set(name, formsOf(secret));
      return secret;
    },
    findIn,
    findInFiles: (place, folder) =>
      filesBelow(folder).flatMap(file => findIn(`${place} ${file.slice(folder.length)}`, readFileSync(file))),
    names: () => [...planted.keys()],
  };
}

/** As it is, and as programs write it when they mean no harm. */
const formsOf = (secret: string): Buffer[] =>
  [
    ...new Set([
      secret,
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
      Buffer.from(secret).toString('hex'),
      encodeURIComponent(secret),
    ]),
  ].map(form => Buffer.from(form));

/** Files may go while others are read: databases clear up after themselves. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(file => statSync(file, { throwIfNoEntry: false })?.isFile());
}
