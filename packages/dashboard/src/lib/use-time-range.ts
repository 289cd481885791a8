import { chartWindow } from '@sluice/contract/chart-window';
import { useSyncExternalStore } from 'react';
import { type SpanName, spanNames, spans } from './spans.ts';
import { useFilters } from './use-filters.ts';

interface TimeRange {
  readonly after: string | undefined;
  readonly before: string | undefined;
  /** The span that ends now and moves on with it; undefined between two moments. */
  readonly span: SpanName | undefined;
}

/**
 * From when to when a list goes, as the address says it: a span that ends now, or two moments. A span begins where a
 * chart of it does, so that a list has as many as the figure that leads to it, and moves on with the steps of that chart,
 * so that whatever is asked for or done is of the span as it is by then.
 */
export function useTimeRange(): TimeRange {
  const [{ within, after, before }] = useFilters();
  const span = spanNames.find(name => name === within);
  const start = useSyncExternalStore(span ? watchClock : watchNothing, () =>
    span ? startOf(span, Date.now()) : null,
  );
  return { after: start === null ? after : new Date(start).toISOString(), before, span };
}

/** The last moment that a span does not hold. */
export const startOf = (span: SpanName, now: number): number =>
  chartWindow(spans[span].minutes, now).from - 1;

const watchNothing = () => () => undefined;

/** A hidden tab asks for nothing; it looks again once it is shown. */
function watchClock(look: () => void): () => void {
  const lookIfShown = () => {
    if (!document.hidden) look();
  };
  const timer = setInterval(lookIfShown, 1_000);
  document.addEventListener('visibilitychange', lookIfShown);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', lookIfShown);
  };
}

/** The same for as long as a list is the same one, though its span moves on. */
export const keyOfList = (query: object, span: SpanName | undefined): string =>
  JSON.stringify(span === undefined ? query : { ...query, after: span });
