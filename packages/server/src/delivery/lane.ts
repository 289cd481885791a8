import type { DeliveryPolicy } from '@sluice/contract/dashboard-deliveries';
import type { Clock } from '../core/clock.ts';
import type { ClaimedDelivery, StoredBreaker, StoredDestination } from '../core/ports-delivery.ts';
import type { Breaker } from './breaker.ts';
import type { Destination } from './destination.ts';

/**
 * What a worker keeps of one destination while it has something to send there: the deliveries it has claimed and
 * not sent yet, how many are on their way, and how many may be. A destination that hangs fills its own lane only.
 */
export interface Lane {
  readonly orgId: string;
  readonly id: string;
  readonly policy: DeliveryPolicy;
  readonly destination: Destination;
  breaker: Breaker;
  readonly queue: Claim[];
  sending: number;
  /** Its settings were changed: it ends with what is on its way, and a new lane takes over. */
  isRetired: boolean;
  /** Deliveries that were finished since the last claim: a quick destination is claimed further ahead. */
  finishedSinceClaim: number;
  readonly rate: Rate;
}

/** A claimed delivery, and until when it is ours. */
export interface Claim {
  readonly delivery: ClaimedDelivery;
  readonly token: string;
  readonly leaseUntil: number;
}

const MOST_AHEAD = 512;

/** How many more deliveries should be claimed for it now. */
export function roomIn(lane: Lane): number {
  const { concurrency } = lane.policy;
  const ahead = Math.min(MOST_AHEAD, Math.max(concurrency * 2, lane.finishedSinceClaim * 2));
  const room = ahead - lane.queue.length - lane.sending;
  // A little room is not worth a claim of its own while there is something left to send.
  return room < ahead / 4 && lane.queue.length > 0 ? 0 : Math.max(0, room);
}

export function openLane(
  stored: StoredDestination,
  destination: Destination,
  options: { clock: Clock; nodes: () => number },
): Lane {
  const { orgId, id, policy } = stored;
  return {
    orgId,
    id,
    policy,
    destination,
    breaker: toBreaker(stored.breaker),
    queue: [],
    sending: 0,
    isRetired: false,
    finishedSinceClaim: 0,
    rate: createRate(policy.rate_per_second, options),
  };
}

const toBreaker = ({ failuresInARow, openedAt, nextProbeAt }: StoredBreaker): Breaker =>
  openedAt === null || nextProbeAt === null
    ? { state: 'closed', failuresInARow }
    : { state: 'open', openedAt, nextProbeAt };

export const toStoredBreaker = (breaker: Breaker): StoredBreaker =>
  breaker.state === 'closed'
    ? { failuresInARow: breaker.failuresInARow, openedAt: null, nextProbeAt: null }
    : { failuresInARow: 0, openedAt: breaker.openedAt, nextProbeAt: breaker.nextProbeAt };

/** A token bucket: one second's worth may go out at once. */
export interface Rate {
  /** 0: go on, a token is spent. Otherwise the milliseconds until there is one. */
  spend(): number;
}

function createRate(perSecond: number, { clock, nodes }: { clock: Clock; nodes: () => number }): Rate {
  if (perSecond === 0) return { spend: () => 0 };
  let tokens = Math.max(1, perSecond);
  let at = clock.now();
  return {
    spend() {
      const share = perSecond / nodes();
      const now = clock.now();
      tokens = Math.min(Math.max(1, share), tokens + (Math.max(0, now - at) / 1_000) * share);
      at = now;
      if (tokens < 1) return Math.ceil(((1 - tokens) / share) * 1_000);
      tokens -= 1;
      return 0;
    },
  };
}
