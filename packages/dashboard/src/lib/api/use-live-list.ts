import type { ListRoute, RowOf } from '@sluice/contract/private-calls';
import { useEffect, useRef } from 'react';
import { useWithoutRemoved } from '../undo/use-removals.tsx';
import { type GivenTo, pathOf } from './path.ts';
import { type List, useCall } from './use-call.ts';
import { useMovedOn } from './use-moved-on.ts';

/** So few that following them costs next to nothing. */
const FOLLOWED = 20;

/**
 * Follows the head of a list, and its span, so that the list refreshes itself until somebody has scrolled on to its second page.
 * `traceOf` says of a row what would make it another: its id, and what of it may change.
 */
export function useLiveList<R extends ListRoute>(
  list: List<RowOf<R>>,
  route: R,
  given: GivenTo<R>,
  traceOf: (row: RowOf<R>) => string,
): void {
  const isShort = list.pages <= 1 && !list.isLoading && !list.isOld;
  const followed = isShort ? { ...given, limit: FOLLOWED } : null;
  const { data } = useCall(route, followed, { live: true });
  const [path = ''] = pathOf(route, given).split('?');
  const head = useWithoutRemoved(path, data as RowOf<R>[] | undefined);
  const shown = list.rows.slice(0, FOLLOWED).map(traceOf).join('\n');
  const isOld = head !== undefined && head.map(traceOf).join('\n') !== shown;

  const turn = useRef(list.refresh);
  turn.current = list.refresh;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new head is looked at once
  useEffect(() => {
    if (isOld) turn.current();
  }, [isOld, head]);
  useMovedOn(list.key, (given as { readonly after?: string }).after, () => {
    if (isShort) list.refresh();
  });
}
