import { minutes } from '../../core/clock.ts';
import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { WaitingDelivery } from '../../core/stores/delivery-queue.ts';
import { longestWait } from './decide.ts';
import { policyFor } from './policy.ts';

/**
 * What an outage ends. A delivery that waits for a destination which is down is given up only when its own schedule
 * would have ended, the destination has been down for a quarter of an hour, and a probe that left after both has
 * failed. So a short outage ends nothing, and nothing ends that was not found to be hopeless at that very time.
 */
const LEAST_OUTAGE_MS = minutes(15);

type Down = Pick<StoredDestination, 'policy' | 'formerPolicies' | 'breaker'>;

/** Whether a probe has failed after the destination was down for long enough to end anything. */
export const mayGiveUp = ({ breaker }: Pick<Down, 'breaker'>): boolean =>
  breaker !== null &&
  breaker.lastProbeAt !== null &&
  breaker.lastProbeAt > breaker.openedAt + LEAST_OUTAGE_MS;

export function isGivenUp(delivery: WaitingDelivery, destination: Down): boolean {
  const { breaker } = destination;
  if (!mayGiveUp(destination) || breaker?.lastProbeAt == null) return false;
  return breaker.lastProbeAt > endOfSchedule(delivery, destination, breaker.openedAt);
}

/** When the last of its attempts would have been answered, had the destination not been down. */
function endOfSchedule(delivery: WaitingDelivery, destination: Down, openedAt: number): number {
  const policy = policyFor(destination, delivery);
  // What was due before the destination went down has waited in a backlog, not for it.
  return Math.max(delivery.waitingFrom, openedAt) + longestWait(policy, delivery.attemptsMade);
}
