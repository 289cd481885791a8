import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/** Files that only the user who runs the service may read and write. */

const ONLY_OWNER = 0o600;

/** Makes it where it is not there yet, so that from its first byte on nobody else can read it. */
export function makePrivateFile(file: string): void {
  closeSync(openSync(file, 'a', ONLY_OWNER));
  tightenFile(file);
}

/**
 * Takes away what others may do with a file that is there: an earlier version made some with the usual permissions. One
 * that belongs to somebody else, or lies where nothing can be changed, is as its owner wants it.
 */
export function tightenFile(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(file, ONLY_OWNER);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'EROFS', 'ENOENT'].includes(code)) throw error;
  }
}
