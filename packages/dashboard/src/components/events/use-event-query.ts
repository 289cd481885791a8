import type { GivenTo } from '../../lib/api/path.ts';
import { useNarrowing } from '../../lib/use-narrowing.ts';

const filterNames = [
  'state',
  'outcome',
  'source',
  'type',
  'pipeline',
  'destination',
  'entity',
  'text',
] as const;
const names = [...filterNames, 'after', 'before'] as const;

/** What an address holds may be no state and no time: that is for the server to refuse. */
export type EventQuery = NonNullable<GivenTo<'POST /replays'>['body']['filter']>;

/** What the server is asked for, as the address says it. */
export function useEventQuery(): EventQuery {
  return useNarrowing(names) as EventQuery;
}

/** A tail has no past: the times of a list's filters do not count here. */
export function useTailQuery(): EventQuery {
  return useNarrowing(filterNames) as EventQuery;
}
