import { Database } from 'bun:sqlite';
import { join } from 'node:path';

/**
 * One process per data directory. The lock is an exclusive transaction on a file of its own, so the kernel
 * lets go of it however the process ends, and no stale lock file ever has to be removed by hand.
 */
export function lockDataDirectory(directory: string): { release(): void } {
  const lock = new Database(join(directory, 'sluice.lock'), { create: true });
  try {
    lock.run('PRAGMA locking_mode = EXCLUSIVE');
    lock.run('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new Error(
      `Another Sluice process is using the data directory ${directory}. Stop it, or give this one its own with SLUICE_DATA_DIR.`,
    );
  }
  return {
    release() {
      lock.run('ROLLBACK');
      lock.close();
    },
  };
}
