import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import pg from 'pg';
import { explain } from '../../src/command/explain.ts';
import { move } from '../../src/command/move.ts';
import { readArguments } from '../../src/command/read-arguments.ts';
import { keyCheckValue } from '../../src/core/secrets/key-check.ts';
import { readSettings } from '../../src/settings.ts';
import { leftOut, type MovedTable } from '../../src/storage/move/table.ts';
import { openSqlite } from '../../src/storage/sqlite/engine.ts';
import { movedTables } from '../../src/storage/sqlite/moved-tables.ts';
import { newFolder } from './folder.ts';
import { TEST_SECRET_KEY } from './service.ts';
import { recordTerminal } from './terminal.ts';

interface MoveResult {
  readonly code: number;
  readonly said: string;
  readonly complaint: string;
}

/** `sluice move …` in this process. */
export async function runMove(
  directory: string,
  args: readonly string[],
  secretKey = TEST_SECRET_KEY,
): Promise<MoveResult> {
  const settings = readSettings({ SLUICE_DATA_DIR: directory, SLUICE_SECRET_KEY: secretKey });
  const terminal = recordTerminal();
  const result = (code: number, ...more: string[]) => ({
    code,
    said: terminal.said.join('\n'),
    complaint: [...terminal.complaints, ...more].join('\n'),
  });
  try {
    return result(await move.run(readArguments(move, args, settings), { settings, terminal }));
  } catch (error) {
    return result(1, explain(error));
  }
}

/** Every row of every table that is carried over, in one form for both engines, by its table. */
type Contents = Readonly<Record<string, readonly string[]>>;

export function contentsOfSource(directory: string): Contents {
  const database = new Database(join(directory, 'sluice.db'), { readonly: true, safeIntegers: true });
  try {
    const tables = database.query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    );
    const names = tables.all().flatMap(({ name }) => (name in leftOut ? [] : name));
    const rowsOf = (name: string) => inOneForm(database.query(`SELECT * FROM "${name}"`).all());
    return Object.fromEntries(names.map(name => [name, rowsOf(name)]));
  } finally {
    database.close();
  }
}

export async function contentsOfTarget(url: string): Promise<Contents> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
    );
    const contents: Record<string, string[]> = {};
    for (const { name } of tables) {
      if (name in leftOut || name === 'schema_version') continue;
      contents[name] = inOneForm((await client.query(`SELECT * FROM "${name}"`)).rows);
    }
    return contents;
  } finally {
    await client.end();
  }
}

/** Whole numbers come as such from the one, and as digits from the other. */
const inOneForm = (rows: readonly unknown[]): string[] =>
  rows
    .map(row =>
      Object.entries(row as object)
        .map(([name, value]) => `${name}=${value === null ? 'null' : JSON.stringify(String(value))}`)
        .sort()
        .join(' '),
    )
    .sort();

/** A data directory whose database was made and is used by nobody. */
export async function newSource(): Promise<string> {
  const directory = newFolder();
  const engine = await openSqlite({ directory, onFatal() {} });
  await engine.upkeep.keepSetting('installation', directory);
  await engine.upkeep.keepSetting('secret_key_check', keyCheckValue(TEST_SECRET_KEY));
  await engine.close();
  return directory;
}

/** Changes a database by hand; no service runs on it. */
export function change<T>(directory: string, work: (database: Database) => T): T {
  const database = new Database(join(directory, 'sluice.db'));
  try {
    return database.transaction(work)(database);
  } finally {
    database.close();
  }
}

/** Many events and nothing else, in the order of their ids. */
export function plantEvents(directory: string, count: number, payload = '{"n":1}', from = 0): void {
  change(directory, database => {
    const insert = database.query(
      `INSERT INTO events (id, org_id, state, type, happened_at, received_at, payload)
       VALUES (?, 'org_1', 'processed', 'order.paid', 1, 2, ?)`,
    );
    for (let i = from; i < from + count; i++) insert.run(`evt_${String(i).padStart(8, '0')}`, payload);
  });
}

/** Texts that something on the way might read otherwise: quotes, escapes, control characters, beyond the BMP. */
const oddTexts = [
  '',
  `'"\\ \\x01 {a,"b"} NULL \t\n\r`,
  '\u0001 \u0002 \u007f \u{FFFD} \u2028',
  '🛒 e\u0301 é 漢字 \u{10FFFF} שלום',
];
const oddNumbers = [0n, -1n, 9_007_199_254_740_993n, 9_223_372_036_854_775_807n];
const oddDoubles = [0.1, 1e-7, 1e21, -12_345.678_9];

/** Some rows in each table that is carried over, also in those that are added to the schema later. */
export function plantEverywhere(directory: string): MovedTable[] {
  return change(directory, database => {
    const tables = movedTables(database);
    for (const table of tables) for (const row of oddTexts.keys()) plantRow(database, table, row);
    return tables;
  });
}

function plantRow(database: Database, { name, columns }: MovedTable, row: number): void {
  const references = database.query(`PRAGMA foreign_key_list("${name}")`).all() as {
    from: string;
    table: string;
    to: string;
  }[];
  const info = database.query(`PRAGMA table_info("${name}")`).all() as {
    name: string;
    type: string;
    notnull: number;
    pk: number;
  }[];
  // A flag, of 32 bits in PostgreSQL.
  const isSmall = (column: string) => info.some(({ name, type }) => name === column && type === 'INTEGER');
  const mayBeNull = new Set(info.filter(({ notnull, pk }) => notnull + pk === 0).map(column => column.name));
  const values = columns.map(column => {
    if (row === 1 && mayBeNull.has(column.name)) return null;
    if (column.type === 'integer') return isSmall(column.name) ? row : (oddNumbers[row] ?? 0n);
    if (column.type === 'double') return oddDoubles[row] ?? 0;
    const named = references.find(({ from }) => from === column.name);
    return `${named?.table ?? name}.${named?.to ?? column.name} ${row} ${oddTexts[row]}`;
  });
  const names = columns.map(column => `"${column.name}"`).join(', ');
  database
    .query(`INSERT INTO "${name}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`)
    .run(...values);
}
