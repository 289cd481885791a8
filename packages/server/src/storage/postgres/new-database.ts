import type { ClientBase } from 'pg';
import { NODE_SILENCE_MS } from '../../core/work/membership.ts';

/** A database that may become the target of a move: it holds nothing, or what a first start leaves where nobody came. */
export async function requireNewDatabase(client: ClientBase, installation: string): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
  );
  if (tables.length === 0) return;
  if (!tables.some(({ name }) => name === 'schema_version')) {
    throw new Error('The database holds tables of something else. Give one that is empty.');
  }
  const { rows } = await client.query<{ installation: string | null; isUsed: boolean; isServed: boolean }>(
    `SELECT (SELECT value FROM settings WHERE name = 'installation') AS installation,
       EXISTS (SELECT FROM organisations) OR EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM events) AS "isUsed",
       EXISTS (SELECT FROM nodes WHERE seen_at > extract(epoch FROM now()) * 1000 - ${NODE_SILENCE_MS}) AS "isServed"`,
  );
  const [found] = rows;
  if (found?.isUsed === true) {
    throw new Error(
      found.installation === installation
        ? 'The database holds this installation already: a move to it was finished before. To move again, give an empty one.'
        : 'The database holds another installation. Give one that is empty.',
    );
  }
  if (found?.isServed === true) throw new Error('A service is running on the target. Stop it, then move.');
}
