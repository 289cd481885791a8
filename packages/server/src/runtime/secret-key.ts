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

export const secretKeyFile = (directory: string): string => join(directory, 'secret.key');

/** The key that seals secrets: made once, readable by this user only, on disk before anything is sealed. */
export function keepSecretKey(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = secretKeyFile(directory);
  if (!existsSync(file)) makeSecretKey(directory, file);
  return readSecretKey(directory);
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

export function readSecretKey(directory: string): string {
  const file = secretKeyFile(directory);
  const key = readFileSync(file, 'utf8').trim();
  if (key.length < 32)
    throw new Error(`${file} is damaged: it must hold the secret key. Put it back from where you keep it.`);
  return key;
}
