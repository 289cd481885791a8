import type { DeadLetter, DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { usePendingRemovals } from '../../lib/undo/use-removals.tsx';

/** Whether a dead delivery is shown as discarded, by itself or with others. */
export function useIsDiscarded(delivery: DeliveryRecord | undefined): boolean {
  const pending = usePendingRemovals();
  if (delivery?.state !== 'dead') return false;
  const status = delivery.attempts.at(-1)?.status ?? null;
  const letter: DeadLetter = { ...delivery, kind: 'delivery', status, reason: null };
  return pending.some(removal => removal.hides('/dead-letters', letter));
}
