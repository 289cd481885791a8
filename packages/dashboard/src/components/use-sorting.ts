import { sorted } from '../lib/sorted.ts';
import { useFilters } from '../lib/use-filters.ts';
import type { Column, Sorting } from './rows.tsx';

/**
 * Sorts a short list by the column that the address names: `sort=name`, or `sort=-waiting` from the most to the least.
 * A column of numbers is first sorted by the most, since that is what somebody looks for.
 */
export function useSorting<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): { rows: readonly Row[]; sorting: Sorting } {
  const [{ sort = '' }, change] = useFilters();
  const isDescending = sort.startsWith('-');
  const name = isDescending ? sort.slice(1) : sort;
  const column = columns.find(one => one.sort?.name === name);
  const sorting: Sorting = {
    name: column === undefined ? null : name,
    isDescending,
    sortBy(chosen) {
      const isNumber = columns.find(one => one.sort?.name === chosen)?.isNumber === true;
      const goesDown = chosen === name ? !isDescending : isNumber;
      change({ sort: `${goesDown ? '-' : ''}${chosen}` });
    },
  };
  return { rows: column?.sort ? sorted(rows, column.sort.value, isDescending) : rows, sorting };
}
