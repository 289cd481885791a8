import type { ClientBase } from 'pg';
import { invalid, type Problem } from '../../../core/errors.ts';
import { quoteTable } from './identifier.ts';
import type { ColumnType, MappedColumn } from './mapping.ts';

/** A table as the database's own catalogue describes it. */
export interface Table {
  readonly columns: ReadonlyMap<string, Column>;
  /** The columns of each unique index that a conflict can be tied to. */
  readonly uniques: readonly (readonly string[])[];
  readonly mayInsert: boolean;
}

interface Column extends ColumnType {
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
    client.query<Column & { name: string }>(COLUMNS, name),
    client.query<{ columns: string[] }>(UNIQUES, name),
    client.query<{ mayInsert: boolean | null }>(RIGHTS, name),
  ]);
  return {
    columns: new Map(columns.rows.map(({ name: column, ...rest }) => [column, rest])),
    uniques: uniques.rows.map(row => row.columns),
    mayInsert: rights.rows[0]?.mayInsert ?? false,
  };
}

/** What does not fit between a mapping and the table it names, or null. Names the column. */
export function mappingProblem(
  table: Table,
  tableName: string,
  mapped: readonly MappedColumn[],
): Problem | null {
  if (table.columns.size === 0) {
    return invalid('config.table', `There is no table ${tableName} that this user can see. Make it first.`);
  }
  if (!table.mayInsert) return invalid('config.table', `This user may not insert into ${tableName}.`);
  for (const column of mapped) {
    const problem = columnProblem(table.columns.get(column.name), column, tableName);
    if (problem) return problem;
  }
  const given = new Set(mapped.map(({ name }) => name));
  for (const [name, column] of table.columns) {
    if (column.isRequired && !given.has(name)) {
      return invalid(
        'config.columns',
        `The column ${name} must be mapped: it is NOT NULL and has no default.`,
      );
    }
  }
  return null;
}

function columnProblem(column: Column | undefined, mapped: MappedColumn, tableName: string): Problem | null {
  const { name, path, source, holds } = mapped;
  if (column === undefined) return invalid(path, `${tableName} has no column ${name}.`);
  if (column.isGenerated) return invalid(path, `The database fills in the column ${name} by itself.`);
  if (fits(holds, column)) return null;
  return invalid(path, `The column ${name} is ${column.type}, which cannot hold ${describe(source)}.`);
}

function fits(holds: MappedColumn['holds'], { base, category }: Column): boolean {
  if (holds === 'any' || category === 'S' || base === 'json' || base === 'jsonb') return true;
  switch (holds) {
    case 'text':
      return category === 'E';
    case 'time':
      return category === 'D';
    case 'number':
      return category === 'N';
    case 'boolean':
      return category === 'B';
    case 'json':
      return false;
  }
}

const describe = (source: unknown): string => (typeof source === 'string' ? source : JSON.stringify(source));
