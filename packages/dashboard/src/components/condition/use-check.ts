import { useDebouncedValue } from '@mantine/hooks';
import type { ConditionCheck } from '@sluice/contract/dashboard-pipelines';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../lib/api/call.ts';

/** Long enough that nobody is corrected in the middle of a word. */
const PAUSE_MS = 300;

/** What the server says of a text of CEL, a moment after it was last changed. Null while nothing is known. */
export function useCheck(what: 'condition' | 'expression', text: string): ConditionCheck | null {
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const { data } = useQuery<ConditionCheck>({
    queryKey: ['check', what, settled],
    queryFn: () => call('POST /conditions/check', { body: { [what]: settled } }),
    enabled: settled.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return text.trim() === '' || settled.trim() === '' ? null : (data ?? null);
}
