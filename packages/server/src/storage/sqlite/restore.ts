import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { migrations } from '../migrations/index.ts';
import { copyDatabase } from './backup.ts';
import { databaseFile } from './engine.ts';
import { lockDataDirectory } from './lock.ts';
import { replaceDatabase, undoCutReplacement } from './set-aside.ts';

interface Restored {
  readonly events: number;
  /** Where the database went that was there before, or a journal that was all there was; null where there was neither. */
  readonly setAside: string | null;
}

/**
 * Puts a backup in the place of the database, where no service runs. It is copied and checked before anything that is
 * there is touched; what was there is set aside, journals and all, and never removed.
 */
export function restoreSqlite(
  directory: string,
  backup: string,
  options: { readonly replace: boolean; readonly now: Date },
): Restored {
  requireBackup(backup);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDataDirectory(directory);
  try {
    const file = databaseFile(directory);
    undoCutReplacement(file);
    const isThere = existsSync(file) && statSync(file).size > 0;
    if (isThere && !options.replace) {
      throw new Error(
        `${directory} holds a database already. With --force it is set aside, and the backup takes its place.`,
      );
    }
    let setAside: string | null = null;
    const { events } = copyDatabase(backup, file, copy => {
      setAside = replaceDatabase(file, copy, { now: options.now, afterwards: () => lock.recordDatabase() });
    });
    return { events, setAside };
  } finally {
    lock.release();
  }
}

function requireBackup(backup: string): void {
  if (!existsSync(backup)) throw new Error(`There is no file ${backup}.`);
  const version = schemaOf(backup);
  if (version === null) throw new Error(`${backup} is not a Sluice backup.`);
  if (version > migrations.length) {
    throw new Error(
      `${backup} was made by a newer version (schema ${version}, this one knows ${migrations.length}). Restore it with that version.`,
    );
  }
}

/** Null where it is none of ours. */
function schemaOf(file: string): number | null {
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true });
    database.query('SELECT 1 FROM events, organisations LIMIT 1').all();
    return (database.query('PRAGMA user_version').get() as { user_version: number }).user_version;
  } catch {
    return null;
  } finally {
    database?.close();
  }
}
