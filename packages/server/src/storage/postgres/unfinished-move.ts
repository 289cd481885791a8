import type { ClientBase, QueryResultRow } from 'pg';
import { UnusableDatabase } from './prepare-session.ts';

/**
 * What `sluice move` keeps in its target until everything is there: whose data it is, how far it has come, and the
 * indexes that are made later. The table is there as long as the move is unfinished, and goes with its end.
 */
const TABLE = 'sluice_move';

export const UNFINISHED_MOVE =
  'The database is the target of a move from an embedded database that is not finished: run sluice move --finish, or give another database.';

export interface UnfinishedMove {
  find(name: string): Promise<string | null>;
  keep(name: string, value: string): Promise<void>;
  /** Those whose names begin so. */
  list(beginning: string): Promise<{ name: string; value: string }[]>;
  remove(name: string): Promise<void>;
}

export async function hasUnfinishedMove(client: {
  query<Row extends QueryResultRow>(text: string): Promise<{ readonly rows: readonly Row[] }>;
}): Promise<boolean> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('${TABLE}') IS NOT NULL AS "isThere"`,
  );
  return rows[0]?.isThere === true;
}

/** A service on half of the data would answer for what is not there, and write what the move then takes away. */
export async function requireNoUnfinishedMove(client: ClientBase): Promise<void> {
  if (!(await hasUnfinishedMove(client))) return;
  throw new UnusableDatabase(UNFINISHED_MOVE);
}

export async function beginUnfinishedMove(client: ClientBase): Promise<void> {
  await client.query(`CREATE TABLE ${TABLE} (name TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL)`);
}

export async function endUnfinishedMove(client: ClientBase): Promise<void> {
  await client.query(`DROP TABLE ${TABLE}`);
}

export const openUnfinishedMove = (client: ClientBase): UnfinishedMove => ({
  async find(name) {
    const { rows } = await client.query<{ value: string }>(`SELECT value FROM ${TABLE} WHERE name = $1`, [
      name,
    ]);
    return rows[0]?.value ?? null;
  },
  async keep(name, value) {
    await client.query(
      `INSERT INTO ${TABLE} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, value],
    );
  },
  async list(beginning) {
    const { rows } = await client.query<{ name: string; value: string }>(
      `SELECT name, value FROM ${TABLE} WHERE starts_with(name, $1) ORDER BY name`,
      [beginning],
    );
    return rows;
  },
  async remove(name) {
    await client.query(`DELETE FROM ${TABLE} WHERE name = $1`, [name]);
  },
});
