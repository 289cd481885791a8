import type { Clock } from '../../core/clock.ts';
import { seconds } from '../../core/clock.ts';
import type { ClaimedDelivery, StoredBreaker, StoredDestination } from '../../core/stores/deliveries.ts';
import { createTokenBucket, type TokenBucket } from '../../core/work/token-bucket.ts';
import type { Breaker } from '../decide/breaker.ts';
import type { Destination } from '../destination.ts';

/**
 * What a worker keeps of one destination while it has something to send there: the deliveries it has claimed and
 * not sent yet, how many are on their way, and how many may be. A destination that hangs fills its own lane only.
 */
export interface Lane {
  readonly stored: StoredDestination;
  readonly destination: Destination;
  breaker: Breaker;
  readonly queue: Claim[];
  /** Begun and not finished. */
  sending: number;
  /** Of those, the ones that were answered: they are on their way no more, only their results are yet to be written. */
  answered: number;
  /** Its settings were changed: it ends with what is on its way, and a new lane takes over. */
  isRetired: boolean;
  /** The change of configuration up to which its settings are known to hold; it sends nothing while in doubt. */
  asOf: number;
  /** Deliveries that were finished since the last claim: a quick destination is claimed further ahead. */
  finishedSinceClaim: number;
  /** Whether more was waiting than there was room for. */
  hasMore: boolean;
  /** The size of what was claimed last, for each delivery. */
  meanBytes: number;
  /** The size of all that is claimed for it and not finished. */
  held: number;
  usedAt: number;
  readonly rate: TokenBucket;
  /** Storage is being asked which of its queue are still ours. */
  isChecking: boolean;
  /** Set while the rate makes it wait. */
  timer: ReturnType<typeof setTimeout> | null;
}

/** A claimed delivery, and until when it is ours. */
export interface Claim {
  readonly lane: Lane;
  readonly delivery: ClaimedDelivery;
  readonly token: string;
  readonly leaseUntil: number;
  /** When it was last known to be ours, and how many withdrawals had been heard of by then. */
  knownAt: number;
  withdrawals: number;
  isAnswered: boolean;
  /** Its place in the lane is free again. */
  isOver: boolean;
}

const MOST_AHEAD = 512;
/** What a rate lets out within this time may be claimed at once: more would outlive its lease in the queue. */
const RATE_AHEAD_MS = seconds(30);

/** How many more deliveries should be claimed for it now, when so many may be on their way at once. */
export function roomIn(lane: Lane, atOnce: number): number {
  const wanted = Math.max(atOnce * 2, lane.finishedSinceClaim * 2);
  const ahead = Math.min(MOST_AHEAD, wanted, lane.rate.within(RATE_AHEAD_MS));
  const room = ahead - lane.queue.length - (lane.sending - lane.answered);
  // A little room is not worth a claim of its own while there is something left to send.
  return room < ahead / 4 && lane.queue.length > 0 ? 0 : Math.max(0, room);
}

/**
 * Whether another may go out, when so many may be on their way at once. As many again may wait to be written down: not
 * more, since they would be sent again if this process ended here.
 */
export const mayGoOut = ({ sending, answered }: Lane, atOnce: number): boolean =>
  sending - answered < atOnce && answered < atOnce;

export function openLane(
  stored: StoredDestination,
  destination: Destination,
  options: { readonly clock: Clock; readonly nodes: () => number; asOf: number; meanBytes: number },
): Lane {
  const { clock, nodes } = options;
  const perSecond = stored.policy.rate_per_second;
  return {
    stored,
    destination,
    breaker: toBreaker(stored.breaker),
    queue: [],
    sending: 0,
    answered: 0,
    isRetired: false,
    asOf: options.asOf,
    finishedSinceClaim: 0,
    hasMore: true,
    meanBytes: options.meanBytes,
    held: 0,
    usedAt: options.clock.now(),
    rate: createTokenBucket({ perSecond, capacity: perSecond, clock, nodes }),
    isChecking: false,
    timer: null,
  };
}

/** Whether what a lane was opened with still holds. */
export const stillHolds = ({ stored }: Lane, fresh: StoredDestination | null): boolean =>
  fresh !== null &&
  !fresh.paused &&
  fresh.config === stored.config &&
  JSON.stringify(fresh.policy) === JSON.stringify(stored.policy);

const toBreaker = ({ failuresInARow, openedAt, nextProbeAt }: StoredBreaker): Breaker =>
  openedAt === null || nextProbeAt === null
    ? { state: 'closed', failuresInARow }
    : { state: 'open', openedAt, nextProbeAt };

export const toStoredBreaker = (breaker: Breaker): StoredBreaker =>
  breaker.state === 'closed'
    ? { failuresInARow: breaker.failuresInARow, openedAt: null, nextProbeAt: null }
    : { failuresInARow: 0, openedAt: breaker.openedAt, nextProbeAt: breaker.nextProbeAt };
