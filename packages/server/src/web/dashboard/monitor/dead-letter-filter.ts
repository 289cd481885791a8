import type { deadLetterFilter } from '@sluice/contract/dashboard-deliveries';
import type { z } from 'zod';
import { toRfc3339 } from '../../../core/clock.ts';
import type { FailedEventFilter } from '../../../core/stores/dead-letters.ts';
import type { DeliveryFilter } from '../../../core/stores/deliveries.ts';

type GivenFilter = Omit<z.output<typeof deadLetterFilter>, 'kind'>;
type StoredFilter = Omit<DeliveryFilter, 'state'> & FailedEventFilter;

/** A filter as it was given, in the words of storage: deliveries die at their end, events fail when they come in. */
export const toStoredFilter = ({ after, before, ...rest }: GivenFilter): StoredFilter => ({
  ...rest,
  ...(after !== undefined && { endedAfter: after, receivedAfter: after }),
  ...(before !== undefined && { endedBefore: before, receivedBefore: before }),
});

/** The same filter as somebody would give it again. */
export function showStoredFilter(filter: StoredFilter) {
  const { endedAfter: after, endedBefore: before, receivedAfter: _a, receivedBefore: _b, ...rest } = filter;
  return {
    ...rest,
    ...(after !== undefined && { after: toRfc3339(after) }),
    ...(before !== undefined && { before: toRfc3339(before) }),
  };
}
