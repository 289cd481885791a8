import { type Batch, createBatchWriter, eventsIn, newBatch } from './batch.ts';
import type { Post } from './post.ts';
import type { Failure } from './server.ts';
import { createSlots } from './slots.ts';
import type { Spool } from './spool.ts';
import type { Timers } from './timers.ts';

/**
 * What was taken and is not stored yet. An event is
 *
 *   filling   in the one batch that is still open: closed when it has enough events or bytes, or after a while
 *   under way in a batch that is sent under its key again and again, a few batches at once, until the server
 *   stored    has it on disk, or
 *   refused   says that this event is wrong: it goes to `onRefused`, and the rest of its batch goes on under a new key.
 *
 * Memory is bounded: what finds no room is not taken, and nothing ever blocks the application.
 */
interface Outbox {
  /** Whether there was room for it. */
  add(event: string): boolean;
  /** Sends what is there without waiting for a batch to fill; resolves when none of it is left. */
  flush(): Promise<void>;
  /** Cuts the pauses before the next attempts short: there may be no later one. */
  hurry(): void;
  /** How many events are not stored yet. */
  waiting(): number;
  /** Sends no more; answers what is left. */
  stop(): string[];
}

interface OutboxOptions extends OutboxLimits {
  readonly post: Post;
  readonly spool: Spool | null;
  readonly timers: Timers;
  onRefused(event: string, failure: Failure): void;
  /** An attempt failed, and there will be another one; attempt 0: the spool failed, and memory alone has the event. */
  onFailure(failure: Failure, attempt: number): void;
}

export interface OutboxLimits {
  readonly batchEvents: number;
  readonly batchBytes: number;
  readonly batchMs: number;
  readonly concurrency: number;
  readonly queueEvents: number;
  readonly queueBytes: number;
  readonly maxPauseMs: number;
}

const FIRST_PAUSE_MS = 250;

export function createOutbox(options: OutboxOptions): Outbox {
  const { spool, timers } = options;
  const inTurn = createSlots(options.concurrency);
  const deliveries = new Set<Promise<void>>();
  const pauses = new Set<() => void>();
  const givenUp = new AbortController();
  const filling = createBatchWriter();
  /** Every batch that is closed and not stored yet. */
  const unsettled = new Set<Batch>();
  let cancelTimer = () => {};
  let events = 0;
  let bytes = 0;

  for (const batch of spool?.load() ?? []) {
    keep(batch);
    send(batch);
  }

  function keep(batch: Batch): void {
    unsettled.add(batch);
    events += batch.ends.length;
    bytes += batch.body.length;
  }

  function release(batch: Batch): void {
    if (!unsettled.delete(batch)) return;
    events -= batch.ends.length;
    bytes -= batch.body.length;
  }

  function closeBatch(): void {
    cancelTimer();
    if (filling.count === 0) return;
    const batch = filling.finish();
    keep(batch);
    spooled(() => spool?.close(batch));
    send(batch);
  }

  function send(batch: Batch): void {
    const delivery = inTurn(() => deliver(batch)).finally(() => deliveries.delete(delivery));
    deliveries.add(delivery);
  }

  async function deliver(batch: Batch): Promise<void> {
    for (let attempt = 1; !givenUp.signal.aborted; attempt++) {
      const answer = await options.post(batch, givenUp.signal);
      switch (answer.kind) {
        case 'stored':
          return replace(batch, []);
        case 'conflict':
          return refuseAll(batch, answer.failure);
        case 'refused':
          return divide(batch, answer.index, answer.failure);
        case 'later':
          if (givenUp.signal.aborted) return;
          options.onFailure(answer.failure, attempt);
          await pause(Math.max(answer.afterMs * (1 + timers.random() / 10), backoff(attempt)));
      }
    }
  }

  /** Takes out the event that is to blame; where none is named it is found by halves. */
  async function divide(batch: Batch, index: number | null, failure: Failure): Promise<void> {
    const all = eventsIn(batch);
    const culprit = all.length === 1 ? 0 : index;
    const blamed = culprit === null ? undefined : all[culprit];
    const middle = all.length >> 1;
    const parts =
      blamed === undefined
        ? [all.slice(0, middle), all.slice(middle)]
        : [all.filter((_, i) => i !== culprit)];
    const next = parts.filter(part => part.length > 0).map(part => newBatch(part));
    replace(batch, next);
    if (blamed !== undefined) options.onRefused(textOf(blamed), failure);
    for (const part of next) await deliver(part);
  }

  function refuseAll(batch: Batch, failure: Failure): void {
    replace(batch, []);
    for (const event of eventsIn(batch)) options.onRefused(textOf(event), failure);
  }

  function replace(batch: Batch, by: readonly Batch[]): void {
    release(batch);
    for (const next of by) keep(next);
    spooled(() => spool?.replace(batch, by));
  }

  /** A disk that fails must not stop what memory has. */
  function spooled(work: () => void): void {
    try {
      work();
    } catch (error) {
      options.onFailure({ message: `The spool cannot be written. ${String(error)}` }, 0);
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const end = () => {
        pauses.delete(end);
        cancel();
        resolve();
      };
      const cancel = timers.after(ms, end);
      pauses.add(end);
    });
  }

  /** Doubling with full jitter, so that many clients do not come back together. */
  const backoff = (attempt: number): number =>
    timers.random() * Math.min(options.maxPauseMs, FIRST_PAUSE_MS * 2 ** attempt);

  function hurry(): void {
    for (const end of [...pauses]) end();
  }

  return {
    add(event) {
      if (events + filling.count >= options.queueEvents || givenUp.signal.aborted) return false;
      if (!filling.fits(event, options.queueBytes - bytes)) return false;
      if (filling.count === 0) cancelTimer = timers.after(options.batchMs, closeBatch);
      const written = filling.add(event);
      spooled(() => spool?.append(filling.key, written));
      if (filling.count >= options.batchEvents || filling.bytes >= options.batchBytes) closeBatch();
      return true;
    },
    async flush() {
      closeBatch();
      await Promise.all(deliveries);
    },
    hurry,
    waiting: () => events + filling.count,
    stop() {
      givenUp.abort(new Error('The client was closed.'));
      closeBatch();
      hurry();
      const left = [...unsettled];
      for (const batch of left) release(batch);
      return left.flatMap(eventsIn).map(textOf);
    },
  };
}

const textOf = (event: Uint8Array): string => new TextDecoder().decode(event);
