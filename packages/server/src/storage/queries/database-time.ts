import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** One clock for all nodes, however far apart their own are: PostgreSQL has a time for it, SQLite a text. */
export async function databaseTime(db: Db): Promise<number> {
  const { rows } = await sql<{ now: Date | string }>`SELECT CURRENT_TIMESTAMP AS now`.execute(db);
  const now = rows[0]?.now ?? '';
  return typeof now === 'string' ? Date.parse(`${now.replace(' ', 'T')}Z`) : now.getTime();
}
