import { useEffect } from 'react';
import { formatNumber } from '../../lib/format.ts';
import type { Column } from '../rows.tsx';
import classes from './selection.module.css';
import type { Selection } from './use-selection.ts';

const HEADER = 'Select';

/**
 * The column of boxes; `nameOf` says which row a box is of. It knows nothing of what is selected, so that a row is drawn
 * again only where its own box changes.
 */
export const selectColumn = <Row extends { readonly id: string }>(
  toggle: (row: Row) => void,
  nameOf: (row: Row) => string,
): Column<Row> => ({
  header: HEADER,
  isHeaderHidden: true,
  width: '22px',
  cell: (row, isSelected) => (
    <input
      type="checkbox"
      className={classes.box}
      aria-label={`Select ${nameOf(row)}`}
      checked={isSelected}
      onChange={() => toggle(row)}
    />
  ),
});

/** What stands above it: one box for all. */
export const selectHeader = <Row extends { readonly id: string }>(selection: Selection<Row>) => ({
  [HEADER]: <AllBox selection={selection} />,
});

function AllBox<Row extends { readonly id: string }>({ selection }: { selection: Selection<Row> }) {
  const { shown, most, allBox } = selection;
  const count = selection.rows.length;
  const isAll = count > 0 && count === shown;
  const isMixed = count > 0 && !isAll;
  useEffect(() => {
    if (allBox.current) allBox.current.indeterminate = isMixed;
  });
  return (
    <input
      ref={allBox}
      type="checkbox"
      className={classes.box}
      aria-label={shown > most ? `Select first ${formatNumber(most)}` : 'Select all shown'}
      checked={isAll}
      onChange={selection.toggleAll}
    />
  );
}
