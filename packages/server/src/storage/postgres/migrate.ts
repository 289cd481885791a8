import type { Client } from 'pg';
import { migrations } from '../migrations/index.ts';
import { UnusableDatabase } from './prepare-session.ts';

/** Any number that nothing else in the database locks. */
const MIGRATION_LOCK = 7_584_223_001;

/**
 * Runs what is missing, each step in one transaction with the record that it has run. Nodes that start together
 * take turns: the lock belongs to the transaction, so it is let go however that ends.
 */
export async function migratePostgres(client: Client): Promise<void> {
  while (await migrateOnce(client));
}

/** One step; false when there was none to do. */
async function migrateOnce(client: Client): Promise<boolean> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)');
    const { rows } = await client.query<{ found: number }>(
      'SELECT count(*)::int AS found FROM schema_version',
    );
    const found = rows[0]?.found ?? 0;
    if (found > migrations.length) {
      throw new UnusableDatabase(
        `The database was written by a newer Sluice (schema ${found}, this one knows ${migrations.length}). Start that version again.`,
      );
    }
    const next = migrations[found];
    for (const statement of next ?? []) await client.query(inPostgres(statement));
    if (next) await client.query('INSERT INTO schema_version (version) VALUES ($1)', [found + 1]);
    await client.query('COMMIT');
    return next !== undefined;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Text sorts by its bytes, as in SQLite, whatever the database's own language: cursors and lists rely on it. That a
 * table stands in its key is SQLite's alone.
 */
const inPostgres = (statement: string): string =>
  /^\s*(CREATE|ALTER) TABLE/.test(statement)
    ? statement.replace(/\bTEXT\b/g, 'TEXT COLLATE "C"').replace(/ WITHOUT ROWID$/, '')
    : statement;
