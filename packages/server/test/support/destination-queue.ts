import type {
  Probe,
  StoredBreaker,
  StoredDestination,
} from '../../src/core/stores/configuration/destinations.ts';
import type { ClaimedDelivery } from '../../src/core/stores/delivery-queue.ts';
import type { Claim, ClaimCheck } from '../../src/delivery/work/claim.ts';
import { createDestinationQueue, type DestinationQueue } from '../../src/delivery/work/destination-queue.ts';
import { aDestination } from '../contract/storage/delivery-samples.ts';

/** Queues of destinations with a clock of their own, and what they give back, hold and close. */

export const NOW = 1_000_000_000;
export const AT_ONCE = 4;
export const OUTPUT = '{"payload":{},"labels":{}}';
export const ORG = 'org_a';

export const share = { atOnce: AT_ONCE, inMemory: 16, bytes: 1 << 20 };

/** What a queue is told of its breaker in storage: just opened. */
export const openBreaker: StoredBreaker = {
  openedAt: NOW,
  nextProbeAt: NOW + 1_000,
  probeUntil: null,
  lastProbeAt: null,
  probeEndedAt: null,
  lastFailure: null,
};

type Policy = Partial<StoredDestination['policy']>;

export interface QueueSurroundings {
  readonly clock: { time: number; now(): number };
  readonly givenBack: readonly string[];
  readonly probesGivenBack: readonly Probe[];
  /** Bytes. */
  readonly held: number;
  readonly closed: number;
  queueOf(policy?: Policy, over?: Partial<StoredDestination>): DestinationQueue;
  offer(queue: DestinationQueue, ...ids: string[]): void;
  /** A queue in which so many wait: 1, 2, 3 … */
  filled(count: number, policy?: Policy): DestinationQueue;
}

export function queueSurroundings(): QueueSurroundings {
  const clock = { time: NOW, now: () => clock.time };
  const givenBack: string[] = [];
  const probesGivenBack: Probe[] = [];
  let held = 0;
  let closed = 0;

  function queueOf(policy: Policy = {}, over: Partial<StoredDestination> = {}): DestinationQueue {
    const sample = aDestination(ORG);
    const stored = { ...sample, ...over, policy: { ...sample.policy, timeout_s: 10, ...policy } };
    const destination = {
      readsTraits: false,
      send: () => Promise.reject(new Error('Nothing is sent here.')),
      close: async () => void closed++,
    };
    return createDestinationQueue(stored, destination, {
      clock,
      nodes: () => 1,
      meanBytes: 100,
      hold: bytes => {
        held += bytes;
      },
      giveBack: claims => void givenBack.push(...idsOf(claims)),
      giveBackProbe: probe => void probesGivenBack.push(probe),
      onError: error => {
        throw error;
      },
    });
  }

  const offer = (queue: DestinationQueue, ...ids: string[]): void =>
    queue.offer(ids.map(deliveryOf), {
      token: 'token',
      knownAt: clock.time,
    });

  return {
    clock,
    givenBack,
    probesGivenBack,
    get held() {
      return held;
    },
    get closed() {
      return closed;
    },
    queueOf,
    offer,
    filled(count, policy = {}) {
      const queue = queueOf(policy);
      offer(queue, ...Array.from({ length: count }, (_, n) => String(n + 1)));
      return queue;
    },
  };
}

export const idsOf = (claims: readonly Claim[]): string[] => claims.map(({ delivery }) => delivery.id);

export const deliveryOf = (id: string): ClaimedDelivery =>
  ({ id, orgId: ORG, output: OUTPUT }) as ClaimedDelivery;

export function nextClaim(queue: DestinationQueue): Claim {
  const next = queue.next(AT_ONCE);
  if (next === null || 'claims' in next) throw new Error('There is nothing to send.');
  return next;
}

export function nextCheck(queue: DestinationQueue): ClaimCheck {
  const next = queue.next(AT_ONCE);
  if (next === null || !('claims' in next)) throw new Error('There is nothing to check.');
  return next;
}

/** Begins the next one, which no rate keeps. */
export function begun(queue: DestinationQueue): Claim {
  const claim = nextClaim(queue);
  const waitMs = queue.begin(claim);
  if (waitMs !== 0) throw new Error(`It has to wait for ${waitMs} ms.`);
  return claim;
}
