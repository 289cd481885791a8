import type { EventSummary } from '@sluice/contract/dashboard-events';
import { useEffect, useReducer, useRef, useState } from 'react';
import type { EventQuery } from '../../components/events/use-event-query.ts';
import { CallError, readPage } from '../../lib/api/call.ts';
import { followEvents } from '../../lib/api/tail.ts';
import { emptyTail, goOn, type Tail, takeIn } from './tail.ts';

const SHOWN_AT_FIRST = 50;

interface FollowedTail extends Tail {
  readonly isConnected: boolean;
  /** The first look back is over. */
  readonly hasBegun: boolean;
  readonly error: CallError | null;
  beginAgain(): void;
}

/** The last few events that match, and from then on whatever comes. */
export function useTail(query: EventQuery, isPaused: boolean): FollowedTail {
  const [tail, setTail] = useState(emptyTail);
  const [isConnected, setIsConnected] = useState(true);
  const [hasBegun, setHasBegun] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const [beginnings, beginAgain] = useReducer((count: number) => count + 1, 0);
  const paused = useRef(isPaused);

  useEffect(() => {
    paused.current = isPaused;
    if (!isPaused) setTail(goOn);
  }, [isPaused]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each beginning reads again
  useEffect(() => {
    let stop: (() => void) | undefined;
    let isOver = false;
    setTail(emptyTail);
    setHasBegun(false);
    setError(null);
    void (async () => {
      const rows = await readRecent(query).catch((problem: unknown) => {
        if (!isOver) setError(problem instanceof CallError ? problem : null);
        return null;
      });
      if (isOver) return;
      setHasBegun(true);
      // A filter that the server refuses would be refused again and again: whoever looks says when to try.
      if (rows === null) return;
      setTail(takeIn(emptyTail, { rows, skipped: 0 }, false));
      stop = followEvents(query, rows[0]?.id ?? null, {
        onNews: news => setTail(before => takeIn(before, news, paused.current)),
        onConnected: setIsConnected,
      });
    })();
    return () => {
      isOver = true;
      stop?.();
    };
  }, [query, beginnings]);

  return { ...tail, isConnected, hasBegun, error, beginAgain };
}

const readRecent = async (query: EventQuery): Promise<EventSummary[]> =>
  (await readPage('GET /events', { ...query, limit: SHOWN_AT_FIRST })).data;
