import { type ReactNode, useEffect, useRef } from 'react';
import type { List } from '../lib/api/use-call.ts';
import { ErrorNotice } from './error-notice.tsx';
import { Loading } from './page-states.tsx';
import { type Column, Rows } from './rows.tsx';

/** It was read, and there is nothing in it. */
export const isEmpty = ({ rows, isLoading, hasMore, error }: List<unknown>): boolean =>
  !isLoading && rows.length === 0 && !hasMore && !error;

/**
 * A list that is read page by page, or what stands in its place: what went wrong, that it is read, that it is empty.
 */
export function PagedList<Row>(props: {
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  pageOf(row: Row): string;
  isSelected?(row: Row): boolean;
  onSelect?(row: Row): void;
  headerCells?: Readonly<Record<string, ReactNode>>;
  empty: ReactNode;
}) {
  const { list, empty, ...rows } = props;
  // All that was read is shown as deleted, and there is more behind it.
  const isHidden = list.rows.length === 0 && list.hasMore && !list.error;
  const next = useRef(list.loadMore);
  next.current = list.loadMore;
  useEffect(() => {
    if (isHidden && !list.isLoadingMore) next.current();
  }, [isHidden, list.isLoadingMore]);
  return (
    <>
      {list.error && <ErrorNotice error={list.error} onRetry={list.refresh} />}
      {(list.isLoading || isHidden) && !list.error && <Loading />}
      {isEmpty(list) && empty}
      {list.rows.length > 0 && (
        <Rows
          {...rows}
          rows={list.rows}
          isOld={list.isOld}
          hasMore={list.hasMore}
          isLoadingMore={list.isLoadingMore}
          loadMore={list.loadMore}
        />
      )}
    </>
  );
}
