import pg, { type ClientBase } from 'pg';
import { hours } from '../../core/clock.ts';
import type { UnfinishedMove } from './unfinished-move.ts';

/**
 * The indexes of the target of a move: taken away before millions of rows are written, and made again when they are
 * there, which takes a fraction of the time. Their definitions are kept meanwhile; keys and what is unique by a table's
 * own declaration stay.
 */
const BEGINNING = 'index ';

/** Of many millions of rows one may take an hour. */
export const unhurried = (text: string): { text: string; query_timeout: number } => ({
  text,
  query_timeout: hours(24),
});

export async function takeIndexesAway(client: ClientBase, move: UnfinishedMove): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
     WHERE relnamespace = current_schema()::regnamespace
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
  );
  for (const { name, definition } of rows) {
    await move.keep(BEGINNING + name, definition);
    await client.query(`DROP INDEX ${name}`);
  }
}

/**
 * Makes those that are missing. One of unique values cannot be made while the target still has a row that is gone from
 * the source, and whose value another has: it waits until all rows are right.
 */
export async function makeIndexes(
  client: ClientBase,
  move: UnfinishedMove,
  options: { readonly mustAll: boolean; onStep(line: string): void },
): Promise<void> {
  for (const { name, value: definition } of await move.list(BEGINNING)) {
    options.onStep(`Making the index ${name.slice(BEGINNING.length)}`);
    await client.query('BEGIN');
    try {
      await client.query(unhurried(definition));
      await move.remove(name);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      const isDouble = error instanceof pg.DatabaseError && error.code === '23505';
      if (options.mustAll || !isDouble) throw error;
    }
  }
}
