/** Rows in the order of one of their values. */

/** Numbers by size, texts as people sort them; what has no value comes last, whichever way it goes. */
export function sorted<Row>(
  rows: readonly Row[],
  read: (row: Row) => number | string | null,
  isDescending: boolean,
): Row[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [read(a), read(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compare(left, right);
  });
}

const compare = (a: number | string, b: number | string): number =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true, sensitivity: 'base' });
