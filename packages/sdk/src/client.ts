import { createEntities, type Entities } from './entities.ts';
import { type AnyEvents, type EventMap, faultIn, type Schemas } from './event-map.ts';
import { onExit } from './exit.ts';
import { createOutbox } from './outbox.ts';
import type { Failure } from './post.ts';
import type { Spool } from './spool.ts';
import { startTimer } from './timers.ts';

/** A client of one Sluice: events that are sent in the background, and entities that are read and written at once. */
export interface Client<Events extends EventMap = AnyEvents> {
  /**
   * Takes an event and returns at once; it never throws. It answers whether the event was taken: from then on it is
   * sent until it is stored. What is not taken goes to `onDrop`.
   */
  track<Type extends keyof Events & string>(
    type: Type,
    payload: Events[Type],
    options?: TrackOptions,
  ): boolean;
  /** Sends what is there now; resolves when all of it is stored or refused. */
  flush(): Promise<void>;
  /** Takes no more and sends what is there, for `timeout` milliseconds at most. Answers how many events are left. */
  close(options?: { readonly timeout?: number }): Promise<{ readonly left: number }>;
  /** Events that were taken and are not stored yet. */
  readonly waiting: number;
  readonly entities: Entities;
}

export interface TrackOptions {
  /** A glyph to show beside the event. */
  readonly icon?: string;
  /** The entity that it is about, which need not exist yet. */
  readonly entity?: { readonly kind: string; readonly external_id: string };
  /** Your own id for it: a second event with the same id is the first one again. */
  readonly id?: string;
  /** When it happened. Absent: now. */
  readonly timestamp?: Date | string;
}

export interface ClientOptions<Events extends EventMap = AnyEvents> {
  /** Where Sluice is: `https://sluice.example.com`. */
  readonly url: string;
  /** An API key of the dashboard. */
  readonly key: string;
  /** Payloads are checked by these before they are taken: zod, Valibot, ArkType or whatever has Standard Schema. */
  readonly schemas?: Schemas<Events>;
  /** A batch goes when it has so many events, … */
  readonly batchEvents?: number;
  /** … so many characters, … */
  readonly batchSize?: number;
  /** … or after so many milliseconds. */
  readonly batchMs?: number;
  /** How many requests are under way at once. With one, events arrive in their order. */
  readonly concurrency?: number;
  /** How many events may wait in memory, … */
  readonly queueEvents?: number;
  /** … and how many characters. */
  readonly queueSize?: number;
  /** How long to wait for an answer. */
  readonly timeoutMs?: number;
  /** How long the process waits at its end for what is not sent yet. */
  readonly exitTimeoutMs?: number;
  /** Keeps events on disk as well until they are stored: `diskSpool('./spool')` of `@sluice/sdk/spool`. */
  readonly spool?: Spool;
  /** An event was not taken, or the server refused it. */
  onDrop?(dropped: Dropped): void;
  /** A request failed and will be tried again. */
  onError?(failure: Failure & { readonly attempt: number }): void;
  readonly fetch?: typeof fetch;
}

export interface Dropped {
  readonly type: string;
  readonly payload: unknown;
  readonly reason: 'invalid' | 'queue_full' | 'closed' | 'refused';
  readonly message: string;
  /** What the server answered, where it refused it. */
  readonly failure?: Failure;
}

const defaults = {
  batchEvents: 500,
  batchSize: 1024 * 1024,
  batchMs: 200,
  concurrency: 4,
  queueEvents: 100_000,
  queueSize: 64 * 1024 * 1024,
  timeoutMs: 15_000,
  exitTimeoutMs: 5_000,
};

export function createClient<Events extends EventMap = AnyEvents>(
  options: ClientOptions<Events>,
): Client<Events> {
  const limits = { ...defaults, ...options };
  const server = {
    url: new URL(options.url).href.replace(/\/+$/, ''),
    key: options.key,
    fetch: options.fetch ?? fetch,
    timeoutMs: limits.timeoutMs,
  };
  const exit = onExit({
    timeoutMs: limits.exitTimeoutMs,
    hasWork: () => outbox.waiting() > 0,
    flush: () => outbox.flush(),
  });
  const outbox = createOutbox({
    server,
    batchEvents: limits.batchEvents,
    batchSize: limits.batchSize,
    batchMs: limits.batchMs,
    atOnce: limits.concurrency,
    mostEvents: limits.queueEvents,
    mostSize: limits.queueSize,
    spool: options.spool ?? null,
    isLeaving: exit.isLeaving,
    onRefused(event, failure) {
      const { type, payload } = JSON.parse(event) as { type: string; payload: unknown };
      drop({ type, payload, reason: 'refused', message: failure.message, failure });
    },
    onFailure: (failure, attempt) => tell(() => options.onError?.({ ...failure, attempt })),
  });
  let isClosed = false;

  function drop(dropped: Dropped): false {
    tell(() => options.onDrop?.(dropped));
    return false;
  }

  return {
    track(type, payload, more = {}) {
      if (isClosed) return drop({ type, payload, reason: 'closed', message: 'The client is closed.' });
      const written = write(options.schemas?.[type], type, payload, more);
      if ('fault' in written) return drop({ type, payload, reason: 'invalid', message: written.fault });
      try {
        if (outbox.add(written.json)) return true;
      } catch (error) {
        return drop({ type, payload, reason: 'queue_full', message: messageOf(error) });
      }
      return drop({ type, payload, reason: 'queue_full', message: 'Too many events wait to be sent.' });
    },
    flush: outbox.flush,
    async close({ timeout = limits.exitTimeoutMs } = {}) {
      isClosed = true;
      await Promise.race([outbox.flush(), new Promise<void>(resolve => startTimer(timeout, resolve))]);
      outbox.stop();
      exit.forget();
      return { left: outbox.waiting() };
    },
    get waiting() {
      return outbox.waiting();
    },
    entities: createEntities(server),
  };
}

/** The event as it is sent. The time is that of the call, not of the batch. */
function write(
  schema: Parameters<typeof faultIn>[0],
  type: string,
  payload: unknown,
  { icon, entity, id, timestamp = new Date() }: TrackOptions,
): { json: string } | { fault: string } {
  try {
    const fault = faultIn(schema, payload);
    if (fault !== null) return { fault };
    const at = typeof timestamp === 'string' ? timestamp : timestamp.toISOString();
    return { json: JSON.stringify({ type, payload, icon, entity, id, timestamp: at }) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

/** An error in the application's own callback must not stop what is being sent. */
function tell(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    console.error(error);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
