import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFile } from '../../core/secrets/private-file.ts';

/**
 * One process per data directory. The lock is an exclusive transaction on a file of its own, so the kernel
 * lets go of it however the process ends, and no stale lock file ever has to be removed by hand.
 */
export interface DirectoryLock {
  /** Whether a database was made here once: then one that is missing or empty was lost, and is no first start. */
  readonly hadDatabase: boolean;
  /** Writes that fact down. */
  recordDatabase(): void;
  release(): void;
}

export function lockDataDirectory(directory: string): DirectoryLock {
  const file = join(directory, 'sluice.lock');
  makePrivateFile(file);
  const lock = new Database(file);
  try {
    lock.run('PRAGMA locking_mode = EXCLUSIVE');
    lock.run('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw explain(error, directory);
  }
  const { user_version: found } = lock.query('PRAGMA user_version').get() as { user_version: number };
  return {
    hadDatabase: found > 0,
    recordDatabase() {
      if (found > 0) return;
      lock.run('PRAGMA user_version = 1');
      lock.run('COMMIT');
      // In exclusive mode the lock outlives the commit; the transaction says so to whoever reads this.
      lock.run('BEGIN EXCLUSIVE');
    },
    release() {
      if (lock.inTransaction) lock.run('ROLLBACK');
      lock.close();
    },
  };
}

/** A look from outside, which takes no lock for longer than the look. */
export function lookAtLock(directory: string): { inUse: boolean; hadDatabase: boolean } {
  const file = join(directory, 'sluice.lock');
  if (!existsSync(file)) return { inUse: false, hadDatabase: false };
  const lock = new Database(file, { readonly: true });
  try {
    const { user_version: found } = lock.query('PRAGMA user_version').get() as { user_version: number };
    return { inUse: false, hadDatabase: found > 0 };
  } catch (error) {
    if (!(error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw error;
    return { inUse: true, hadDatabase: true };
  } finally {
    lock.close();
  }
}

function explain(error: unknown, directory: string): unknown {
  const { code = '' } = error as { code?: string };
  if (code.startsWith('SQLITE_BUSY')) {
    return new Error(
      `Another Sluice process is using the data directory ${directory}. Stop it, or give this one its own with SLUICE_DATA_DIR.`,
    );
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return new Error(
      `${join(directory, 'sluice.lock')} is damaged. It holds no data: remove it and start again.`,
    );
  }
  return error;
}
