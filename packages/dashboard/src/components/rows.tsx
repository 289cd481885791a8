import { Loader, VisuallyHidden } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useCallback, useDeferredValue, useEffect, useRef, useState } from 'react';
import { inThisOrganisation } from '../lib/organisation.ts';
import { isPageShortcut } from '../lib/page-shortcuts.ts';
import classes from './rows.module.css';

/** The table of every list: virtual rows that are read page by page, and moved through by keys. */

export interface Column<Row> {
  readonly header: string;
  /** A track of a CSS grid: `140px`, `minmax(160px, 1fr)`. */
  readonly width: string;
  /** Where there is little room; absent: the same. */
  readonly narrowWidth?: string;
  cell(row: Row, isSelected: boolean): ReactNode;
  /** Left out where there is no room for it; `onlyWidest`: already on a small laptop. */
  readonly onlyWide?: boolean;
  readonly onlyWidest?: boolean;
  /** The header is there to be heard, not seen. */
  readonly isHeaderHidden?: boolean;
  /** Numbers stand below each other, digit by digit. */
  readonly isNumber?: boolean;
  /** Rows can be put in the order of this; the name stands in the address. What has no value comes last. */
  readonly sort?: { readonly name: string; value(row: Row): number | string | null };
}

/** By which column rows are sorted, and how to sort them by another. */
export interface Sorting {
  readonly name: string | null;
  readonly isDescending: boolean;
  sortBy(name: string): void;
}

/** Whoever counts rows counts the heading too. */
const HEADINGS = 1;
const ROW_HEIGHT = 42;
const ROWS_AHEAD = 12;
/** The next page is asked for when so many rows are left below. */
const MORE_AT = 30;
const NO_SEARCH: Readonly<Record<string, string>> = {};

/** Which row is marked: by its key, since a live list moves, and by where it was seen last. */
interface Mark {
  readonly key: string;
  readonly index: number;
}

/**
 * A long list: only what is seen is drawn, and the next page is read before its end is reached. `j` and `k` move
 * the mark, `Enter` opens what is marked, `x` selects it. Keep `columns` and the functions steady between renders,
 * so that rows which stay are not rendered again while the list is scrolled.
 */
export function Rows<Row>(props: {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  /** The page that shows a row. */
  pageOf(row: Row): string;
  /** What the address of such a page carries. */
  pageSearch?: Readonly<Record<string, string>>;
  /** They are those of before, and are about to be others: nothing can be done with them any more. */
  isOld?: boolean;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  loadMore?(): void;
  onSelect?(row: Row): void;
  isSelected?(row: Row): boolean;
  /** What stands in the place of a header, by its name: a box that selects all. */
  headerCells?: Readonly<Record<string, ReactNode>>;
  /** How far it is scrolled, for a tail that pauses. */
  onScroll?(top: number): void;
  /** Another value brings it back to its top. */
  scrolledFor?: unknown;
  sorting?: Sorting;
}) {
  const { rows, columns, keyOf, pageOf, isOld = false, hasMore = false, isLoadingMore = false } = props;
  const { loadMore, onSelect, pageSearch = NO_SEARCH } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const [mark, setMark] = useState<Mark | null>(null);
  const marked = indexOf(mark, rows, keyOf);
  // Visible rows first; those beyond are drawn once these are shown.
  const ahead = useDeferredValue(ROWS_AHEAD, 0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ahead,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;

  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - MORE_AT) loadMore?.();
  }, [hasMore, isLoadingMore, last, rows.length, loadMore]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the value is a sign, and is not read
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [props.scrolledFor]);

  useEffect(() => {
    if (isOld) return;
    const onKey = (event: KeyboardEvent) => {
      if (!isPageShortcut(event)) return;
      const row = rows[marked];
      if (event.key === 'j' || event.key === 'k') {
        const next = Math.min(Math.max(marked + (event.key === 'j' ? 1 : -1), 0), rows.length - 1);
        const reached = rows[next];
        if (reached === undefined) return;
        setMark({ key: keyOf(reached), index: next });
        virtual.scrollToIndex(next);
        // From here on Enter is meant for what is marked, and no longer for what was pressed before.
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      } else if (event.key === 'Enter' && row && !isOnControl(event.target)) {
        void navigate({ to: pageOf(row), search: pageSearch });
      } else if (event.key === 'x' && row) {
        onSelect?.(row);
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOld, rows, marked, virtual, navigate, keyOf, pageOf, pageSearch, onSelect]);

  const open = useCallback(
    (row: Row, index: number) => {
      setMark({ key: keyOf(row), index });
      void navigate({ to: pageOf(row), search: pageSearch });
    },
    [navigate, keyOf, pageOf, pageSearch],
  );

  const tracks = {
    '--widest': columns.map(({ width }) => width).join(' '),
    '--wide': columns
      .filter(({ onlyWidest }) => !onlyWidest)
      .map(({ width }) => width)
      .join(' '),
    '--narrow': columns
      .filter(({ onlyWide, onlyWidest }) => !onlyWide && !onlyWidest)
      .map(({ width, narrowWidth }) => narrowWidth ?? width)
      .join(' '),
  } as React.CSSProperties;

  return (
    // biome-ignore-start lint/a11y/useSemanticElements: rows that are placed by hand cannot be those of a <table>
    // biome-ignore-start lint/a11y/useFocusableInteractive: the links inside the rows take the focus
    <div
      className={classes.frame}
      style={tracks}
      role="table"
      aria-label={props.label}
      aria-rowcount={hasMore ? -1 : rows.length + HEADINGS}
      aria-busy={isOld || undefined}
    >
      <div className={classes.head} role="row" aria-rowindex={HEADINGS}>
        {columns.map(({ header, onlyWide, onlyWidest, isHeaderHidden, isNumber, sort }) => (
          <span
            key={header}
            role="columnheader"
            data-only-wide={onlyWide}
            data-only-widest={onlyWidest}
            data-number={isNumber}
            aria-sort={sort && props.sorting ? orderOf(sort.name, props.sorting) : undefined}
          >
            {sort && props.sorting ? (
              <SortButton header={header} name={sort.name} sorting={props.sorting} />
            ) : (
              (props.headerCells?.[header] ??
              (isHeaderHidden ? <VisuallyHidden>{header}</VisuallyHidden> : header))
            )}
          </span>
        ))}
      </div>
      <div
        ref={scroller}
        className={classes.scroller}
        role="rowgroup"
        inert={isOld}
        data-scroll-restoration-id={props.label}
        onScroll={event => props.onScroll?.(event.currentTarget.scrollTop)}
      >
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {shown.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <DrawnRow
                key={keyOf(row)}
                row={row}
                index={index}
                top={start}
                columns={columns}
                isMarked={index === marked}
                isSelected={props.isSelected?.(row) ?? false}
                open={open}
              />
            );
          })}
        </div>
        {isLoadingMore && (
          <Loader size="xs" className={classes.loader ?? ''} role="status" aria-label="Loading more" />
        )}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: see above
    // biome-ignore-end lint/a11y/useSemanticElements: see above
  );
}

const orderOf = (name: string, sorting: Sorting): 'ascending' | 'descending' | 'none' =>
  sorting.name !== name ? 'none' : sorting.isDescending ? 'descending' : 'ascending';

function SortButton(props: { header: string; name: string; sorting: Sorting }) {
  const { header, name, sorting } = props;
  const order = orderOf(name, sorting);
  return (
    <button type="button" className={classes.sort} data-order={order} onClick={() => sorting.sortBy(name)}>
      {header}
      <span aria-hidden>{order === 'descending' ? '↓' : '↑'}</span>
    </button>
  );
}

interface DrawnRowProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly columns: readonly Column<Row>[];
  readonly isMarked: boolean;
  readonly isSelected: boolean;
  open(row: Row, index: number): void;
}

/** Rendered again only when something of it has changed. */
const DrawnRow = memo(function DrawnRow<Row>(props: DrawnRowProps<Row>) {
  const { row, index, columns } = props;
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see Rows
    // biome-ignore-start lint/a11y/useFocusableInteractive: see Rows
    <div
      role="row"
      aria-rowindex={index + 1 + HEADINGS}
      className={classes.row}
      data-marked={props.isMarked || undefined}
      aria-current={props.isMarked || undefined}
      data-selected={props.isSelected || undefined}
      style={{ height: ROW_HEIGHT, transform: `translateY(${props.top}px)` }}
      onClick={event => {
        if (!isOnOwnLink(event) && isOnControl(event.target)) return;
        event.preventDefault();
        props.open(row, index);
      }}
      onKeyDown={() => undefined}
    >
      {columns.map(({ header, cell, onlyWide, onlyWidest, isNumber }) => (
        <span
          key={header}
          role="cell"
          className={classes.cell}
          data-only-wide={onlyWide}
          data-only-widest={onlyWidest}
          data-number={isNumber}
        >
          {cell(row, props.isSelected)}
        </span>
      ))}
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: see Rows
    // biome-ignore-end lint/a11y/useSemanticElements: see Rows
  );
}) as <Row>(props: DrawnRowProps<Row>) => ReactNode;

/** Where the marked row stands now; -1 where nothing is marked, or what was is gone. */
function indexOf<Row>(mark: Mark | null, rows: readonly Row[], keyOf: (row: Row) => string): number {
  if (mark === null) return -1;
  const there = rows[mark.index];
  if (there !== undefined && keyOf(there) === mark.key) return mark.index;
  return rows.findIndex(row => keyOf(row) === mark.key);
}

/**
 * What a row is called, as a link to its page: for the keyboard, for screen readers, and for another tab. Lighter than
 * the router's own, of which each listens to where the page is.
 */
export function RowLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={inThisOrganisation(to)} data-row-link>
      {children}
    </a>
  );
}

const isOnOwnLink = (event: React.MouseEvent): boolean =>
  event.target instanceof Element &&
  event.target.closest('[data-row-link]') !== null &&
  !(event.metaKey || event.ctrlKey || event.shiftKey);

/** A press on a link or a button inside a row is its own affair. */
const isOnControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('a, button, input, label') !== null;
