import type { ClientBase } from 'pg';
import { z } from 'zod';
import { NotUnderstood } from './frames.ts';
import { quoteTable } from './identifier.ts';

/** A table as the database's own catalogue describes it. */
export interface Table {
  readonly columns: ReadonlyMap<string, Column>;
  /** The columns of each unique index that a conflict can be tied to. */
  readonly uniques: readonly (readonly string[])[];
  readonly mayInsert: boolean;
}

export interface ColumnType {
  /** `jsonb`, `text`, …; of a domain, the type beneath it. */
  readonly base: string;
  /** PostgreSQL's own grouping: `S` texts, `N` numbers, `D` dates, `A` arrays, … */
  readonly category: string;
}

export interface Column extends ColumnType {
  /** As people write it: `character varying(20)`. */
  readonly type: string;
  /** Has to be given: it is NOT NULL and has no default. */
  readonly isRequired: boolean;
  /** The database fills it in itself and takes nothing from others. */
  readonly isGenerated: boolean;
}

const COLUMNS = `
  SELECT a.attname::text AS name,
         format_type(a.atttypid, a.atttypmod) AS type,
         COALESCE(b.typname, t.typname)::text AS base,
         t.typcategory::text AS category,
         a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS "isRequired",
         a.attgenerated <> '' OR a.attidentity = 'a' AS "isGenerated"
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype
   WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
   ORDER BY a.attnum`;

/** A conflict is tied to columns by reading them, which takes the right to. */
const UNIQUES = `
  SELECT array_agg(a.attname::text ORDER BY k.place) AS columns
    FROM pg_catalog.pg_index i
   CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, place)
    JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
   WHERE i.indrelid = to_regclass($1) AND i.indisunique AND i.indisvalid AND i.indimmediate
     AND i.indpred IS NULL AND i.indexprs IS NULL AND k.place <= i.indnkeyatts
     AND has_table_privilege(i.indrelid, 'SELECT')
   GROUP BY i.indexrelid
   ORDER BY count(*)`;

const RIGHTS = `SELECT has_table_privilege(to_regclass($1), 'INSERT') AS "mayInsert"`;

export async function readTable(client: ClientBase, table: string): Promise<Table> {
  const name = [quoteTable(table)];
  const [columns, uniques, rights] = await Promise.all([
    client.query(COLUMNS, name),
    client.query(UNIQUES, name),
    client.query(RIGHTS, name),
  ]);
  const found = catalogue.safeParse({ columns: columns.rows, uniques: uniques.rows, rights: rights.rows });
  if (!found.success) throw new NotUnderstood('its catalogue is not that of PostgreSQL');
  return {
    columns: new Map(found.data.columns.map(({ name: column, ...rest }) => [column, rest])),
    uniques: found.data.uniques.map(row => row.columns),
    mayInsert: found.data.rights[0]?.mayInsert ?? false,
  };
}

/** Whoever answers may be anybody. */
const catalogue = z.object({
  columns: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      base: z.string(),
      category: z.string(),
      isRequired: z.boolean(),
      isGenerated: z.boolean(),
    }),
  ),
  uniques: z.array(z.object({ columns: z.array(z.string()) })),
  rights: z.array(z.object({ mayInsert: z.boolean().nullable() })),
});
