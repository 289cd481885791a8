import { Problem } from '../core/errors.ts';
import type { NewEvent } from '../core/event/event.ts';
import type { AppendRequest, AppendResult, Journal, StoredEvents } from '../core/stores/journal.ts';
import { createBatcher } from '../core/work/batcher.ts';
import { type Reservation, storeReserved } from '../core/work/reservation.ts';

/**
 * What a 202 means. Requests that arrive while storage is busy with the ones before go to it together, so that
 * one flush of the disk serves all of them. Each is answered when its commit is on disk, and not before.
 */
interface Appender {
  accept(request: AppendRequest): Promise<AppendResult>;
  /** Requests waiting for a commit. */
  waiting(): number;
  /** Whether so many wait that work which can wait should. */
  isCrowded(): boolean;
  /** Resolves when nothing is waiting any more. */
  drained(): Promise<void>;
}

/** A batch this large gains nothing by waiting for the commit before it to end. */
const FULL_BATCH_EVENTS = 500;
/** A few requests that happen to come during a commit are no crowd. */
const CROWD = 8;
/** So many that were committed at once came from a crowd, which is still there a moment later. */
const CROWD_AT_ONCE = 16;
const CROWD_STAYS_MS = 50;
/** What may wait in memory. Beyond it storage is too slow for what comes in, and senders are answered 503. */
const MOST_BYTES_WAITING = 64 * 1024 * 1024;

/** About what an event takes in memory while it waits. */
const sizeOf = ({ type, payload, senderId, entityExternalId, headers }: NewEvent): number =>
  200 +
  type.length +
  payload.length +
  (senderId?.length ?? 0) +
  (entityExternalId?.length ?? 0) +
  (headers?.length ?? 0);

/** Storage gives a write up by itself, but what waits behind that would wait twice as long. */
const MOST_PATIENCE_MS = 12_000;

const unknown = () => new Problem('storage_unavailable', { retryAfter: 2 });
const tooSlow = () =>
  new Problem('storage_unavailable', {
    message:
      'Storage cannot keep up with incoming requests. Nothing from this request was stored; retry shortly.',
    retryAfter: 1,
  });

export function createAppender(
  journal: Pick<Journal, 'append'>,
  options: {
    commitsAtOnce: number;
    /** Room for what is about to be stored, where this node works on it from memory; null where it is to wait. */
    reserve?: (requests: readonly AppendRequest[]) => Reservation<AppendRequest, AppendResult> | null;
    /** Something was stored that nobody has claimed. */
    onWaiting?: () => void;
    /** A commit has ended; so many of its events are new, and on disk. */
    onCommit?: (stored: number, ms: number) => void;
    /** So many events of a request are new, and on disk. */
    onStored?: (request: AppendRequest, events: number, stored: StoredEvents) => void;
    /** Milliseconds that never go back. */
    now?: () => number;
  },
): Appender {
  const { now = () => performance.now() } = options;
  const batcher = createBatcher<AppendRequest, AppendResult>({
    write,
    weigh: ({ events }) => events.length,
    most: FULL_BATCH_EVENTS,
    atOnce: options.commitsAtOnce,
    whileBusy: 'full batch',
    room: {
      bytes: MOST_BYTES_WAITING,
      sizeOf: ({ events }) => events.reduce((sum, event) => sum + sizeOf(event), 0),
      refusal: tooSlow,
    },
    patience: { ms: MOST_PATIENCE_MS, refusal: isBegun => (isBegun ? unknown() : tooSlow()) },
    whenAway: 'reject',
    whenRefused: 'each alone',
    onEnded(requests, results, ms) {
      let stored = 0;
      for (const [i, request] of requests.entries()) stored += countNew(request, results[i]);
      options.onCommit?.(stored, ms);
    },
  });

  let crowdedUntil = 0;

  async function write(requests: readonly AppendRequest[]): Promise<AppendResult[]> {
    if (requests.length >= CROWD_AT_ONCE) crowdedUntil = now() + CROWD_STAYS_MS;
    const reserved = options.reserve?.(requests) ?? null;
    const results = await storeReserved(reserved, requests, given => journal.append(given));
    const isWaiting = reserved?.items.some(isForAnybody) ?? true;
    if (isWaiting) options.onWaiting?.();
    return results;
  }

  /** How many of its events are new; where there are some, that is announced. */
  function countNew(request: AppendRequest, result: AppendResult | undefined): number {
    if (result?.kind !== 'stored') return 0;
    let fresh = 0;
    for (const { duplicate } of result.events) if (!duplicate) fresh++;
    if (fresh > 0) options.onStored?.(request, fresh, result.events);
    return fresh;
  }

  return {
    accept: batcher.add,
    waiting: batcher.waiting,
    // Where the endpoints' thread is busy, the crowd waits for that, and is seen when it comes to the disk.
    isCrowded: () => batcher.waiting() >= CROWD || now() < crowdedUntil,
    drained: batcher.drained,
  };
}

/** Stored for whoever comes first: nobody has it, and it is to be processed. */
const isForAnybody = ({ claimToken, unrouted }: AppendRequest): boolean =>
  claimToken === undefined && unrouted === undefined;
