import type { Database } from 'bun:sqlite';
import { leftOut, type MovedColumn, type MovedTable } from '../move/table.ts';

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/** What SQLite's migrations declare columns as, and no more. */
const types: Readonly<Record<string, MovedColumn['type']>> = {
  TEXT: 'text',
  BIGINT: 'integer',
  INTEGER: 'integer',
  'DOUBLE PRECISION': 'double',
};

/**
 * The tables that are carried to PostgreSQL, as the database itself has them: one that a migration adds is among them.
 * Those that refer to others come after these.
 */
export function movedTables(database: Database): MovedTable[] {
  const names = database
    .query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`,
    )
    .all()
    .map(({ name }) => name)
    .filter(name => !(name in leftOut));
  const refersToOthers = (name: string) =>
    database.query(`PRAGMA foreign_key_list("${name}")`).all().length > 0;
  return [...names.filter(name => !refersToOthers(name)), ...names.filter(refersToOthers)].map(name =>
    describe(name, database.query<ColumnInfo, []>(`PRAGMA table_info("${name}")`).all()),
  );
}

function describe(table: string, columns: readonly ColumnInfo[]): MovedTable {
  const primaryKey = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const hasPrimaryKey = primaryKey.length > 0;
  const key = hasPrimaryKey ? primaryKey : columns;
  const nullable = key.find(({ notnull }) => !hasPrimaryKey && notnull === 0);
  if (nullable !== undefined) {
    throw new Error(`${table} has no primary key, and ${nullable.name} may be null: its rows have no order.`);
  }
  return {
    name: table,
    hasPrimaryKey,
    key: key.map(({ name }) => name),
    columns: columns.map(({ name, type }) => {
      const known = types[type];
      if (known === undefined)
        throw new Error(`${table}.${name} is a ${type}, which cannot be carried over.`);
      return { name, type: known };
    }),
  };
}
