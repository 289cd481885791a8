import type { EventRow } from '@sluice/contract/dashboard-events';
import { useEffect, useRef } from 'react';
import { withQuery } from '../../api/call.ts';
import { type List, PAGE_SIZE, useCall } from '../../api/use-call.ts';
import type { EventQuery } from './use-event-query.ts';

/** So few that following them costs next to nothing. */
const FOLLOWED = 20;

/**
 * Follows the head of the list. While nobody would be disturbed the list turns by itself; otherwise this answers
 * whether there is something newer to show. A search by text takes too long to be made again and again.
 */
export function useNewer(query: EventQuery, list: List<EventRow>, mayTurn: boolean): boolean {
  const path = query.text === undefined ? withQuery('/events', { ...query, limit: FOLLOWED }) : null;
  const head = useCall<EventRow[]>(path, { live: true });
  const { rows, refresh } = list;
  const isShort = rows.length <= PAGE_SIZE;
  const newest = path === null || head.isPlaceholderData ? [] : (head.data ?? []);
  const differs = newest.some(({ id, state }, i) => rows[i]?.id !== id || rows[i]?.state !== state);
  const isTurning = differs && mayTurn && isShort && !list.isLoading;

  const turn = useRef(refresh);
  turn.current = refresh;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new head is looked at once
  useEffect(() => {
    if (isTurning) turn.current();
  }, [isTurning, head.data]);

  return differs && !isTurning && rows[0]?.id !== newest[0]?.id;
}
