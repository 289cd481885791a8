import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { leftOut } from '../move/table.ts';
import { movedTables } from './moved-tables.ts';
import { migrateSqlite } from './open.ts';

function newDatabase(...more: readonly string[]): Database {
  const database = new Database(':memory:');
  migrateSqlite(database);
  for (const statement of more) database.run(statement);
  return database;
}

const tablesOf = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    )
    .all()
    .map(({ name }) => name)
    .sort();

test('every table of the schema is carried over, or named as left out with a reason', () => {
  const database = newDatabase();
  const carried = movedTables(database).map(({ name }) => name);
  expect([...carried, ...Object.keys(leftOut)].sort()).toEqual(tablesOf(database));
  for (const reason of Object.values(leftOut)) expect(reason.length).toBeGreaterThan(20);
});

test('a table that is added later is carried over without being named anywhere', () => {
  const database = newDatabase(
    'CREATE TABLE added (b BIGINT, a TEXT, c DOUBLE PRECISION, PRIMARY KEY (a, b))',
  );
  expect(movedTables(database).find(({ name }) => name === 'added')).toEqual({
    name: 'added',
    hasPrimaryKey: true,
    key: ['a', 'b'],
    columns: [
      { name: 'b', type: 'integer' },
      { name: 'a', type: 'text' },
      { name: 'c', type: 'double' },
    ],
  });
});

test('a table that refers to another comes after it', () => {
  const names = movedTables(newDatabase()).map(({ name }) => name);
  expect(names.indexOf('entity_links')).toBeGreaterThan(names.indexOf('entities'));
});

test('a table that cannot be carried over is refused: rows without an order, values of another type', () => {
  expect(() => movedTables(newDatabase('CREATE TABLE loose (a TEXT)'))).toThrow('loose has no primary key');
  expect(() => movedTables(newDatabase('CREATE TABLE bytes (a BLOB PRIMARY KEY)'))).toThrow(
    'bytes.a is a BLOB',
  );
});
