import type { Client, ClientBase, QueryResultRow } from 'pg';
import { migrations, onlyAdding } from '../migrations/index.ts';
import { retrying } from './failure.ts';
import { UnusableDatabase } from './prepare-session.ts';
import { requireNoUnfinishedMove } from './unfinished-move.ts';

/** A connection of whatever kind. */
interface SchemaReader {
  query<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<{ readonly rows: readonly Row[] }>;
}

/** Any number that nothing else in the database locks. */
const MIGRATION_LOCK = 7_584_223_001;

/**
 * Runs what is missing, each step in one transaction with the record that it has run. Nodes that start together
 * take turns: the lock belongs to the transaction, so it is let go however that ends. Nodes of the version before may
 * be at work on the same tables: a step that meets them head-on is rolled back and tried again.
 */
export async function migratePostgres(client: Client, known = migrations): Promise<void> {
  while (await retrying(() => migrateOnce(client, known)));
}

/** Until the transaction ends, nobody else starts on the database. */
export async function lockMigrations(client: ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
}

/** One step; false when there was none to do. */
async function migrateOnce(client: Client, known: typeof migrations): Promise<boolean> {
  await client.query('BEGIN');
  try {
    await lockMigrations(client);
    await requireNoUnfinishedMove(client);
    await makeVersionTable(client);
    const { found, isUnderstood } = await readSchemaVersion(client, known);
    if (!isUnderstood) throw new UnusableDatabase(writtenByNewer(found, known));
    const next = known[found];
    for (const statement of next ?? []) await client.query(inPostgres(statement));
    if (next) {
      await client.query('INSERT INTO schema_version (version, only_adds) VALUES ($1, $2)', [
        found + 1,
        onlyAdding.has(next),
      ]);
    }
    await client.query('COMMIT');
    return next !== undefined;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** With a column that came later, added where it is missing: to add it again would wait for all who read the table. */
async function makeVersionTable(client: Client): Promise<void> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY, only_adds BOOLEAN)',
  );
  const { rows } = await client.query(
    `SELECT 1 FROM pg_attribute WHERE attrelid = 'schema_version'::regclass AND attname = 'only_adds'`,
  );
  if (rows.length === 0) await client.query('ALTER TABLE schema_version ADD COLUMN only_adds BOOLEAN');
}

/**
 * How far the schema is, and whether this version understands it: one that is newer only adds to what is known here,
 * so that nodes of two neighbouring versions work side by side while one after the other is replaced. What versions
 * recorded that did not say so yet is taken as a change.
 */
export async function readSchemaVersion(
  client: SchemaReader,
  known = migrations,
): Promise<{ readonly found: number; readonly isUnderstood: boolean }> {
  // As JSON, in which what is no column yet is absent like any other.
  const { rows } = await client.query<{ found: number; changes: number }>(
    `SELECT count(*)::int AS found,
       (count(*) FILTER (WHERE version > $1 AND to_jsonb(step)->>'only_adds' IS DISTINCT FROM 'true'))::int AS changes
     FROM schema_version AS step`,
    [known.length],
  );
  return { found: rows[0]?.found ?? 0, isUnderstood: (rows[0]?.changes ?? 0) === 0 };
}

export const writtenByNewer = (found: number, known = migrations): string =>
  `The database was written by a newer Sluice (schema ${found}, this one knows ${known.length}). Start that version again.`;

/**
 * Text sorts by its bytes, as in SQLite, whatever the database's own language: cursors and lists rely on it. That a
 * table stands in its key is SQLite's alone.
 */
const inPostgres = (statement: string): string =>
  /^\s*(CREATE|ALTER) TABLE/.test(statement)
    ? statement.replace(/\bTEXT\b/g, 'TEXT COLLATE "C"').replace(/ WITHOUT ROWID$/, '')
    : statement;
