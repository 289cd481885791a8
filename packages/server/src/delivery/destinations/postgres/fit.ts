import { invalid, type Problem } from '../../../core/errors.ts';
import type { Column, Table } from '../../databases/catalogue.ts';
import type { MappedColumn } from './mapping.ts';

/** What does not fit between a mapping and the table it names, or null. Names the column. */
export function mappingProblem(
  table: Table,
  tableName: string,
  mapped: readonly MappedColumn[],
): Problem | null {
  if (table.columns.size === 0) {
    return invalid('config.table', `There is no table ${tableName} that this user can see. Create it first.`);
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
