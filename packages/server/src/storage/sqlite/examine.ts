import type { Database } from 'bun:sqlite';
import { existsSync, statfsSync, statSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { KEY_CHECK_SETTING } from '../../core/secrets/key-check.ts';
import { bad, type Finding, good, judgeKey, judgeSchema } from '../finding.ts';
import { restoreAdvice } from './damage.ts';
import { databaseFile } from './engine.ts';
import { findJournalDamage } from './journal-damage.ts';
import { lookAtLock } from './lock.ts';
import { movedAdvice, readMovedMark } from './moved-mark.ts';
import { openForReading, openForWriting } from './open.ts';

const LEAST_ROOM_BYTES = 256 * 1024 * 1024;

/** What `sluice doctor` finds out about an embedded database. */
export function examineSqlite(options: { directory: string; keyChecks: readonly string[] }): Finding[] {
  const { directory, keyChecks } = options;
  if (!existsSync(directory)) {
    return [good('storage', `${directory} does not exist yet; the first start makes it`)];
  }
  const room = judgeRoom(directory);
  const file = databaseFile(directory);
  const { inUse, hadDatabase } = lookAtLock(directory);
  if (!existsSync(file)) {
    return [
      hadDatabase
        ? bad('storage', `${file} is missing, and it was there before: put your last backup in its place`)
        : good('storage', `no database in ${directory} yet`),
      room,
    ];
  }
  const movedTo = readMovedMark(directory);
  const moved = movedTo === null ? [] : [bad('move', movedAdvice(directory, movedTo))];
  // While a service writes it, its journal has an end that nobody else can judge.
  const lost = inUse ? null : findJournalDamage(`${file}-wal`);
  if (lost !== null) return [bad('damage', `${lost}. ${restoreAdvice(file)}`), room];
  return [...moved, ...examineFile(file, keyChecks), room];
}

function examineFile(file: string, keyChecks: readonly string[]): Finding[] {
  let database: Database | undefined;
  try {
    database = openForReading(file);
    const damage = findings(database);
    // Nothing more is asked of a damaged file, and above all nothing is written to it.
    if (damage.length > 0) return [bad('damage', `${damage.join('; ')}. ${restoreAdvice(file)}`)];
    return [
      good('storage', `${file}, ${mebibytes(statSync(file).size)}`),
      good('damage', 'none: every page and index was read'),
      judgeSchema(schemaOf(database)),
      judgeKey(keptKeyCheck(database), keyChecks),
      judgeDurability(file),
    ];
  } catch (error) {
    const message = messageOf(error);
    return [bad('storage', `${file} cannot be read (${message}). ${restoreAdvice(file)}`)];
  } finally {
    database?.close();
  }
}

/** Slower than the look at every start: this one also compares each index with its table. */
function findings(database: Database): string[] {
  try {
    const rows = database.query('PRAGMA integrity_check(5)').all() as { integrity_check: string }[];
    return rows.map(row => row.integrity_check).filter(text => text !== 'ok');
  } catch (error) {
    return [messageOf(error)];
  }
}

function schemaOf(database: Database): number {
  return (database.query('PRAGMA user_version').get() as { user_version: number }).user_version;
}

function keptKeyCheck(database: Database): string | null {
  const row = database
    .query<{ value: string }, [string]>('SELECT value FROM settings WHERE name = ?')
    .get(KEY_CHECK_SETTING);
  return row?.value ?? null;
}

/** Opens it as the writer does, which refuses unless WAL and full flushes are in force. */
function judgeDurability(file: string): Finding {
  try {
    openForWriting(file).close();
    return good('durability', 'WAL, synchronous=FULL: a commit is on disk before it is answered');
  } catch (error) {
    return bad('durability', messageOf(error));
  }
}

function judgeRoom(directory: string): Finding {
  const { bavail, bsize } = statfsSync(directory);
  const room = bavail * bsize;
  const says = `${mebibytes(room)} free`;
  return room >= LEAST_ROOM_BYTES
    ? good('disk', says)
    : bad('disk', `${says}; events are refused when it is full`);
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
