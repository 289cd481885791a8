import { Loader } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isTyping } from '../app/use-go-keys.ts';
import classes from './rows.module.css';

export interface Column<Row> {
  readonly header: string;
  /** A track of a CSS grid: `140px`, `minmax(160px, 1fr)`. */
  readonly width: string;
  cell(row: Row): ReactNode;
  /** Left out where there is no room for it. */
  readonly onlyWide?: boolean;
}

const ROW_HEIGHT = 42;
const ROWS_AHEAD = 12;
/** The next page is asked for when so many rows are left below. */
const MORE_AT = 30;

/**
 * A long list: only what is seen is drawn, and the next page is read before its end is reached. `j` and `k` move
 * the mark, `Enter` opens what is marked, `x` selects it.
 */
export function Rows<Row>(props: {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  /** The page that shows a row. */
  pageOf(row: Row): string;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  loadMore?(): void;
  onSelect?(row: Row): void;
  isSelected?(row: Row): boolean;
  /** How far it is scrolled, for a tail that pauses. */
  onScroll?(top: number): void;
}) {
  const { rows, columns, keyOf, pageOf, hasMore = false, isLoadingMore = false, loadMore, onSelect } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const [marked, setMarked] = useState(-1);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_AHEAD,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;

  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - MORE_AT) loadMore?.();
  }, [hasMore, isLoadingMore, last, rows.length, loadMore]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || document.querySelector('[role="dialog"]')) return;
      const row = rows[marked];
      if (event.key === 'j' || event.key === 'k') {
        const next = Math.min(Math.max(marked + (event.key === 'j' ? 1 : -1), 0), rows.length - 1);
        setMarked(next);
        if (next >= 0) virtual.scrollToIndex(next);
      } else if (event.key === 'Enter' && row && !isOnControl(event.target)) {
        void navigate({ to: pageOf(row) });
      } else if (event.key === 'x' && row) {
        onSelect?.(row);
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [rows, marked, virtual, navigate, pageOf, onSelect]);

  const wide = columns.map(({ width }) => width).join(' ');
  const narrow = columns
    .filter(({ onlyWide }) => !onlyWide)
    .map(({ width }) => width)
    .join(' ');
  const tracks = { '--wide': wide, '--narrow': narrow } as React.CSSProperties;

  return (
    // biome-ignore-start lint/a11y/useSemanticElements: rows that are placed by hand cannot be those of a <table>
    // biome-ignore-start lint/a11y/useFocusableInteractive: the links inside the rows take the focus
    <div
      className={classes.frame}
      style={tracks}
      role="table"
      aria-label={props.label}
      aria-rowcount={hasMore ? -1 : rows.length}
    >
      <div className={classes.head} role="row">
        {columns.map(({ header, onlyWide }) => (
          <span key={header} role="columnheader" data-only-wide={onlyWide}>
            {header}
          </span>
        ))}
      </div>
      <div
        ref={scroller}
        className={classes.scroller}
        role="rowgroup"
        onScroll={event => props.onScroll?.(event.currentTarget.scrollTop)}
      >
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {shown.map(({ index, start, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 1}
                className={classes.row}
                data-marked={index === marked || undefined}
                data-selected={props.isSelected?.(row) || undefined}
                data-key={keyOf(row)}
                style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
                onClick={event => {
                  if (isOnControl(event.target)) return;
                  setMarked(index);
                  void navigate({ to: pageOf(row) });
                }}
                onKeyDown={() => undefined}
              >
                {columns.map(({ header, cell, onlyWide }) => (
                  <span key={header} role="cell" className={classes.cell} data-only-wide={onlyWide}>
                    {cell(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
        {isLoadingMore && <Loader size="xs" className={classes.loader ?? ''} aria-label="Loading more" />}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: see above
    // biome-ignore-end lint/a11y/useSemanticElements: see above
  );
}

/** A press on a link or a button inside a row is its own affair. */
const isOnControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('a, button, input, label') !== null;
