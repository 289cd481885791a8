import {
  keepPreviousData,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { type CallError, call, type Method, type Page, readPage, withQuery } from './call.ts';
import { watch } from './live.ts';

/** The key of an answer in the cache: its path, so that whoever changes something can name what it changed. */
const keyOf = (path: string) => ['call', path];

/**
 * The `data` of a GET. With `live`, the server tells when it has changed. `keep` shows the answer before while that to
 * another path is on its way: for another look at the same thing, never for another thing. `null` asks for nothing.
 */
export function useCall<T>(
  path: string | null,
  options: { live?: boolean; keep?: boolean } = {},
): UseQueryResult<T, CallError> {
  const client = useQueryClient();
  const live = options.live === true;
  useEffect(() => {
    if (!live || path === null) return;
    return watch(path, {
      onAnswer: answer => takeIn(client, path, (answer as { data: T }).data),
      // Asked for again in the plain way, its refusal is shown like any other.
      onRefused: () => void client.invalidateQueries({ queryKey: keyOf(path), exact: true }),
    });
  }, [client, live, path]);
  const read = useQuery<T, CallError>({
    queryKey: keyOf(path ?? ''),
    queryFn: () => call<T>('GET', path ?? ''),
    enabled: path !== null,
    ...(options.keep ? { placeholderData: keepPreviousData } : {}),
  });
  // What is gone is not shown on, however well it was known.
  return read.error?.status === 404 ? ({ ...read, data: undefined } as typeof read) : read;
}

/** Takes in what the stream has told. */
function takeIn(client: QueryClient, path: string, data: unknown): void {
  const query = { queryKey: keyOf(path), exact: true };
  client.setQueryData(query.queryKey, data);
  // A plain answer that is still on its way may be older, and would stay: the stream tells changes only.
  if (client.isFetching(query) > 0) void client.invalidateQueries(query);
}

export interface List<Row> {
  readonly rows: readonly Row[];
  readonly error: CallError | null;
  /** Nothing is known yet. */
  readonly isLoading: boolean;
  /** The rows are still those of another query; what is asked for is on its way. */
  readonly isOld: boolean;
  readonly isLoadingMore: boolean;
  readonly hasMore: boolean;
  /** Of a search by text: how far back it came. */
  readonly searchedTo: string | null;
  loadMore(): void;
  refresh(): void;
}

export const PAGE_SIZE = 100;

/** A list that was scrolled further than this begins again when it is read anew: nobody waits for a thousand pages. */
const FEW_PAGES = 5;

interface Pages {
  readonly pages: readonly unknown[];
  readonly pageParams: readonly unknown[];
}

const pagesOf = ({ state }: { state: { data: unknown } }): number =>
  (state.data as Partial<Pages> | undefined)?.pages?.length ?? 0;

const firstPage = (list: Pages | undefined): Pages | undefined =>
  list && { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) };

/** A list that is read page by page as it is scrolled. */
export function useList<Row>(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): List<Row> {
  const client = useQueryClient();
  const asked = withQuery(path, query);
  const queryKey = [...keyOf(path), asked];
  const read = useInfiniteQuery<Page<Row>, CallError, { pages: Page<Row>[] }, string[], string | null>({
    queryKey,
    queryFn: ({ pageParam }) =>
      readPage<Row>(withQuery(path, { limit: PAGE_SIZE, ...query, cursor: pageParam ?? undefined })),
    initialPageParam: null,
    getNextPageParam: page => page.next_cursor,
    // Of the same list with other filters; never of another list.
    placeholderData: (data, before) => (before?.queryKey[1] === path ? data : undefined),
    refetchOnWindowFocus: query => pagesOf(query) <= FEW_PAGES,
  });
  const { data, error, isPlaceholderData: isOld } = read;
  const rows = useMemo(() => data?.pages.flatMap(page => page.data) ?? [], [data]);
  return {
    rows,
    error,
    // That there was nothing before says nothing of what is asked for now.
    isLoading: read.isPending || (isOld && rows.length === 0),
    isOld,
    isLoadingMore: read.isFetchingNextPage,
    hasMore: read.hasNextPage && !isOld,
    searchedTo: (isOld ? null : data?.pages.at(-1)?.searched_to) ?? null,
    loadMore: () => void read.fetchNextPage(),
    refresh() {
      client.setQueryData<Pages>(queryKey, firstPage);
      void read.refetch();
    },
  };
}

/** All rows of a list that is short by its nature: sources, pipelines, destinations. `live` as above. */
export function useAll<Row>(path: string, { live = false } = {}): UseQueryResult<Row[], CallError> {
  const client = useQueryClient();
  useEffect(() => {
    if (!live) return;
    const readAnew = () => void client.invalidateQueries({ queryKey: keyOf(path), exact: true });
    return watch(withQuery(path, { limit: PAGE_SIZE }), {
      onAnswer(answer) {
        const { data, next_cursor } = answer as Page<Row>;
        if (next_cursor === null) takeIn(client, path, data);
        else readAnew();
      },
      onRefused: readAnew,
    });
  }, [client, live, path]);
  return useQuery<Row[], CallError>({
    queryKey: keyOf(path),
    queryFn: async () => {
      const rows: Row[] = [];
      let cursor: string | null = null;
      do {
        const page: Page<Row> = await readPage<Row>(
          withQuery(path, { limit: PAGE_SIZE, cursor: cursor ?? undefined }),
        );
        rows.push(...page.data);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return rows;
    },
  });
}

export interface Change {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
}

/** A call that changes something. Whatever was read before is read again, since it may have changed too. */
export function useChange<T = unknown>(): UseMutationResult<T, CallError, Change> {
  const client = useQueryClient();
  return useMutation<T, CallError, Change>({
    mutationFn: ({ method, path, body }) => call<T>(method, path, body),
    onSuccess() {
      const isLong = (read: { state: { data: unknown } }) => pagesOf(read) > FEW_PAGES;
      client.setQueriesData<Pages>({ queryKey: ['call'], predicate: isLong }, firstPage);
      return client.invalidateQueries({ queryKey: ['call'] });
    },
  });
}
