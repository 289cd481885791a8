import { type Batch, newBatch, sizeOf } from './batch.ts';
import { type Failure, postBatch, type Server } from './post.ts';
import type { Spool } from './spool.ts';
import { pause, startTimer } from './timers.ts';

/**
 * What was taken and is not stored yet. Events gather into batches by number, size and time; a few batches are under
 * way at once, each sent with its own key until it is stored. Memory is bounded: what finds no room is dropped, said
 * aloud, and never blocks the application.
 */
export interface Outbox {
  /** Whether there was room for it. */
  add(event: string): boolean;
  /** Sends what is there without waiting for a batch to fill; resolves when none of it is left. */
  flush(): Promise<void>;
  /** How many events are not stored yet. */
  waiting(): number;
  /** Sends no more. */
  stop(): void;
}

export interface OutboxOptions {
  readonly server: Server;
  readonly batchEvents: number;
  readonly batchSize: number;
  readonly batchMs: number;
  readonly atOnce: number;
  readonly mostEvents: number;
  readonly mostSize: number;
  readonly spool: Spool | null;
  /** Whether the page may be gone before the answer comes. */
  isLeaving(): boolean;
  onRefused(event: string, failure: Failure): void;
  onFailure(failure: Failure, attempt: number): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** What browsers let a page send on its way out. */
const MOST_KEEPALIVE_SIZE = 20_000;

export function createOutbox(options: OutboxOptions): Outbox {
  const { server, spool } = options;
  const ready: Batch[] = [];
  const unsettled = new Set<Promise<void>>();
  let filling: Batch | null = null;
  let cancelTimer = () => {};
  let underWay = 0;
  let events = 0;
  let size = 0;
  let stopped = false;
  const starts = new WeakMap<Batch, () => void>();

  for (const batch of spool?.load() ?? []) {
    events += batch.events.length;
    size += batch.size;
    enqueue(batch);
  }

  function enqueue(batch: Batch): void {
    const started = new Promise<void>(resolve => starts.set(batch, resolve));
    const settled = started
      .then(() => deliver(batch))
      .finally(() => {
        unsettled.delete(settled);
        underWay--;
        startMore();
      });
    unsettled.add(settled);
    ready.push(batch);
    startMore();
  }

  function startMore(): void {
    while (!stopped && underWay < options.atOnce) {
      const batch = ready.shift();
      if (batch === undefined) return;
      underWay++;
      starts.get(batch)?.();
    }
  }

  function closeBatch(): void {
    cancelTimer();
    if (filling === null) return;
    const batch = filling;
    filling = null;
    spool?.close(batch);
    enqueue(batch);
  }

  /** Until it is stored, or all of its events were refused. */
  async function deliver(batch: Batch): Promise<void> {
    for (let attempt = 1; !stopped; attempt++) {
      const keepalive = options.isLeaving() && batch.size <= MOST_KEEPALIVE_SIZE;
      const answer = await postBatch(server, batch, { keepalive });
      switch (answer.kind) {
        case 'stored':
          return forget(batch, batch.events);
        case 'conflict':
          return deliver(replace(batch, [batch.events])[0] ?? batch);
        case 'refused':
          return deliverRest(batch, answer.index, answer.failure);
        case 'later':
          options.onFailure(answer.failure, attempt);
          await pause(Math.max(answer.afterMs ?? 0, backoff(attempt)));
      }
    }
  }

  /** The event that is to blame goes, and the rest is sent under a new key; where none is named, half by half. */
  async function deliverRest(batch: Batch, index: number | null, failure: Failure): Promise<void> {
    const { events: all } = batch;
    const culprit = all.length === 1 ? 0 : index;
    const blamed = culprit === null ? undefined : all[culprit];
    if (blamed === undefined) {
      const middle = all.length >> 1;
      for (const half of replace(batch, [all.slice(0, middle), all.slice(middle)])) await deliver(half);
      return;
    }
    const rest = all.filter((_, i) => i !== culprit);
    const batches = replace(batch, rest.length === 0 ? [] : [rest]);
    events--;
    size -= sizeOf(blamed);
    options.onRefused(blamed, failure);
    for (const next of batches) await deliver(next);
  }

  function replace(batch: Batch, parts: readonly string[][]): Batch[] {
    const batches = parts.map(part => newBatch(part));
    spool?.replace(batch, batches);
    return batches;
  }

  function forget(batch: Batch, stored: readonly string[]): void {
    events -= stored.length;
    size -= batch.size;
    spool?.remove(batch);
  }

  return {
    add(event) {
      const added = sizeOf(event);
      if (stopped || events >= options.mostEvents || size + added > options.mostSize) return false;
      if (filling !== null && filling.size + added > options.batchSize) closeBatch();
      if (filling === null) {
        filling = newBatch();
        cancelTimer = startTimer(options.batchMs, closeBatch);
      }
      filling.events.push(event);
      filling.size += added;
      events++;
      size += added;
      spool?.append(filling, event);
      if (filling.events.length >= options.batchEvents) closeBatch();
      return true;
    },
    async flush() {
      closeBatch();
      await Promise.all(unsettled);
    },
    waiting: () => events,
    stop() {
      stopped = true;
      cancelTimer();
    },
  };
}

/** Doubling with full jitter, so that many clients do not come back together. */
const backoff = (attempt: number): number =>
  Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10));
