import { useMemo } from 'react';
import { useFilters } from '../../lib/use-filters.ts';
import { useTimeRange } from '../../lib/use-time-range.ts';

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
  const times = useTimeRange();
  const given = names.flatMap(name => {
    const value = name === 'after' || name === 'before' ? times[name] : filters[name];
    return value ? [[name, value] as const] : [];
  });
  const asked = JSON.stringify(given);
  return useMemo(() => Object.fromEntries(JSON.parse(asked) as [string, string][]), [asked]);
}
