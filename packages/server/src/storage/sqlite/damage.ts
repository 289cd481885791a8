import type { Database } from 'bun:sqlite';
import { messageOf } from '../../core/errors.ts';

export const restoreAdvice = (file: string): string =>
  `The database ${file} is damaged. Nothing was changed. Move it and its -wal and -shm files away, put your last backup in its place (made with \`sluice backup\`), and start again; \`sluice doctor\` shows what is wrong.`;

/** What is wrong with the file, in SQLite's own words on one line; null when every page can be read and is in order. */
export function findDamage(database: Database): string | null {
  try {
    const row = database.query('PRAGMA quick_check(1)').get() as { quick_check: string } | null;
    return row === null || row.quick_check === 'ok' ? null : row.quick_check.replace(/\s+/g, ' ');
  } catch (error) {
    return messageOf(error);
  }
}
