import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { tightenFile } from '../core/secrets/private-file.ts';
import type { SecretKeys } from '../core/secrets/vault.ts';

export const secretKeyFile = (directory: string): string => join(directory, 'secret.key');

/** Where whoever changes a key that was made here leaves the one before. */
const previousKeyFile = (directory: string): string => `${secretKeyFile(directory)}.previous`;

interface KeySource {
  /** The data directory, for keys that are not given. */
  readonly directory: string;
  readonly present: string | undefined;
  readonly previous: string | undefined;
}

/** The keys that seal and open secrets. One that is not given is made once, and kept in the data directory. */
export function keepSecretKeys(source: KeySource): SecretKeys {
  if (source.present === undefined) keepSecretKey(source.directory);
  // One that was copied here may be readable by everybody.
  for (const file of [secretKeyFile, previousKeyFile]) tightenFile(file(source.directory));
  const keys = readSecretKeys(source);
  if (keys === null) throw new Error(`${secretKeyFile(source.directory)} is gone.`);
  return keys;
}

/** Only reads: a key is made by the first start, never by a look. Null where there is none yet. */
export function readSecretKeys({ directory, present, previous }: KeySource): SecretKeys | null {
  if (present !== undefined) return { present, previous: previous ?? null };
  if (!existsSync(secretKeyFile(directory))) return null;
  return {
    present: readKeyFile(secretKeyFile(directory)),
    previous:
      previous ?? (existsSync(previousKeyFile(directory)) ? readKeyFile(previousKeyFile(directory)) : null),
  };
}

/** Made once, readable by this user only, on disk before anything is sealed. */
export function keepSecretKey(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = secretKeyFile(directory);
  if (!existsSync(file)) makeSecretKey(directory, file);
  return readKeyFile(file);
}

/** The key has its name only once it is whole and on disk: killed at any point, the next start finds it or makes it. */
function makeSecretKey(directory: string, file: string): void {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  const made = openSync(unfinished, 'wx', 0o600);
  writeSync(made, randomBytes(32).toString('base64url'));
  fsyncSync(made);
  closeSync(made);
  try {
    // Unlike a rename it never replaces a key that somebody else has made meanwhile.
    linkSync(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(unfinished);
  }
  const folder = openSync(directory, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function readKeyFile(file: string): string {
  const key = readFileSync(file, 'utf8').trim();
  if (key.length < 32)
    throw new Error(`${file} is damaged: it must hold the secret key. Put it back from where you keep it.`);
  return key;
}
