import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import pg from 'pg';

/** Where a service keeps its data: a directory, or a database of PostgreSQL. */
export interface Stored {
  readonly directory: string;
  readonly databaseUrl: string | undefined;
}

/** Every row of every table, as text: `table {"column": …}`. */
export const dumpTables = ({ directory, databaseUrl }: Stored): Promise<string[]> =>
  databaseUrl === undefined ? dumpSqlite(join(directory, 'sluice.db')) : dumpPostgres(databaseUrl);

async function dumpSqlite(file: string): Promise<string[]> {
  const database = new Database(file, { readonly: true });
  try {
    const tables = database
      .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .all();
    return tables.flatMap(({ name }) =>
      database
        .query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`)
        .all()
        .map(row => toText(name, row)),
    );
  } finally {
    database.close();
  }
}

async function dumpPostgres(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
    );
    const lines: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM "${name}"`);
      lines.push(...rows.map(row => toText(name, row)));
    }
    return lines;
  } finally {
    await client.end();
  }
}

/** Bytes stand there as the text that they may hold. */
const toText = (table: string, row: Record<string, unknown>): string =>
  `${table} ${JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value))}`;
