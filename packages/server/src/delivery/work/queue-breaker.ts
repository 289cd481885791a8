import { type Clock, seconds } from '../../core/clock.ts';
import type { Probe, ProbeEnd, StoredBreaker } from '../../core/stores/configuration/destinations.ts';
import {
  afterAttempt,
  type Breaker,
  closedBreaker,
  fromStoredBreaker,
  PROBE_EVERY_MS,
  probeMoment,
} from '../decide/breaker.ts';

/**
 * The breaker as the queue of a destination has it: the failures that this node has counted, a copy of what storage
 * says while it is open, and the probe that was taken and has no delivery yet.
 */
interface QueueBreaker {
  readonly downSince: number | null;
  /** The probe that is waiting for its delivery. */
  readonly probe: Probe | null;
  /** Whether it waits for what only storage knows, and has not asked for a while. */
  readonly isStale: boolean;
  /** When the next probe is due, where the first of what waits is due then; never, while it is closed. */
  nextProbeAt(firstDueAt: number): number;
  /** Whether that may be by now. */
  wantsProbe(firstDueAt: number): boolean;
  beginProbe(probe: Probe): void;
  /** Hands the probe over to its delivery, or gives it back. */
  takeProbe(): Probe | null;
  probeFailed(end: Extract<ProbeEnd, { kind: 'failed' }>): void;
  note(wasDelivered: boolean): BreakerChange;
  /** What storage says: it knows what other nodes have found out. */
  adopt(stored: StoredBreaker | null): BreakerChange;
}

/** Nobody announces that a probe has ended, or that the node which had it is dead. */
const READ_AGAIN_MS = seconds(5);

export type BreakerChange = 'opened' | 'closed' | null;

export function createQueueBreaker(stored: StoredBreaker | null, clock: Clock): QueueBreaker {
  let breaker = fromStoredBreaker(stored);
  let probe: Probe | null = null;
  let copiedAt = clock.now();

  function become(next: Breaker): BreakerChange {
    const before = breaker.state;
    breaker = next;
    if (breaker.state === before) return null;
    return breaker.state === 'open' ? 'opened' : 'closed';
  }

  return {
    get downSince() {
      return breaker.state === 'open' ? breaker.openedAt : null;
    },
    get probe() {
      return probe;
    },
    get isStale() {
      if (breaker.state === 'closed' || probe !== null) return false;
      const now = clock.now();
      // One that is far off was asked for, or put there by a clock that has been set right since.
      const waitsForOthers = (breaker.probeUntil ?? 0) > now || breaker.nextProbeAt > now + PROBE_EVERY_MS;
      return waitsForOthers && now - copiedAt >= READ_AGAIN_MS;
    },
    nextProbeAt: firstDueAt =>
      breaker.state === 'open'
        ? Math.max(probeMoment(breaker, firstDueAt), breaker.probeUntil ?? 0)
        : Number.POSITIVE_INFINITY,
    wantsProbe(firstDueAt) {
      if (breaker.state === 'closed') return false;
      const now = clock.now();
      return probeMoment(breaker, firstDueAt) <= now && (breaker.probeUntil ?? 0) <= now;
    },
    beginProbe(taken) {
      probe = taken;
    },
    takeProbe() {
      const taken = probe;
      probe = null;
      return taken;
    },
    probeFailed({ endedAt, nextProbeAt }) {
      if (breaker.state === 'closed') return;
      breaker = { ...breaker, nextProbeAt, probeUntil: null, probeEndedAt: endedAt };
    },
    note: wasDelivered => become(afterAttempt(breaker, wasDelivered, clock.now())),
    adopt(fresh) {
      copiedAt = clock.now();
      // While it is closed, the failures that were counted here stand.
      if (fresh === null) return breaker.state === 'open' ? become(closedBreaker) : null;
      return become(fromStoredBreaker(fresh));
    },
  };
}
