import type { PostgresServer } from '../support/postgres.ts';
import { type Figure, plainly } from './figure.ts';

/**
 * What an event costs PostgreSQL statement by statement, table by table and index by index, between two looks. Both are
 * the server's own accounts: `pg_stat_statements`, and its log as `pg_walinspect` reads it.
 */

/** With these a server keeps the accounts, which takes a microsecond for each statement. */
export const ACCOUNTING = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track_planning=on',
];

const MOST_STATEMENTS = 10;
/** Less than this of an event is upkeep, and not worth a line. */
const LEAST_AN_EVENT = 0.005;

interface Accounts {
  /** Answers the figures, given on how many events all of it was spent. */
  figures(events: number): Promise<Figure[]>;
}

export async function openAccounts(
  postgres: PostgresServer,
  database: string,
  of: string,
): Promise<Accounts> {
  const ask = <Row extends Record<string, unknown>>(statement: string) =>
    postgres.administer<Row>(database, statement);
  await ask('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await ask('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  await ask('SELECT pg_stat_statements_reset()');
  const [from] = await ask<{ at: string }>('SELECT pg_current_wal_insert_lsn()::text AS at');
  const before = await tables();

  async function tables(): Promise<Map<string, TableRow>> {
    const rows = await ask<TableRow>(
      `SELECT relname AS name, n_tup_upd::float8 AS updated, n_tup_hot_upd::float8 AS hot FROM pg_stat_user_tables`,
    );
    return new Map(rows.map(row => [row.name, row]));
  }

  return {
    async figures(events) {
      const [to] = await ask<{ at: string }>('SELECT pg_current_wal_flush_lsn()::text AS at');
      const statements = await ask<StatementRow>(STATEMENTS);
      const written = await ask<WrittenRow>(writtenBetween(from?.at ?? '', to?.at ?? ''));
      const after = await tables();
      return [
        ...statements.slice(0, MOST_STATEMENTS).map(row => statementFigure(of, row, events)),
        plainly(
          `${of}: all statements`,
          perEvent(
            {
              calls: sum(statements, 'calls'),
              rows: sum(statements, 'rows'),
              run: sum(statements, 'run'),
              planned: sum(statements, 'planned'),
            },
            events,
          ),
        ),
        ...written
          .filter(({ entries, bytes }) => entries / events > LEAST_AN_EVENT || bytes / events > 1)
          .map(row => writtenFigure(of, row, events)),
        ...[...after.values()].flatMap(table => hotFigure(of, table, before.get(table.name), events)),
      ];
    },
  };
}

interface Effort {
  readonly calls: number;
  readonly rows: number;
  readonly run: number;
  readonly planned: number;
}

interface StatementRow extends Effort, Record<string, unknown> {
  readonly query: string;
}

const STATEMENTS = `
  SELECT query, calls::float8 AS calls, rows::float8 AS rows, total_exec_time AS run, total_plan_time AS planned
  FROM pg_stat_statements JOIN pg_database ON oid = dbid WHERE datname = current_database()
  ORDER BY total_exec_time + total_plan_time DESC`;

const sum = (rows: readonly StatementRow[], what: keyof Effort): number =>
  rows.reduce((total, row) => total + row[what], 0);

const statementFigure = (of: string, row: StatementRow, events: number): Figure =>
  plainly(`${of}: \`${shortly(row.query)}\``, perEvent(row, events));

const shortly = (query: string): string => {
  const text = query.replaceAll(/\s+/g, ' ').trim();
  return text.length > 72 ? `${text.slice(0, 72)}…` : text;
};

function perEvent({ calls, rows, run, planned }: Effort, events: number): string {
  const microseconds = (ms: number) => ((ms * 1_000) / events).toFixed(1);
  return `${microseconds(run)} µs run, ${microseconds(planned)} µs planned; ${(calls / events).toFixed(3)} calls, ${(rows / events).toFixed(2)} rows`;
}

interface WrittenRow extends Record<string, unknown> {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  readonly pages: number;
}

/** By the file that each block belongs to. A page that splits takes the entry which it was split for. */
const writtenBetween = (from: string, to: string): string => `
  SELECT coalesce(relname, 'other') AS name,
    count(*) FILTER (WHERE record_type LIKE 'INSERT_LEAF%' OR (record_type LIKE 'SPLIT%' AND block_id = 0)
      OR resource_manager IN ('Heap', 'Heap2'))::float8 AS entries,
    sum(block_data_length + block_fpi_length)::float8 AS bytes, sum(block_fpi_length)::float8 AS pages
  FROM pg_get_wal_block_info('${from}', '${to}', false) AS block
  LEFT JOIN pg_class ON pg_relation_filenode(pg_class.oid) = block.relfilenode
  WHERE relforknumber = 0 GROUP BY 1 ORDER BY bytes DESC`;

const writtenFigure = (of: string, { name, entries, bytes, pages }: WrittenRow, events: number): Figure =>
  plainly(
    `${of}: log of \`${name}\``,
    `${(entries / events).toFixed(2)} records, ${(bytes / events).toFixed(0)} bytes (${(pages / events).toFixed(0)} of whole pages)`,
  );

interface TableRow extends Record<string, unknown> {
  readonly name: string;
  readonly updated: number;
  readonly hot: number;
}

function hotFigure(of: string, after: TableRow, before: TableRow | undefined, events: number): Figure[] {
  const updated = after.updated - (before?.updated ?? 0);
  const hot = after.hot - (before?.hot ?? 0);
  if (updated / events < LEAST_AN_EVENT) return [];
  return [
    plainly(
      `${of}: updates of \`${after.name}\` that touch no index`,
      `${((hot * 100) / updated).toFixed(0)} % of ${(updated / events).toFixed(2)}`,
    ),
  ];
}
