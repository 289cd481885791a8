import type { deadLetterFilter } from '@sluice/contract/dashboard-deliveries';
import type { z } from 'zod';
import { toRfc3339 } from '../../../core/clock.ts';
import type { DeadLetterSelection } from '../../../core/jobs/dead-letters.ts';

type GivenFilter = z.output<typeof deadLetterFilter>;

/** A filter as it was given, in the words of storage. */
export const toSelection = (
  { after, before, ...rest }: GivenFilter,
  only: Pick<DeadLetterSelection['filter'], 'ids' | 'endedBy'> = {},
): DeadLetterSelection => ({
  filter: {
    ...rest,
    ...only,
    ...(after !== undefined && { madeAfter: after, receivedAfter: after }),
    ...(before !== undefined && { madeBefore: before, receivedBefore: before }),
  },
  // A delivery has left its pipeline, so none of its steps failed.
  deliveries: rest.kind !== 'event' && rest.step === undefined && rest.reason === undefined,
  // An event that failed in its pipeline was going to no destination, and has no failure code.
  events:
    rest.kind !== 'delivery' &&
    rest.destination === undefined &&
    rest.code === undefined &&
    rest.status === undefined,
});

/** The same filter as somebody would give it again. */
export function showSelection({ filter }: DeadLetterSelection) {
  const { madeAfter: after, madeBefore: before, receivedAfter: _a, receivedBefore: _b, ...all } = filter;
  const { ids: _ids, endedBy: _endedBy, status, step, ...rest } = all;
  return {
    ...rest,
    ...(status !== undefined && { status: status ?? 'none' }),
    ...(step !== undefined && { step: step ?? 'none' }),
    ...(after !== undefined && { after: toRfc3339(after) }),
    ...(before !== undefined && { before: toRfc3339(before) }),
  };
}
