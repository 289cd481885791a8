import type { DestinationQueue } from './destination-queue.ts';
import type { Share } from './share.ts';

/** The most that is sent at once, all destinations together, as far as fairness allows to say no. */
const MOST_AT_ONCE = 2_000;
/** What nobody is denied, however many others there are. */
const LEAST_AT_ONCE = 4;
/** The most that waits in memory, since it was handed over there. */
const MOST_IN_MEMORY = 32_768;
const LEAST_IN_MEMORY = 64;
/** Of all that is claimed, by its size, since it is in memory until it is over. Beyond it each has one at a time. */
const MOST_BYTES = 128 * 1024 * 1024;
const LEAST_BYTES = 256 * 1024;
const HANDED_OVER_PART = 3 / 4;

/** The queue that has a share, as far as that hangs on it. */
type Sharer = Pick<DestinationQueue, 'stored' | 'bytes'>;

/**
 * What destinations have a share of. Organisations share what there is, and within each its destinations do. A share is
 * always reckoned as if one more were about to come, so that whoever comes next finds room although everybody else
 * hangs, however large their deliveries are.
 */
export interface Shares {
  opened(queue: Sharer): void;
  closed(queue: Sharer): void;
  /** How many may be under way there at once: as many as it takes, within its share. */
  atOnce(queue: Sharer): number;
  /** Its share, when so many bytes were promised to others; there are not always any left. */
  of(queue: Sharer, promised: number): Share;
  /** What is handed over has a part of that, and leaves the rest to what waits in storage. */
  ofHandedOver(queue: Sharer): Share;
  /** So many bytes more, or fewer, are held by one of them. */
  hold(bytes: number): void;
}

export function createShares(): Shares {
  const queuesOf = new Map<string, number>();
  let held = 0;

  function count({ stored: { orgId } }: Sharer, more: 1 | -1): void {
    const queues = (queuesOf.get(orgId) ?? 0) + more;
    if (queues > 0) queuesOf.set(orgId, queues);
    else queuesOf.delete(orgId);
  }

  function shareOf(most: number, least: number, { stored: { orgId } }: Sharer): number {
    const ofOrganisation = most / (queuesOf.size + 1);
    return Math.max(least, Math.floor(ofOrganisation / ((queuesOf.get(orgId) ?? 0) + 1)));
  }

  const atOnce = (queue: Sharer) =>
    Math.min(queue.stored.policy.concurrency, shareOf(MOST_AT_ONCE, LEAST_AT_ONCE, queue));

  const shareIn = (queue: Sharer, promised: number, part = 1): Share => ({
    atOnce: atOnce(queue),
    inMemory: shareOf(MOST_IN_MEMORY, LEAST_IN_MEMORY, queue),
    bytes: Math.min(
      part * MOST_BYTES - held - promised,
      part * shareOf(MOST_BYTES, LEAST_BYTES, queue) - queue.bytes,
    ),
  });

  return {
    opened: queue => count(queue, 1),
    closed: queue => count(queue, -1),
    atOnce,
    of: shareIn,
    ofHandedOver: queue => shareIn(queue, 0, HANDED_OVER_PART),
    hold(bytes) {
      held += bytes;
    },
  };
}
