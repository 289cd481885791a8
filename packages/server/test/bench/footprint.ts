import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { PostgresServer } from '../support/postgres.ts';
import { type Figure, plainly } from './figure.ts';

/** What is left of an event in the database: rows by table, index entries, and pages; and on PostgreSQL what it took to get there. */

/** Rows by table where an event has any worth speaking of. */
const LEAST_A_ROW = 0.005;

interface Tree {
  readonly name: string;
  readonly table: string;
  readonly isIndex: number;
  readonly entries: number;
  readonly pages: number;
}

/** As SQLite's own `dbstat` counts the cells of every tree; a partial index has only what it holds. */
export function sqliteFootprint(directory: string, where: string): Figure[] {
  const database = new Database(join(directory, 'sluice.db'), { readonly: true });
  try {
    const trees = database
      .query<Tree, []>(
        // In a table only leaves hold rows; in an index, and in a table without rowids, every page holds entries.
        `SELECT s.name, s.tbl_name AS "table", s.type = 'index' AS isIndex, count(*) AS pages,
          sum(CASE WHEN d.pagetype = 'leaf' THEN d.ncell
            WHEN d.pagetype = 'internal' AND (s.type = 'index' OR s.sql LIKE '%WITHOUT ROWID%') THEN d.ncell
            ELSE 0 END) AS entries
        FROM sqlite_schema s JOIN dbstat d ON d.name = s.name GROUP BY s.name`,
      )
      .all();
    const events = trees.find(({ name }) => name === 'events')?.entries ?? 0;
    const rows = trees
      .filter(({ isIndex }) => isIndex === 0)
      .map(({ name, entries }) => ({ name, count: entries / events }));
    const sum = (of: (tree: Tree) => number) => trees.reduce((total, tree) => total + of(tree), 0) / events;
    const indexEntries = sum(({ isIndex, entries }) => (isIndex ? entries : 0));
    return [
      plainly(`${where}: rows left of an event`, listed(rows)),
      plainly(`${where}: index entries left of an event`, indexEntries.toFixed(2)),
      plainly(`${where}: pages of 4 KiB left of an event`, sum(({ pages }) => pages).toFixed(2)),
    ];
  } finally {
    database.close();
  }
}

/** As PostgreSQL counts what was done to each table; an update that changes no index and stays on its page is hot. */
export async function postgresFootprint(
  postgres: PostgresServer,
  database: string,
  where: string,
): Promise<Figure[]> {
  const tables = await postgres.administer<
    Record<'inserted' | 'updated' | 'deleted' | 'entries' | 'pages', number> & { name: string }
  >(
    database,
    `SELECT relname AS name, n_tup_ins::float8 AS inserted, n_tup_upd::float8 AS updated,
      n_tup_del::float8 AS deleted, pg_total_relation_size(relid)::float8 / 8192 AS pages,
      (n_tup_ins + n_tup_upd - n_tup_hot_upd)::float8
        * (SELECT count(*) FROM pg_index WHERE indrelid = relid) AS entries
    FROM pg_stat_user_tables ORDER BY relname`,
  );
  const events = tables.find(({ name }) => name === 'events')?.inserted ?? 0;
  const rows = (of: 'inserted' | 'updated' | 'deleted') =>
    listed(tables.map(table => ({ name: table.name, count: table[of] / events })));
  const sum = (of: 'entries' | 'pages') =>
    (tables.reduce((total, table) => total + table[of], 0) / events).toFixed(2);
  return [
    plainly(`${where}: rows inserted for an event`, rows('inserted')),
    plainly(`${where}: rows updated for an event`, rows('updated')),
    plainly(`${where}: rows deleted for an event`, rows('deleted')),
    plainly(`${where}: index entries written for an event, at most`, sum('entries')),
    plainly(`${where}: pages of 8 KiB left of an event`, sum('pages')),
  ];
}

function listed(rows: readonly { name: string; count: number }[]): string {
  const worth = rows.filter(({ count }) => count >= LEAST_A_ROW).sort((a, b) => b.count - a.count);
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const each = worth.map(({ name, count }) => `${name} ${count.toFixed(2)}`);
  return `${total.toFixed(2)}${each.length > 0 ? ` (${each.join(', ')})` : ''}`;
}
