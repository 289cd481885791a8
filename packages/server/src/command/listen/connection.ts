import { setTimeout as sleep } from 'node:timers/promises';
import {
  FORWARD_HEADER,
  LISTEN_PATH,
  LISTEN_RESULTS_PATH,
  type ListenDelivery,
  type ListenEnd,
  type ListenReady,
  type ListenResult,
  listenDelivery,
  listenEnd,
  listenReady,
} from '@sluice/contract/listen';
import { readRetryAfter } from '../../core/http/retry-after.ts';
import { readEvents } from '../client/event-stream.ts';
import { NotReached, readRefusal, serverAddressOf, whyNotReached } from '../client/server.ts';
import type { Forwarded } from './forward.ts';

/** One connection to the service, from the greeting to its end. */
interface ConnectionOptions {
  readonly url: string;
  readonly token: string;
  /** What people see beside each attempt. */
  readonly forward: string;
  readonly signal: AbortSignal;
  onReady(ready: ListenReady): void;
  /** Sends it to the local server. */
  deliver(delivery: ListenDelivery): Promise<Forwarded>;
  onError(reason: string): void;
}

/** The service will not have it: no further try would help. */
export class Refused extends Error {}

/** The service is there, and asks to come again later. */
export class PutOff extends Error {
  constructor(
    message: string,
    readonly waitMs: number,
  ) {
    super(message);
  }
}

/** For the way back, beside the time that the local server has; less than the service waits. */
const RESULT_GRACE_MS = 8_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Listens until the connection ends. Every delivery is answered for, each as soon as the local server is through with
 * it. Throws `Refused` where the token opens nothing (any more), `PutOff` where it is to come later, and `NotReached` where
 * there is no service.
 */
export async function holdConnection(options: ConnectionOptions): Promise<void> {
  const { url, token, signal } = options;
  const authorization = `Bearer ${token}`;
  const ended = new AbortController();
  const response = await fetch(serverAddressOf(url, LISTEN_PATH), {
    headers: { authorization, accept: 'text/event-stream', [FORWARD_HEADER]: options.forward },
    signal,
  }).catch((error: unknown) => {
    throw new NotReached(whyNotReached(url, error));
  });
  if (!response.ok) {
    const { status, message } = await readRefusal(response);
    if (status === 429) {
      throw new PutOff(message, readRetryAfter(response.headers.get('retry-after'), Date.now()) ?? 0);
    }
    throw status === 401 || status === 404 || status === 405
      ? new Refused(status === 401 ? 'The token is not valid, or was rotated.' : message)
      : new NotReached(message);
  }
  let connection = '';
  try {
    for await (const { event, data } of readEvents((response.body ?? []) as AsyncIterable<Uint8Array>)) {
      if (event === 'ready') {
        const ready = listenReady.parse(JSON.parse(data));
        connection = ready.connection;
        options.onReady(ready);
      } else if (event === 'delivery') {
        void answerFor(listenDelivery.parse(JSON.parse(data))).catch(error => options.onError(String(error)));
      } else if (event === 'end') {
        const { message, final }: ListenEnd = listenEnd.parse(JSON.parse(data));
        if (final) throw new Refused(message);
        options.onError(message);
      }
    }
  } finally {
    ended.abort();
  }

  async function answerFor(delivery: ListenDelivery): Promise<void> {
    const deadline = performance.now() + delivery.timeout_ms + RESULT_GRACE_MS;
    const { outcome, durationMs } = await options.deliver(delivery);
    const result: ListenResult = { connection, delivery: delivery.id, duration_ms: durationMs, outcome };
    // With several nodes behind one address a result may meet one that does not hold this connection.
    for (
      let pauseMs = FIRST_PAUSE_MS;
      !ended.signal.aborted;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    ) {
      const refusal = await hand(result);
      if (refusal === null) return;
      if (performance.now() + pauseMs > deadline) return options.onError(refusal);
      await sleep(pauseMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  }

  /** Null where it was taken, or never will be. */
  async function hand(result: ListenResult): Promise<string | null> {
    try {
      const answer = await fetch(serverAddressOf(url, LISTEN_RESULTS_PATH), {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(result),
        signal: AbortSignal.any([ended.signal, AbortSignal.timeout(RESULT_GRACE_MS)]),
      });
      if (answer.ok) return null;
      const { status, code, message } = await readRefusal(answer);
      if (status >= 500 || status === 429 || code === 'connection_not_here') return message;
      options.onError(message);
      return null;
    } catch (error) {
      return whyNotReached(url, error);
    }
  }
}
