import { Database } from 'bun:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { migrations } from '../migrations/index.ts';
import type { Schema } from '../schema.ts';

/** Opens the database for its one writer and refuses to go on unless a commit really reaches the disk. */
export function openForWriting(file: string): Database {
  const database = new Database(file, { create: true, strict: true });
  // First of all: a process that is just closing the file may still hold it.
  database.run('PRAGMA busy_timeout = 5000');
  database.run('PRAGMA journal_mode = WAL');
  database.run('PRAGMA synchronous = FULL');
  database.run('PRAGMA cache_size = -32768');
  database.run('PRAGMA temp_store = MEMORY');
  // Many small checkpoints: a large one keeps whoever waits for the writer waiting, and together they cost no more.
  database.run('PRAGMA wal_autocheckpoint = 250');
  database.run('PRAGMA journal_size_limit = 67108864');
  requirePragma(database, 'journal_mode', 'wal');
  requirePragma(database, 'synchronous', 2);
  return database;
}

export function openForReading(file: string, cacheKiB = 16_384): Database {
  const database = new Database(file, { readonly: true, strict: true });
  database.run('PRAGMA busy_timeout = 5000');
  database.run(`PRAGMA cache_size = -${cacheKiB}`);
  database.run('PRAGMA temp_store = MEMORY');
  return database;
}

function requirePragma(database: Database, name: string, wanted: string | number): void {
  const row = database.query(`PRAGMA ${name}`).get() as Record<string, unknown> | null;
  const found = row?.[name];
  if (found !== wanted) {
    throw new Error(
      `SQLite would not keep what it acknowledges: ${name} is ${String(found)}, not ${wanted}. Is the data directory on a file system without shared memory, such as a network share?`,
    );
  }
}

/** Runs what is missing, each step in one transaction with the record that it has run. */
export function migrateSqlite(database: Database): void {
  const found = (database.query('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (found > migrations.length) {
    throw new Error(
      `The database was written by a newer Sluice (schema ${found}, this one knows ${migrations.length}). Start that version again.`,
    );
  }
  for (const [index, statements] of migrations.entries()) {
    if (index < found) continue;
    database.transaction(() => {
      for (const statement of statements) if (!isOfPostgres(statement)) database.run(statement);
      database.run(`PRAGMA user_version = ${index + 1}`);
    })();
  }
}

/** How an index is kept is not for SQLite to say. */
const isOfPostgres = (statement: string): boolean => statement.startsWith('ALTER INDEX');

/** Kysely over a connection of this thread. */
export function queryBuilder(database: Database): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        close: () => database.close(),
        prepare(text) {
          const statement = database.query(text);
          return {
            // Statements that return rows: selects, and writes with RETURNING.
            reader: statement.columnNames.length > 0,
            all: parameters => statement.all(...(parameters as string[])),
            run(parameters) {
              const { changes, lastInsertRowid } = statement.run(...(parameters as string[]));
              return { changes, lastInsertRowid };
            },
            iterate: parameters =>
              statement.iterate(...(parameters as string[])) as IterableIterator<unknown>,
          };
        },
      },
    }),
  });
}
