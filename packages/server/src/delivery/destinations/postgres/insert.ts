import pg from 'pg';
import type { Json } from '../../../core/json/json.ts';
import { readTable, type Table } from './catalogue.ts';
import type { Database, Used } from './database.ts';
import { quoteName, quoteTable } from './identifier.ts';
import { type MappedColumn, toColumn } from './mapping.ts';

/** Inserts rows into one table, whose columns it reads once. */
interface Inserter {
  /** One row: a value for each mapped column, in their order. Answers what the database said. */
  insert(values: readonly (Json | undefined)[], timeoutMs: number): Promise<Used<string>>;
}

/** The server gives up a little before we do, so that its answer still reaches us. */
const SERVER_SHARE = 0.9;

export function createInserter(
  database: Database,
  tableName: string,
  columns: readonly MappedColumn[],
): Inserter {
  // Read once, and dropped when the database says that the table is no longer so.
  let known: Table | null = null;

  return {
    insert(values, timeoutMs) {
      const began = performance.now();
      return database.use(timeoutMs, async client => {
        const table = known ?? (await readTable(client, tableName));
        known = table;
        const remaining = timeoutMs - (performance.now() - began);
        try {
          return await insertRow(client, statementFor(table, tableName, columns), {
            values: columns.map(({ name }, i) => toColumn(values[i], typeOf(table, name))),
            timeoutMs: Math.max(1, Math.floor(remaining * SERVER_SHARE)),
          });
        } catch (error) {
          if (error instanceof pg.DatabaseError && error.code?.startsWith('42')) known = null;
          throw error;
        }
      });
    },
  };
}

const typeOf = (table: Table, name: string) => table.columns.get(name) ?? { base: 'text', category: 'S' };

/** Where the event's id is kept unique, a repeated delivery makes no second row. */
function statementFor(table: Table, tableName: string, columns: readonly MappedColumn[]): string {
  const names = columns.map(({ name }) => quoteName(name)).join(', ');
  const places = columns.map((_, i) => `$${i + 1}`).join(', ');
  const mapped = new Set(columns.map(({ name }) => name));
  const holdsId = new Set(columns.filter(({ source }) => source === '$event.id').map(({ name }) => name));
  const unique = table.uniques.find(
    index => index.every(name => mapped.has(name)) && index.some(name => holdsId.has(name)),
  );
  const onConflict = unique ? ` ON CONFLICT (${unique.map(quoteName).join(', ')}) DO NOTHING` : '';
  return `INSERT INTO ${quoteTable(tableName)} (${names}) VALUES (${places})${onConflict}`;
}

/**
 * The time limit holds for this row alone, whoever else uses the connection behind a pooler; a locked table then
 * ends the wait on the server too. All three go out at once and are answered at once.
 */
async function insertRow(
  client: pg.PoolClient,
  statement: string,
  row: { readonly values: readonly unknown[]; readonly timeoutMs: number },
): Promise<string> {
  const [begun, inserted, committed] = await Promise.allSettled([
    client.query(`BEGIN; SET LOCAL statement_timeout = ${row.timeoutMs}`),
    client.query(statement, [...row.values]),
    client.query('COMMIT'),
  ]);
  if (begun.status === 'rejected') throw begun.reason;
  if (inserted.status === 'rejected') throw inserted.reason;
  if (committed.status === 'rejected') throw committed.reason;
  return inserted.value.rowCount === 0 ? 'INSERT 0 0: the row was there already' : 'INSERT 0 1';
}
