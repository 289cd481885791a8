import type { Database } from 'bun:sqlite';
import { idTime } from '../../core/ids.ts';
import { KEY_CHECK_SETTING } from '../../core/secrets/key-check.ts';
import { migrations } from '../migrations/index.ts';
import { checksumOf } from '../move/checksum.ts';
import { type Chunk, type MovedRow, type MovedTable, type RowKey, rowKeyOf } from '../move/table.ts';
import { minutesOf, type UnwrittenMinutes } from '../queries/counters/unwritten-minutes.ts';
import { restoreAdvice } from './damage.ts';
import { databaseFile } from './engine.ts';
import { findJournalDamage } from './journal-damage.ts';
import { movedTables } from './moved-tables.ts';
import { openForReading } from './open.ts';

/**
 * The embedded database as `sluice move` reads it: in chunks, each in a read of its own, so that a service that writes
 * meanwhile neither waits nor has its journal grow. Nothing is ever written.
 */
export interface MoveSource {
  readonly tables: readonly MovedTable[];
  /** Tells this installation from every other. */
  readonly installation: string;
  readonly keyCheck: string | null;
  /** Of a service that was killed: the minutes in which it may have counted something that it did not write. */
  readonly unwritten: readonly UnwrittenMinutes[];
  /** The rows after this key, as many as make one chunk. */
  read(table: MovedTable, after: RowKey | null): Chunk;
  close(): void;
}

const ROWS_A_CHUNK = 2_000;
/** In characters; one row more may come on top. */
const CHUNK_LENGTH = 4 * 1024 * 1024;

export function openMoveSource(
  directory: string,
  { isStopped }: { readonly isStopped: boolean },
): MoveSource {
  const file = databaseFile(directory);
  // While a service writes it, its journal has an end that nobody else can judge.
  const lost = isStopped ? findJournalDamage(`${file}-wal`) : null;
  if (lost !== null) throw new Error(`${restoreAdvice(file)} (${lost})`);
  const database = openForReading(file);
  try {
    requireThisSchema(database);
    return {
      tables: movedTables(database),
      installation: requireInstallation(database),
      keyCheck: settingOf(database, KEY_CHECK_SETTING),
      unwritten: unwrittenIn(database),
      read: (table, after) => readChunk(database, table, after),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function requireThisSchema(database: Database): void {
  const { user_version: found } = database.query('PRAGMA user_version').get() as { user_version: number };
  if (found === migrations.length) return;
  throw new Error(
    found > migrations.length
      ? `The database was written by a newer Sluice (schema ${found}, this one knows ${migrations.length}). Use the command of that version.`
      : `The database is of an earlier version (schema ${found}, this one has ${migrations.length}). Start the service of this version on it once, then move it.`,
  );
}

function requireInstallation(database: Database): string {
  const found = settingOf(database, 'installation');
  if (found === null)
    throw new Error('No service was ever started on this database: there is nothing to move.');
  return found;
}

function settingOf(database: Database, name: string): string | null {
  return (
    database.query<{ value: string }, [string]>('SELECT value FROM settings WHERE name = ?').get(name)
      ?.value ?? null
  );
}

/** Whoever ends by itself leaves first. What is counted in each minute is known by when the newest was made. */
function unwrittenIn(database: Database): UnwrittenMinutes[] {
  if (database.query('SELECT 1 FROM nodes').get() === null) return [];
  return ['events', 'deliveries'].flatMap(table => {
    const newest = database.query<{ id: string | null }, []>(
      `SELECT max((SELECT max(id) FROM ${table} WHERE org_id = organisations.id)) AS id FROM organisations`,
    );
    const id = newest.get()?.id ?? null;
    return id === null ? [] : [minutesOf(idTime(id), idTime(id))];
  });
}

function readChunk(database: Database, table: MovedTable, after: RowKey | null): Chunk {
  const rows: MovedRow[] = [];
  let [length, checksum, upTo] = [0, 0n, null as RowKey | null];
  for (const found of database.query(selectFrom(table, after)).iterate(...(after ?? []))) {
    const row = toRow(table, found as object);
    const isFull = rows.length >= ROWS_A_CHUNK || length >= CHUNK_LENGTH;
    if (isFull) {
      upTo ??= rowKeyOf(table, rows.at(-1)?.values ?? []);
      // Rows that repeat are in one chunk, or those after its last would be taken for all of them.
      if (table.hasPrimaryKey || !isSameKey(upTo, rowKeyOf(table, row.values))) {
        return { after, upTo, rows, count: rows.length, checksum };
      }
    }
    rows.push(row);
    checksum += row.checksum;
    for (const value of row.values) length += value?.length ?? 0;
  }
  return { after, upTo: null, rows, count: rows.length, checksum };
}

const isSameKey = (one: RowKey, other: RowKey): boolean => one.every((value, i) => value === other[i]);

/** Whole numbers as their digits: those past 2^53 would be rounded. */
function selectFrom({ name, columns, key }: MovedTable, after: RowKey | null): string {
  const selected = columns.map(column =>
    column.type === 'integer' ? `CAST("${column.name}" AS TEXT) AS "${column.name}"` : `"${column.name}"`,
  );
  const typeOf = (column: string) => columns.find(other => other.name === column)?.type;
  const given = key.map(column => (typeOf(column) === 'integer' ? 'CAST(? AS INTEGER)' : '?'));
  // By the table's own columns: a name alone would mean what was selected under it.
  const keys = key.map(column => `"${name}"."${column}"`);
  const where = after === null ? '' : `WHERE (${keys.join(', ')}) > (${given.join(', ')})`;
  return `SELECT ${selected.join(', ')} FROM "${name}" ${where} ORDER BY ${keys.join(', ')}`;
}

function toRow(table: MovedTable, found: object): MovedRow {
  // In the order in which they were selected: that of the columns.
  const values = Object.values(found).map((value: unknown, i) => {
    if (value === null) return null;
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'string') {
      throw new Error(`A row of ${table.name} has no text for ${table.columns[i]?.name}.`);
    }
    // Nothing lets one in; PostgreSQL holds none, and would be asked for this in its place.
    return value.includes('\0') ? value.replaceAll('\0', '\u{FFFD}') : value;
  });
  return { values, checksum: checksumOf(table.columns, values) };
}
