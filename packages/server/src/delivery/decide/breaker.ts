import { seconds } from '../../core/clock.ts';
import type { StoredBreaker } from '../../core/stores/configuration/destinations.ts';

/**
 * The breaker of one destination. Closed, it counts failures in a row; at fifty it opens, and from then on the
 * destination's deliveries wait without spending attempts, while one of them goes out every thirty seconds to see
 * whether it is back. Any success closes it, also that of an attempt which began before it opened.
 *
 * A probe that never reports (its worker died) holds nothing up: the next one is due thirty seconds after it
 * left, not after it came back.
 */
export type Breaker =
  | { readonly state: 'closed'; readonly failuresInARow: number }
  | { readonly state: 'open'; readonly openedAt: number; readonly nextProbeAt: number };

export const closedBreaker: Breaker = { state: 'closed', failuresInARow: 0 };

export const FAILURES_TO_OPEN = 50;
export const PROBE_EVERY_MS = seconds(30);

export function afterAttempt(breaker: Breaker, wasDelivered: boolean, now: number): Breaker {
  if (wasDelivered) return closedBreaker;
  if (breaker.state === 'open') return breaker;
  const failuresInARow = breaker.failuresInARow + 1;
  return failuresInARow < FAILURES_TO_OPEN
    ? { state: 'closed', failuresInARow }
    : { state: 'open', openedAt: now, nextProbeAt: now + PROBE_EVERY_MS };
}

/** Whether a delivery may go out now, as one of many or as the probe; and the breaker as it is then. */
type Permit =
  | { readonly kind: 'go' | 'probe'; readonly breaker: Breaker }
  | { readonly kind: 'wait'; readonly breaker: Breaker; readonly until: number };

export function askBreaker(breaker: Breaker, now: number): Permit {
  if (breaker.state === 'closed') return { kind: 'go', breaker };
  // A clock that went back must not silence the probes for as long as it went back.
  const nextProbeAt = Math.min(breaker.nextProbeAt, now + PROBE_EVERY_MS);
  if (now < nextProbeAt) return { kind: 'wait', breaker: { ...breaker, nextProbeAt }, until: nextProbeAt };
  return { kind: 'probe', breaker: { ...breaker, nextProbeAt: now + PROBE_EVERY_MS } };
}

export const fromStoredBreaker = ({ failuresInARow, openedAt, nextProbeAt }: StoredBreaker): Breaker =>
  openedAt === null || nextProbeAt === null
    ? { state: 'closed', failuresInARow }
    : { state: 'open', openedAt, nextProbeAt };

export const toStoredBreaker = (breaker: Breaker): StoredBreaker =>
  breaker.state === 'closed'
    ? { failuresInARow: breaker.failuresInARow, openedAt: null, nextProbeAt: null }
    : { failuresInARow: 0, openedAt: breaker.openedAt, nextProbeAt: breaker.nextProbeAt };
