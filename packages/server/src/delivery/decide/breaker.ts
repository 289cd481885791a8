import { seconds } from '../../core/clock.ts';
import type { StoredBreaker } from '../../core/stores/configuration/destinations.ts';

/**
 * The breaker of one destination. Closed, it counts failures in a row; at fifty it opens, and from then on the
 * destination's deliveries wait without spending attempts, while one of them after the other goes out to see whether
 * it is back: 1, 2, 4, 8, 16 and then every 30 seconds after it opened. Any success closes it, also that of an attempt
 * which began before it opened.
 *
 * Failures are counted by each node for itself. That it is open, and who has the probe, stands in storage, where nodes
 * agree on it; what a queue has of it is a copy.
 */
export type Breaker =
  | { readonly state: 'closed'; readonly failuresInARow: number }
  | ({ readonly state: 'open' } & Pick<
      StoredBreaker,
      'openedAt' | 'nextProbeAt' | 'probeUntil' | 'probeEndedAt'
    >);

export const closedBreaker: Breaker = { state: 'closed', failuresInARow: 0 };

export const FAILURES_TO_OPEN = 50;
const FIRST_PROBES_MS = [1, 2, 4, 8, 16].map(seconds);
export const PROBE_EVERY_MS = seconds(30);

export function afterAttempt(breaker: Breaker, wasDelivered: boolean, now: number): Breaker {
  if (wasDelivered) return closedBreaker;
  if (breaker.state === 'open') return breaker;
  const failuresInARow = breaker.failuresInARow + 1;
  return failuresInARow < FAILURES_TO_OPEN
    ? { state: 'closed', failuresInARow }
    : {
        state: 'open',
        openedAt: now,
        nextProbeAt: nextProbeAfter(now, now),
        probeUntil: null,
        probeEndedAt: null,
      };
}

/** The first moment for a probe after this one. Those that passed while one was under way are left out. */
export function nextProbeAfter(openedAt: number, now: number): number {
  // The clock may have gone back since.
  const elapsed = Math.max(0, now - openedAt);
  const first = FIRST_PROBES_MS.find(moment => moment > elapsed);
  return now - elapsed + (first ?? PROBE_EVERY_MS * (Math.floor(elapsed / PROBE_EVERY_MS) + 1));
}

/**
 * When the next probe leaves, where what waits is due first at that time: at its moment; or as soon as that is due,
 * where nothing has waited since the last probe was answered.
 */
export const probeMoment = (
  { openedAt, nextProbeAt, probeEndedAt }: Pick<StoredBreaker, 'openedAt' | 'nextProbeAt' | 'probeEndedAt'>,
  firstDueAt: number,
): number => (firstDueAt > (probeEndedAt ?? openedAt) ? firstDueAt : nextProbeAt);

export const fromStoredBreaker = (stored: StoredBreaker | null): Breaker =>
  stored === null
    ? closedBreaker
    : {
        state: 'open',
        openedAt: stored.openedAt,
        nextProbeAt: stored.nextProbeAt,
        probeUntil: stored.probeUntil,
        probeEndedAt: stored.probeEndedAt,
      };
