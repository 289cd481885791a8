import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const secretKeyFile = (directory: string): string => join(directory, 'secret.key');

/** The key that seals secrets: made once, readable by this user only, on disk before anything is sealed. */
export function keepSecretKey(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    const made = openSync(secretKeyFile(directory), 'wx', 0o600);
    writeSync(made, randomBytes(32).toString('base64url'));
    fsyncSync(made);
    closeSync(made);
    // The name must be on disk as well as the text.
    const folder = openSync(directory, 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readSecretKey(directory);
}

export function readSecretKey(directory: string): string {
  const file = secretKeyFile(directory);
  const key = readFileSync(file, 'utf8').trim();
  if (key.length < 32)
    throw new Error(`${file} is damaged: it must hold the secret key. Put it back from where you keep it.`);
  return key;
}
