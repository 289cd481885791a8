import { useMemo } from 'react';
import { useFilters } from '../../app/use-filters.ts';

/** The last so many minutes, by the word that stands for it in the address. */
export const spans: Readonly<Record<string, { readonly label: string; readonly minutes: number }>> = {
  '15m': { label: 'Last 15 minutes', minutes: 15 },
  '1h': { label: 'Last hour', minutes: 60 },
  '24h': { label: 'Last day', minutes: 24 * 60 },
  '7d': { label: 'Last 7 days', minutes: 7 * 24 * 60 },
};

const names = [
  'state',
  'source',
  'type',
  'pipeline',
  'destination',
  'entity',
  'text',
  'after',
  'before',
] as const;

export type EventQuery = Readonly<Record<string, string>>;

/** What the server is asked for, as the address says it. */
export function useEventQuery(): EventQuery {
  const [filters] = useFilters();
  const { within } = filters;
  const since = useMemo(() => {
    const span = within === undefined ? undefined : spans[within];
    return span && new Date(Date.now() - span.minutes * 60_000).toISOString();
  }, [within]);
  const given = names.flatMap(name => {
    const value = name === 'after' ? (since ?? filters.after) : filters[name];
    return value ? [[name, value] as const] : [];
  });
  const asked = JSON.stringify(given);
  return useMemo(() => Object.fromEntries(JSON.parse(asked) as [string, string][]), [asked]);
}
