import { Tooltip } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { formatTime } from '../../lib/time-display.ts';
import { DueTime } from '../relative-time.tsx';

/** What the next attempt of a delivery waits for: a moment, its destination, or nothing that is known. */
export function nextAttemptOf(
  delivery: Pick<DeliveryRecord, 'state' | 'next_attempt_at' | 'outage'>,
): { readonly at: string } | { readonly downSince: string } | null {
  const { state, next_attempt_at, outage } = delivery;
  if (next_attempt_at === null || state === 'held') return null;
  // Its time says nothing then: it stays where it is for as long as the destination is down.
  return outage === null ? { at: next_attempt_at } : { downSince: outage.down_since };
}

export function NextAttempt({ next }: { next: NonNullable<ReturnType<typeof nextAttemptOf>> }) {
  if ('at' in next) return <DueTime at={next.at} />;
  return (
    <Tooltip label={`The destination has been down since ${formatTime(new Date(next.downSince))}`}>
      <span>on recovery</span>
    </Tooltip>
  );
}
