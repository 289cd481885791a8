import type { EventHistogram, EventSummary } from '@sluice/contract/dashboard-events';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { useEffect, useRef } from 'react';
import type { EventQuery } from '../../../components/events/use-event-query.ts';
import { type List, useCall } from '../../../lib/api/use-call.ts';

/** What comes in one after the other is counted again no more often than this, and what ran out of time after it. */
const COUNTED_AGAIN_AFTER_MS = 3_000;

/** How many events match and when they came in. Counted again when the list begins with another one. */
export function useHistogram(
  query: EventQuery,
  /** The same for the same question, though the span that it is about moves on. */
  asked: string,
  list: Pick<List<EventSummary>, 'rows' | 'isLoading'>,
): { histogram: EventHistogram | undefined; isOld: boolean } {
  const { data, isPlaceholderData, refetch } = useCall('GET /events/histogram', query as object, {
    keep: true,
  });
  const newest = list.isLoading ? null : (list.rows[0]?.id ?? '');
  const countAgain = useRef(refetch);
  countAgain.current = refetch;
  const seen = useRef(newest);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  useEffect(() => {
    // What the list shows first was counted with it.
    const isFirst = seen.current === null;
    const isSame = seen.current === newest;
    seen.current = newest;
    if (isFirst || isSame || timer.current !== null) return;
    timer.current = setTimeout(() => {
      timer.current = null;
      void countAgain.current();
    }, COUNTED_AGAIN_AFTER_MS);
  }, [newest]);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );

  // What ran out of time may have met a busy moment: it is counted once more.
  const triedFor = useRef<string | null>(null);
  const ranOut =
    !isPlaceholderData && data !== undefined && data.counted_from !== null && data.total.count < MOST_COUNTED;
  useEffect(() => {
    if (!ranOut || triedFor.current === asked) return;
    const again = setTimeout(() => {
      triedFor.current = asked;
      void countAgain.current();
    }, COUNTED_AGAIN_AFTER_MS);
    return () => clearTimeout(again);
  }, [ranOut, asked]);

  return { histogram: data, isOld: isPlaceholderData };
}
