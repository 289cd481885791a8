import type { ListPage } from '@sluice/contract/private-call';
import type { ChangeRoute, DataOf, ListRoute, ReadRoute, RowOf } from '@sluice/contract/private-calls';
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
import { useEffect, useMemo, useState } from 'react';
import { useWithoutRemoved } from '../undo/use-removals.tsx';
import { type CallError, call, readPage } from './call.ts';
import { watch } from './live.ts';
import { type GivenTo, pathOf } from './path.ts';
import { readAllAgain } from './read-all-again.ts';

/** The key of an answer in the cache: its path, so that whoever changes something can name what it changed. */
const keyOf = (path: string) => ['call', path];

/**
 * Starts to read while the page that needs the answer is still being drawn: without it a read begins only when all of the
 * page stands.
 */
function readAhead(client: QueryClient, queryKey: string[], read: () => Promise<unknown>): void {
  // Where it fails, the hook that waits for it says so, or asks again.
  if (client.getQueryState(queryKey) === undefined) read().catch(() => undefined);
}

/** Who is logged in, asked for before the frame around the pages is even loaded. */
export function readSessionAhead(client: QueryClient): void {
  const asked = { queryKey: keyOf(pathOf('GET /session', {})), queryFn: () => call('GET /session', {}) };
  readAhead(client, asked.queryKey, () => client.query(asked));
}

/** What a hook is given after the route; where the route needs nothing, it may be left out. */
type Asked<R extends ReadRoute, Nothing, Options> =
  Record<never, never> extends GivenTo<R>
    ? [given?: GivenTo<R> | Nothing, options?: Options]
    : [given: GivenTo<R> | Nothing, options?: Options];

/**
 * The `data` of a GET. With `live`, the server sends it again when it has changed; `along` only while the page follows
 * something else too. `keep` shows the answer before
 * while that to another path is on its way: for another look at the same thing, never for another thing. `null`
 * asks for nothing.
 */
export function useCall<R extends ReadRoute>(
  route: R,
  ...[given, options = {}]: Asked<R, null, { live?: boolean | 'along'; keep?: boolean }>
): UseQueryResult<DataOf<R>, CallError> {
  const client = useQueryClient();
  const { live = false } = options;
  const path = given === null ? null : pathOf(route, given ?? {});
  useEffect(() => {
    if (!live || path === null) return;
    return watch(path, {
      isAlong: live === 'along',
      onAnswer: answer => takeIn(client, path, (answer as { data: DataOf<R> }).data),
      // Asked for again in the plain way, its refusal is shown like any other.
      onRefused: () => void client.invalidateQueries({ queryKey: keyOf(path), exact: true }),
    });
  }, [client, live, path]);
  const asked = {
    queryKey: keyOf(path ?? ''),
    queryFn: () => call(route, (given ?? {}) as GivenTo<R>),
  };
  if (path !== null) readAhead(client, asked.queryKey, () => client.query(asked));
  const read = useQuery<DataOf<R>, CallError>({
    ...asked,
    enabled: path !== null,
    ...(options.keep ? { placeholderData: keepPreviousData } : {}),
  });
  const gone = useGone(path, read);
  // What is gone is not shown on, however well it was known.
  return gone === null ? read : ({ ...read, data: undefined, error: gone } as typeof read);
}

/**
 * That it is gone. It is asked for again, as when a tab is seen again or the stream refuses it too, and as long as nobody has
 * answered it stays gone: the page would wait again in between.
 */
function useGone(path: string | null, { error, isPending }: UseQueryResult<unknown, CallError>) {
  const [known, setKnown] = useState<{ readonly path: string | null; readonly error: CallError } | null>(
    null,
  );
  const gone =
    error?.status === 404 ? error : isPending && known !== null && known.path === path ? known.error : null;
  if (gone !== (known?.error ?? null)) setKnown(gone && { path, error: gone });
  return gone;
}

/** Takes in what the stream has sent. */
function takeIn(client: QueryClient, path: string, data: unknown): void {
  const query = { queryKey: keyOf(path), exact: true };
  client.setQueryData(query.queryKey, data);
  // A plain answer that is still on its way may be older, and would stay: the stream sends changes only.
  if (client.isFetching(query) > 0) void client.invalidateQueries(query);
}

export interface List<Row> {
  /** The same for as long as it is the same list, though its span moves on. */
  readonly key: string;
  readonly rows: readonly Row[];
  /** How many were read, whether they hold rows or not: a search may have gone far for none. */
  readonly pages: number;
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

/** A list that was scrolled further than this begins again when it is read again: nobody waits for a thousand pages. */
const FEW_PAGES = 5;

interface Pages {
  readonly pages: readonly unknown[];
  readonly pageParams: readonly unknown[];
}

const pagesOf = ({ state }: { state: { data: unknown } }): number =>
  (state.data as Partial<Pages> | undefined)?.pages?.length ?? 0;

const firstPage = (list: Pages | undefined): Pages | undefined =>
  list && { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) };

/**
 * A list that is read page by page as it is scrolled. With the word of a `span` it is one list for as long as that is the same,
 * and whenever it is read again it begins where the span does by then.
 */
export function useList<R extends ListRoute>(
  route: R,
  ...[given, { span } = {}]: Asked<R, never, { span?: string | undefined }>
): List<RowOf<R>> {
  type Page = ListPage<RowOf<R>>;
  const client = useQueryClient();
  const whole = pathOf(route, given ?? {});
  const [path = ''] = whole.split('?');
  const queryKey = [...keyOf(path), span === undefined ? whole : pathOf(route, { ...given, after: span })];
  const asked = {
    queryKey,
    queryFn: ({ pageParam }: { pageParam: string | null }) =>
      readPage(route, { limit: PAGE_SIZE, ...given, cursor: pageParam ?? undefined } as GivenTo<R>),
    initialPageParam: null,
    getNextPageParam: (page: Page) => page.next_cursor,
  };
  readAhead(client, queryKey, () => client.infiniteQuery(asked));
  const read = useInfiniteQuery<Page, CallError, { pages: Page[] }, string[], string | null>({
    ...asked,
    // Of the same list with other filters; never of another list.
    placeholderData: (data, before) => (before?.queryKey[1] === path ? data : undefined),
    refetchOnWindowFocus: query => pagesOf(query) <= FEW_PAGES,
  });
  const { data, error, isPlaceholderData: isOld } = read;
  const all = useMemo(() => data?.pages.flatMap(page => page.data) ?? [], [data]);
  const rows = useWithoutRemoved(path, all);
  return {
    key: queryKey.join('\n'),
    rows,
    pages: data?.pages.length ?? 0,
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

/**
 * All rows of a list that is short by its nature: sources, pipelines, destinations. `live` as above; `removed` with what is
 * shown as gone and can be taken back, for whoever names it.
 */
export function useAll<R extends ListRoute>(
  route: R,
  ...[given, { live = false, removed = false } = {}]: Asked<R, never, { live?: boolean; removed?: boolean }>
): UseQueryResult<RowOf<R>[], CallError> {
  const client = useQueryClient();
  const path = pathOf(route, given ?? {});
  const head = pathOf(route, { ...given, limit: PAGE_SIZE });
  useEffect(() => {
    if (!live) return;
    const readAgain = () => void client.invalidateQueries({ queryKey: keyOf(path), exact: true });
    return watch(head, {
      onAnswer(answer) {
        const { data, next_cursor } = answer as ListPage<RowOf<R>>;
        if (next_cursor === null) takeIn(client, path, data);
        else readAgain();
      },
      onRefused: readAgain,
    });
  }, [client, live, path, head]);
  const asked = {
    queryKey: keyOf(path),
    queryFn: async () => {
      const rows: RowOf<R>[] = [];
      let cursor: string | undefined;
      do {
        const page: ListPage<RowOf<R>> = await readPage(route, {
          ...given,
          limit: PAGE_SIZE,
          cursor,
        } as GivenTo<R>);
        rows.push(...page.data);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return rows;
    },
  };
  readAhead(client, asked.queryKey, () => client.query(asked));
  const read = useQuery<RowOf<R>[], CallError>(asked);
  const [list = ''] = path.split('?');
  const left = useWithoutRemoved(list, read.data);
  const data = removed ? read.data : left;
  return data === read.data ? read : ({ ...read, data } as typeof read);
}

/** A call that changes something. */
export const useChange = <R extends ChangeRoute>(
  route: R,
): UseMutationResult<DataOf<R>, CallError, GivenTo<R>> =>
  useChanges((given: GivenTo<R>) => call(route, given));

/** Runs a change, then reads everything again. */
export function useChanges<Data, Input = void>(
  change: (input: Input) => Promise<Data>,
): UseMutationResult<Data, CallError, Input> {
  const client = useQueryClient();
  return useMutation<Data, CallError, Input>({
    mutationFn: change,
    onSuccess() {
      const isLong = (read: { state: { data: unknown } }) => pagesOf(read) > FEW_PAGES;
      client.setQueriesData<Pages>({ queryKey: ['call'], predicate: isLong }, firstPage);
      return readAllAgain(client);
    },
  });
}
