import type { DeadLetter, DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { usePendingRemovals } from '../../lib/undo/use-removals.tsx';

/** A dead delivery as the list of dead letters has it. */
export const letterOf = (delivery: DeliveryRecord): DeadLetter => ({
  ...delivery,
  kind: 'delivery',
  reason: null,
});

/** Whether a dead delivery is shown as discarded, by itself or with others. */
export function useIsDiscarded(delivery: DeliveryRecord | undefined): boolean {
  const pending = usePendingRemovals();
  if (delivery?.state !== 'dead') return false;
  const letter = letterOf(delivery);
  return pending.some(removal => removal.hides('/dead-letters', letter));
}
