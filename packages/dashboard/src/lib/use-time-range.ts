import { chartWindow } from '@sluice/contract/chart-window';
import { useMemo } from 'react';
import { useFilters } from './use-filters.ts';

/** The last so many minutes, by the word that stands for it in the address. */
export const spans: Readonly<Record<string, { readonly label: string; readonly minutes: number }>> = {
  '15m': { label: 'Last 15 minutes', minutes: 15 },
  '1h': { label: 'Last hour', minutes: 60 },
  '24h': { label: 'Last 24 hours', minutes: 24 * 60 },
  '7d': { label: 'Last 7 days', minutes: 7 * 24 * 60 },
  '30d': { label: 'Last 30 days', minutes: 30 * 24 * 60 },
};

interface Times {
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/**
 * From when to when a list goes, as the address says it: a span that ends now, or two moments. A span begins where a
 * chart of it does, so that a list has as many as the figure that leads to it.
 */
export function useTimeRange(): Times {
  const [{ within, after, before }] = useFilters();
  const since = useMemo(() => {
    const span = within === undefined ? undefined : spans[within];
    return span && new Date(chartWindow(span.minutes, Date.now()).from - 1).toISOString();
  }, [within]);
  return { after: since ?? after, before };
}
