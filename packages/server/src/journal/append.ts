import { Problem } from '../core/errors.ts';
import type { NewEvent } from '../core/event/event.ts';
import type { AppendRequest, AppendResult, Storage } from '../core/stores/storage.ts';

/**
 * What a 202 means. Requests that arrive while storage is busy with the ones before go to it together, so that
 * one flush of the disk serves all of them. Each is answered when its commit is on disk, and not before.
 */
export interface Appender {
  accept(request: AppendRequest): Promise<AppendResult>;
  /** Requests waiting for a commit. */
  waiting(): number;
  /** Whether so many wait that work which can wait should. */
  isCrowded(): boolean;
  /** Resolves when nothing is waiting any more. */
  drained(): Promise<void>;
}

interface Waiting {
  readonly request: AppendRequest;
  readonly bytes: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

/** A batch this large gains nothing by waiting for the commit before it to end. */
const FULL_BATCH_EVENTS = 500;
/** A few requests that happen to come during a commit are no crowd. */
const CROWD = 8;
/** What may wait in memory. Beyond it storage is too slow for what comes in, and senders are told so. */
const MOST_BYTES_WAITING = 64 * 1024 * 1024;

/** About what an event takes in memory while it waits. */
const sizeOf = ({ type, payload, senderId, entityExternalId }: NewEvent): number =>
  200 + type.length + payload.length + (senderId?.length ?? 0) + (entityExternalId?.length ?? 0);

export function createAppender(
  storage: Pick<Storage, 'append'>,
  options: {
    commitsAtOnce: number;
    /** A commit has ended; so many of its events are new, and on disk. */
    onCommit?: (stored: number, ms: number) => void;
    /** So many events of a request are new, and on disk. */
    onStored?: (request: AppendRequest, events: number) => void;
  },
): Appender {
  let queue: Waiting[] = [];
  let eventsWaiting = 0;
  let bytesWaiting = 0;
  let commitsRunning = 0;
  let scheduled = false;
  let onDrained: (() => void)[] = [];

  function schedule(): void {
    if (scheduled || queue.length === 0 || commitsRunning >= options.commitsAtOnce) return;
    if (commitsRunning > 0 && eventsWaiting < FULL_BATCH_EVENTS) return;
    scheduled = true;
    // After this turn's requests have been read: they share the commit.
    setImmediate(() => {
      scheduled = false;
      void commit(takeBatch());
      schedule();
    });
  }

  function takeBatch(): Waiting[] {
    let events = 0;
    let count = 0;
    while (count < queue.length && events < FULL_BATCH_EVENTS) {
      events += queue[count++]?.request.events.length ?? 0;
    }
    const batch = queue.slice(0, count);
    queue = queue.slice(count);
    eventsWaiting -= events;
    return batch;
  }

  async function commit(batch: Waiting[]): Promise<void> {
    commitsRunning++;
    const started = performance.now();
    let results: readonly (AppendResult | null)[] = [];
    try {
      results = await storage.append(batch.map(({ request }) => request));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as AppendResult);
    } catch (error) {
      if (error instanceof Problem || batch.length === 1) for (const { reject } of batch) reject(error);
      else results = await commitApart(batch);
    } finally {
      for (const { bytes } of batch) bytesWaiting -= bytes;
      commitsRunning--;
      schedule();
      if (commitsRunning === 0 && queue.length === 0) for (const done of onDrained.splice(0)) done();
    }
    // Apart from the commit: whatever a listener does, nothing is stored again for it.
    let stored = 0;
    for (const [i, { request }] of batch.entries()) stored += tellOf(request, results[i] ?? null);
    options.onCommit?.(stored, performance.now() - started);
  }

  /** Answers how many of its events are new. */
  function tellOf(request: AppendRequest, result: AppendResult | null): number {
    if (result?.kind !== 'stored') return 0;
    let fresh = 0;
    for (const { duplicate } of result.events) if (!duplicate) fresh++;
    if (fresh > 0) options.onStored?.(request, fresh);
    return fresh;
  }

  /** One request that storage cannot take must not cost its neighbours their answer. */
  async function commitApart(batch: Waiting[]): Promise<(AppendResult | null)[]> {
    const results: (AppendResult | null)[] = [];
    for (const { request, resolve, reject } of batch) {
      try {
        const [result] = await storage.append([request]);
        resolve(result as AppendResult);
        results.push(result ?? null);
      } catch (error) {
        reject(error);
        results.push(null);
      }
    }
    return results;
  }

  return {
    accept(request) {
      const bytes = request.events.reduce((sum, event) => sum + sizeOf(event), 0);
      if (bytesWaiting + bytes > MOST_BYTES_WAITING && bytesWaiting > 0) {
        throw new Problem('storage_unavailable', {
          message: 'Storage is slower than what comes in. Nothing of this request was stored; retry shortly.',
          retryAfter: 1,
        });
      }
      bytesWaiting += bytes;
      eventsWaiting += request.events.length;
      return new Promise((resolve, reject) => {
        queue.push({ request, bytes, resolve, reject });
        schedule();
      });
    },
    waiting: () => queue.length,
    isCrowded: () => queue.length >= CROWD,
    drained: () =>
      commitsRunning === 0 && queue.length === 0
        ? Promise.resolve()
        : new Promise(resolve => {
            onDrained = [...onDrained, resolve];
          }),
  };
}
