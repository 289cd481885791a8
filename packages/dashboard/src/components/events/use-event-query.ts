import { useMemo } from 'react';
import type { GivenTo } from '../../lib/api/path.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { useTimeRange } from '../../lib/use-time-range.ts';

const names = [
  'state',
  'outcome',
  'source',
  'type',
  'pipeline',
  'destination',
  'entity',
  'text',
  'after',
  'before',
] as const;

/** What an address holds may be no state and no time: that is for the server to refuse. */
export type EventQuery = NonNullable<GivenTo<'POST /replays'>['body']['filter']>;

/** What the server is asked for, as the address says it. */
export function useEventQuery(): EventQuery {
  const [filters] = useFilters();
  const times = useTimeRange();
  const given = names.flatMap(name => {
    const value = name === 'after' || name === 'before' ? times[name] : filters[name];
    return value ? [[name, value] as const] : [];
  });
  const asked = JSON.stringify(given);
  return useMemo((): EventQuery => Object.fromEntries(JSON.parse(asked) as [string, string][]), [asked]);
}
