import { Database } from 'bun:sqlite';
import { closeSync, openSync, writeSync } from 'node:fs';

/** Overwrites the page that a table begins on, as a failing disk would. Nothing may have the database open. */
export function damageTable(file: string, table: string): void {
  const database = new Database(file);
  const { rootpage } = database
    .query<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .get(table) ?? { rootpage: 1 };
  const { page_size: size } = database.query('PRAGMA page_size').get() as { page_size: number };
  database.close();
  const opened = openSync(file, 'r+');
  writeSync(opened, Buffer.alloc(size, 0xff), 0, size, (rootpage - 1) * size);
  closeSync(opened);
}
