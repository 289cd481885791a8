import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { StateBadge } from '../state-badge.tsx';
import { useIsDiscarded } from './use-is-discarded.ts';

/** The state of a delivery; what was discarded a moment ago is shown as such at once, on every page. */
export function DeliveryState({ delivery }: { delivery: DeliveryRecord }) {
  const isDiscarded = useIsDiscarded(delivery);
  return <StateBadge state={isDiscarded ? 'cancelled' : delivery.state} />;
}
