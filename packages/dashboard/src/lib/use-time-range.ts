import { chartWindow } from '@sluice/contract/chart-window';
import { useMemo } from 'react';
import { spanNames, spans } from './spans.ts';
import { useFilters } from './use-filters.ts';

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
    const span = spanNames.find(name => name === within);
    return span && new Date(chartWindow(spans[span].minutes, Date.now()).from - 1).toISOString();
  }, [within]);
  return { after: since ?? after, before };
}
