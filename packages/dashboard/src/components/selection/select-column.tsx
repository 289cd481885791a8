import type { Column } from '../rows.tsx';
import classes from './selection.module.css';
import type { Selection } from './use-selection.ts';

/** The column of boxes, with one above them for all; `nameOf` says which row a box is of. */
export function selectColumn<Row extends { readonly id: string }>(
  selection: Selection<Row>,
  nameOf: (row: Row) => string,
): Column<Row> {
  const count = selection.rows.length;
  const isAll = count > 0 && count === selection.shown;
  return {
    header: 'Select',
    isHeaderHidden: true,
    headerCell: (
      <input
        type="checkbox"
        className={classes.box}
        aria-label="Select all shown"
        checked={isAll}
        ref={box => {
          if (box) box.indeterminate = count > 0 && !isAll;
        }}
        onChange={selection.toggleAll}
      />
    ),
    width: '22px',
    cell: row => (
      <input
        type="checkbox"
        className={classes.box}
        aria-label={`Select ${nameOf(row)}`}
        checked={selection.has(row)}
        onChange={() => selection.toggle(row)}
      />
    ),
  };
}
