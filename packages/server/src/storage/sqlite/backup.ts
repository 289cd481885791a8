import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { findDamage } from './damage.ts';
import { databaseFile } from './engine.ts';
import { openForReading } from './open.ts';
import { flushToDisk } from './set-aside.ts';

/**
 * A consistent copy of the database as it was at one moment, taken through a connection that only reads: the
 * service goes on meanwhile. The copy has its name only once it is whole, checked and on disk.
 */
export function backUpSqlite(directory: string, target: string): { events: number } {
  const source = databaseFile(directory);
  if (!existsSync(source)) throw new Error(`There is no database in ${directory}. Is SLUICE_DATA_DIR right?`);
  if (existsSync(target)) throw new Error(`${target} exists already; a backup never replaces a file.`);
  if (!existsSync(dirname(target)))
    throw new Error(`There is no folder ${dirname(target)}. Create it first.`);
  return copyDatabase(source, target, unfinished => {
    renameSync(unfinished, target);
    flushToDisk(dirname(target));
  });
}

/** The whole database as one file, which is given its name only once it is whole, checked and on disk. */
export function copyDatabase(
  source: string,
  target: string,
  giveName: (unfinished: string) => void,
): { events: number } {
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  // Made here and not by SQLite, so that from its first byte on nobody else can read it.
  closeSync(openSync(unfinished, 'wx', 0o600));
  try {
    const database = openForReading(source);
    try {
      database.query('VACUUM INTO ?').run(unfinished);
    } finally {
      database.close();
    }
    const events = countEvents(unfinished);
    flushToDisk(unfinished);
    giveName(unfinished);
    return { events };
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

function countEvents(file: string): number {
  const copy = new Database(file, { readonly: true });
  try {
    const damage = findDamage(copy);
    if (damage !== null) throw new Error(`The copy is damaged: ${damage}`);
    return (copy.query('SELECT count(*) AS n FROM events').get() as { n: number }).n;
  } finally {
    copy.close();
  }
}
