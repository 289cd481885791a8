import { existsSync, statSync } from 'node:fs';
import { makePrivateFile, tightenFile } from '../../core/secrets/private-file.ts';
import { findDamage, restoreAdvice } from './damage.ts';
import { findJournalDamage } from './journal-damage.ts';
import type { DirectoryLock } from './lock.ts';
import { migrateSqlite, openForReading, openForWriting } from './open.ts';
import { undoCutReplacement } from './set-aside.ts';

/**
 * Checks and migrates before any thread is started, so that a bad file stops the start with one clear line. Until it
 * has been found good the file is only read: opening it for writing would fold a damaged journal into it.
 */
export function prepareFile(file: string, lock: DirectoryLock, checkUpToBytes: number): void {
  try {
    undoCutReplacement(file);
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0 && lock.hadDatabase) throw new Error(gone(file));
    // SQLite makes its journals with the permissions of the file; earlier ones may be of a version that left it open.
    makePrivateFile(file);
    for (const beside of ['-wal', '-shm', '-journal']) tightenFile(`${file}${beside}`);
    if (size > 0) requireSound(file, size <= checkUpToBytes);
    const database = openForWriting(file);
    migrateSqlite(database);
    database.close();
    lock.recordDatabase();
  } catch (error) {
    throw explain(error, file);
  }
}

function requireSound(file: string, everyPage: boolean): void {
  // Killed while the file was being made: its very first journal is of another kind, which only a writer can undo.
  if (existsSync(`${file}-journal`)) openForWriting(file).close();
  const lost = findJournalDamage(`${file}-wal`);
  if (lost !== null) throw new Error(`${restoreAdvice(file)} (${lost})`);
  if (!everyPage) return;
  const database = openForReading(file);
  try {
    const damage = findDamage(database);
    if (damage !== null) throw new Error(`${restoreAdvice(file)} (${damage})`);
  } finally {
    database.close();
  }
}

const gone = (file: string): string =>
  `The database ${file} is missing or empty, and it was there before. Put your last backup in its place (made with \`sluice backup\`) and start again; to start from nothing, remove the whole data directory.`;

function explain(error: unknown, file: string): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return new Error(`${restoreAdvice(file)} (${message})`);
  if (/^SQLITE_(FULL|IOERR_SHMSIZE|IOERR_WRITE)/.test(code) || code === 'ENOSPC') {
    return new Error(
      `There is no room for the database ${file}: the disk is full. Make room and start again.`,
    );
  }
  return error;
}
