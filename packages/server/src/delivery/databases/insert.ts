import pg from 'pg';
import { type Json, parseJson, stringifyJson } from '../../core/json/json.ts';
import type { ColumnType, Table } from './catalogue.ts';
import { quoteName, quoteTable } from './identifier.ts';
import type { Insertion } from './protocol.ts';

/** The server gives up a little before we do, so that its answer still reaches us. */
const SERVER_SHARE = 0.9;

/**
 * Inserts one row, and answers what the database said. The time limit holds for this row alone, whoever else uses the
 * connection behind a pooler; a locked table then ends the wait on the server too. All three statements go out at once
 * and are answered at once. A test is rolled back, after what is deferred to the commit has been checked too.
 */
export async function insertRow(
  client: pg.PoolClient,
  table: Table,
  { table: name, columns, values, isTest }: Insertion,
  timeoutMs: number,
): Promise<string> {
  const limitMs = Math.max(1, Math.floor(timeoutMs * SERVER_SHARE));
  const given = parseJson(values) as Json[];
  const row = columns.map((column, i) => toColumn(given[i], typeOf(table, column.name)));
  const [begun, inserted, checked, ended] = await Promise.allSettled([
    client.query(`BEGIN; SET LOCAL statement_timeout = ${limitMs}`),
    client.query(statementFor(table, name, columns), row),
    isTest ? client.query('SET CONSTRAINTS ALL IMMEDIATE') : null,
    client.query(isTest ? 'ROLLBACK' : 'COMMIT'),
  ]);
  if (begun.status === 'rejected') throw begun.reason;
  if (inserted.status === 'rejected') throw inserted.reason;
  if (checked.status === 'rejected') throw checked.reason;
  if (ended.status === 'rejected') throw ended.reason;
  if (inserted.value.rowCount === 0) return 'INSERT 0 0: the row was there already';
  return isTest ? 'INSERT 0 1, then ROLLBACK: a test leaves no row' : 'INSERT 0 1';
}

/** Whether the table may have been changed since it was read. */
export const isOtherTable = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code ?? '').startsWith('42');

const typeOf = (table: Table, name: string) => table.columns.get(name) ?? { base: 'text', category: 'S' };

/** Where the event's id is kept unique, a repeated delivery makes no second row. */
function statementFor(table: Table, tableName: string, columns: Insertion['columns']): string {
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

/** A value as the text that PostgreSQL reads into a column of this type; a list for an array column. */
function toColumn(value: Json | undefined, type: ColumnType): string | (string | null)[] | null {
  if (value === undefined || value === null) return null;
  if (type.base === 'json' || type.base === 'jsonb') return stringifyJson(value);
  if (type.category === 'A' && Array.isArray(value))
    return value.map(item => (item === null ? null : printed(item)));
  return printed(value);
}

const printed = (value: Json): string => (typeof value === 'object' ? stringifyJson(value) : String(value));
