import { watchEnding } from './ending.ts';
import { createEntities, type Entities } from './entities.ts';
import { type AnyEvents, type EventMap, type Schemas, type TrackOptions, writeEvent } from './event.ts';
import { createOutbox } from './outbox.ts';
import { createPost } from './post.ts';
import { type Failure, type Fetch, messageOf } from './server.ts';
import type { Spool } from './spool.ts';
import { LONGEST_TIMER_MS, systemTimers } from './timers.ts';

/** A client of one Sluice: events that are sent in the background, and entities that are read and written at once. */
export interface Client<Events extends EventMap<Events> = AnyEvents> {
  /**
   * Takes an event and returns at once; it never throws. Answers whether the event was taken: from then on it is sent
   * until it is stored. What is not taken goes to `onDrop`.
   */
  track<Type extends keyof Events & string>(
    type: Type,
    payload: Events[Type],
    options?: TrackOptions,
  ): boolean;
  /** Sends what is there now; resolves when all of it is stored or refused. */
  flush(): Promise<void>;
  /**
   * Takes no more and sends what is there, for `timeout` milliseconds at most. Answers how many events are left: those
   * are in the spool for the next start or, without one, go to `onDrop`.
   */
  close(options?: { readonly timeout?: number }): Promise<{ readonly left: number }>;
  /** Events that were taken and are not stored yet. */
  readonly waiting: number;
  readonly entities: Entities;
}

export interface ClientOptions<Events extends EventMap<Events> = AnyEvents> {
  /** Where Sluice is: `https://sluice.example.com`. */
  readonly url: string;
  /** An API key from the dashboard. */
  readonly key: string;
  /** Payloads are checked by these when they are tracked: zod, Valibot, ArkType or whatever has Standard Schema. */
  readonly schemas?: Schemas<Events>;
  /** A batch goes when it has so many events (1,000), … */
  readonly batchEvents?: number;
  /** … so many bytes (1 MiB), … */
  readonly batchBytes?: number;
  /** … or after so many milliseconds (200). */
  readonly batchMs?: number;
  /** How many requests are under way at once (4). With 1, batches arrive in their order. */
  readonly concurrency?: number;
  /** How many events may wait in memory (100,000), … */
  readonly queueEvents?: number;
  /** … and how many bytes (64 MiB). */
  readonly queueBytes?: number;
  /** How long the pauses between attempts may grow, in milliseconds (30,000). */
  readonly maxPauseMs?: number;
  /** How long an answer may take, in milliseconds (15,000). */
  readonly timeoutMs?: number;
  /** How long the end of the process may wait for what is unsent, in milliseconds (5,000). With 0 it waits for nothing. */
  readonly exitTimeoutMs?: number;
  /** Keeps events on disk until they are stored: `diskSpool('./spool')` of `@sluice/sdk/spool`. */
  readonly spool?: Spool;
  /** An event was not taken, was refused by the server, or is left over at the end. */
  readonly onDrop?: (dropped: Dropped) => void;
  /** An attempt failed, and there will be another one. Attempt 0: the spool failed, and memory alone has the event. */
  readonly onError?: (failure: Failure & { readonly attempt: number }) => void;
  /** Another `fetch`, such as one that goes through a proxy. */
  readonly fetch?: Fetch;
}

/** An event that will not be stored, and why. */
export interface Dropped extends TrackOptions {
  readonly type: string;
  readonly payload: unknown;
  readonly reason: 'invalid' | 'queue_full' | 'refused' | 'closed';
  readonly message: string;
  /** What the server answered, where it refused the event. */
  readonly failure?: Failure;
}

export function createClient<Events extends EventMap<Events> = AnyEvents>(
  options: ClientOptions<Events>,
): Client<Events> {
  const { url, key, schemas, spool } = options;
  if (!key)
    throw new TypeError('createClient needs a key. Create one in the dashboard under Settings → API keys.');
  const limits = {
    batchEvents: options.batchEvents ?? 1_000,
    batchBytes: options.batchBytes ?? 1024 * 1024,
    batchMs: options.batchMs ?? 200,
    concurrency: options.concurrency ?? 4,
    queueEvents: options.queueEvents ?? 100_000,
    queueBytes: options.queueBytes ?? 64 * 1024 * 1024,
    maxPauseMs: options.maxPauseMs ?? 30_000,
    timeoutMs: options.timeoutMs ?? 15_000,
    exitTimeoutMs: options.exitTimeoutMs ?? 5_000,
  };
  requireNumbers(limits);
  const { timeoutMs, exitTimeoutMs } = limits;
  const server = {
    url: new URL(url).href.replace(/\/+$/, ''),
    key,
    timeoutMs,
    // Looked up with each call, and called as a function of its own: browsers insist on that.
    fetch: options.fetch ?? ((to: string, init: RequestInit) => fetch(to, init)),
  };
  let isClosed = false;

  const outbox = createOutbox({
    ...limits,
    spool: spool ?? null,
    timers: systemTimers,
    post: createPost(server),
    onRefused: (event, failure) => dropWritten(event, 'refused', failure.message, failure),
    onFailure: (failure, attempt) => tell(options.onError, { ...failure, attempt }),
  });

  function drop(dropped: Dropped): false {
    tell(options.onDrop, dropped);
    return false;
  }

  function dropWritten(event: string, reason: Dropped['reason'], message: string, failure?: Failure): void {
    drop({ ...readEvent(event), reason, message, failure });
  }

  /** There may be no later attempt, so none waits any longer. */
  function flushNow(): Promise<void> {
    const flushed = outbox.flush();
    outbox.hurry();
    return flushed;
  }

  /** Whatever has not been stored within the time stays in the spool, or is dropped. */
  async function finish(timeout: number): Promise<number> {
    let isLate = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>(resolve => {
      // Unlike others it keeps the process alive, which is what it is there for.
      timer = setTimeout(
        () => {
          isLate = true;
          resolve();
        },
        Math.min(timeout, LONGEST_TIMER_MS),
      );
    });
    // More may be tracked meanwhile.
    while (outbox.waiting() > 0 && !isLate) await Promise.race([flushNow(), late]);
    clearTimeout(timer);
    if (outbox.waiting() === 0) return 0;
    isClosed = true;
    const left = outbox.stop();
    if (spool === undefined)
      for (const event of left)
        dropWritten(event, 'closed', 'The client was closed before this event was stored.');
    return left.length;
  }

  const unwatch =
    exitTimeoutMs > 0
      ? watchEnding({
          hasWork: () => outbox.waiting() > 0,
          flush: flushNow,
          finish: async () => void (await finish(exitTimeoutMs)),
        })
      : () => {};

  return {
    track(type, payload, more = {}) {
      const refused = (reason: Dropped['reason'], message: string) =>
        drop({ ...readable(more), type, payload, reason, message });
      if (isClosed) return refused('closed', 'The client is closed.');
      try {
        const schema = schemas && Object.hasOwn(schemas, type) ? schemas[type] : undefined;
        if (outbox.add(writeEvent(schema, type, payload, more ?? {}))) return true;
      } catch (error) {
        return refused('invalid', messageOf(error));
      }
      return refused('queue_full', 'Too many events are waiting to be sent.');
    },
    flush: outbox.flush,
    async close({ timeout = exitTimeoutMs } = {}) {
      isClosed = true;
      unwatch();
      const left = await finish(timeout);
      spool?.release();
      return { left };
    },
    get waiting() {
      return outbox.waiting();
    },
    entities: createEntities(server),
  };
}

/** A setting that could not be read must not mean that nothing is ever sent. */
function requireNumbers(limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(limits)) {
    const least = name.endsWith('Ms') && name !== 'timeoutMs' ? 0 : 1;
    if (typeof value !== 'number' || !(value >= least))
      throw new TypeError(`${name} must be ${least} or more.`);
  }
}

/** Reading the options may be what failed. */
function readable(options: TrackOptions): TrackOptions {
  try {
    return { ...options };
  } catch {
    return {};
  }
}

/** What a spool holds after a crash of the whole machine need not be JSON. */
function readEvent(event: string): TrackOptions & { readonly type: string; readonly payload: unknown } {
  try {
    return JSON.parse(event);
  } catch {
    return { type: '', payload: event };
  }
}

/** A failure in the application's own callback must not stop what is being sent. */
function tell<Message>(callback: ((message: Message) => unknown) | undefined, message: Message): void {
  try {
    const result = callback?.(message);
    if (result instanceof Promise) result.catch(error => console.error(error));
  } catch (error) {
    console.error(error);
  }
}
