import { Database } from 'bun:sqlite';
import { databaseFile } from '../../src/storage/sqlite/engine.ts';

/**
 * Leaves the tables of a data directory and nothing in them, as a first start does, whoever has it open: a test that begins
 * with this spares opening storage, which takes longer than most tests do.
 */
export function emptyFile(directory: string): void {
  const database = new Database(databaseFile(directory));
  try {
    database.run('PRAGMA busy_timeout = 5000');
    const tables = database.query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    );
    database.transaction(() => {
      for (const { name } of tables.all()) database.run(`DELETE FROM "${name}"`);
    })();
  } finally {
    database.close();
  }
}
