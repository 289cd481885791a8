import { Database } from 'bun:sqlite';
import { databaseFile } from '../../src/storage/sqlite/engine.ts';

/**
 * Leaves the tables of a data directory and nothing in them, as a first start does, whoever has it open: a test that begins
 * with this spares opening storage, which takes longer than most tests do.
 */
export function emptyFile(directory: string): void {
  const database = new Database(databaseFile(directory));
  try {
    database.run('PRAGMA busy_timeout = 60000');
    const tables = database.query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    );
    const empty = database.transaction(() => {
      for (const { name } of tables.all()) database.run(`DELETE FROM "${name}"`);
    });
    // One that reads before it writes is refused at once, and does not wait, where another has written in between.
    empty.immediate();
  } finally {
    database.close();
  }
}
