import type { ListenDelivery, ListenEnd, ListenOutcome, ListenResult } from '@sluice/contract/listen';
import { seconds } from '../../core/clock.ts';
import type { DestinationAddress } from '../../core/stores/configuration/destinations.ts';

/**
 * The connections of listeners that this node holds, one for each destination at most. A delivery goes down the
 * connection and is under way until its result comes back, which the command answers for in any case: where the local
 * server does not answer in time, that is the result. A connection from which no result comes at all has nobody at its
 * other end, and is given up; what was under way on it is `lost`, and may have arrived.
 */
export interface ListenerConnections {
  find(destinationId: string): ListenerConnection | undefined;
  open(options: NewConnection): ListenerConnection;
  /** The connection that a result names. */
  named(connectionId: string): ListenerConnection | undefined;
  all(): readonly ListenerConnection[];
}

export interface ListenerConnection {
  readonly id: string;
  readonly address: DestinationAddress;
  /** What the node has claimed it with. */
  readonly claim: string;
  /** The token that opened it. */
  readonly token: string;
  readonly forward: string;
  readonly stream: ReadableStream<Uint8Array>;
  /** `not_sent`: the connection ended, or it was not wanted any more, before it left. */
  send(delivery: ListenDelivery, isStillWanted: () => Promise<boolean>): Promise<SentDown>;
  /** False where nobody waits for it. */
  answer(result: ListenResult): boolean;
  end(reason: ListenEnd): void;
}

export type SentDown =
  | { readonly kind: 'answered'; readonly durationMs: number; readonly outcome: ListenOutcome }
  | { readonly kind: 'lost' }
  | { readonly kind: 'not_sent' };

interface NewConnection extends Pick<ListenerConnection, 'id' | 'address' | 'claim' | 'token' | 'forward'> {
  readonly name: string;
  /** Once, however it ended. */
  onEnd(connection: ListenerConnection): void;
}

/** Proxies and our own server give up connections on which nothing moves. */
const STILL_HERE_MS = seconds(10);
/** Beside the timeout of a delivery: for the way there and back, and for a result that first meets another node. */
const ANSWER_GRACE_MS = seconds(10);
/** What may be under way at once, read or not, so that a command that reads slowly costs no more memory. */
const MOST_BYTES_UNDER_WAY = 8 * 1024 * 1024;

const LOST: SentDown = { kind: 'lost' };
const NOT_SENT: SentDown = { kind: 'not_sent' };
const encoder = new TextEncoder();

export function createListenerConnections(): ListenerConnections {
  const byDestination = new Map<string, ListenerConnection>();
  const byId = new Map<string, ListenerConnection>();
  return {
    find: destinationId => byDestination.get(destinationId),
    named: connectionId => byId.get(connectionId),
    all: () => [...byId.values()],
    open(options) {
      const { id } = options.address;
      byDestination.get(id)?.end({ message: 'Another listener has connected with this token.', final: true });
      const connection = openConnection({
        ...options,
        onEnd(ended) {
          byId.delete(ended.id);
          if (byDestination.get(id) === ended) byDestination.delete(id);
          options.onEnd(ended);
        },
      });
      byId.set(connection.id, connection);
      byDestination.set(id, connection);
      return connection;
    },
  };
}

/** Something to be sent down, until it is read; named where it is a delivery. */
interface Frame {
  readonly bytes: Uint8Array;
  readonly deliveryId?: string;
}

function openConnection({ id, address, claim, token, forward, name, onEnd }: NewConnection) {
  let isOver = false;
  let reader: ReadableStreamDefaultController<Uint8Array> | null = null;
  let unread: Frame[] = [];
  let bytesUnderWay = 0;
  const underWay = new Map<string, (sent: SentDown) => void>();
  /** Those that wait until something is answered. */
  let waiting: (() => void)[] = [];

  function write(text: string, deliveryId?: string): void {
    unread.push({ bytes: encoder.encode(text), deliveryId });
    handOver();
  }

  /** One frame for each time that the other end has room: what it does not read stays here, where it can be dropped. */
  function handOver(): void {
    const next = reader === null ? undefined : unread.shift();
    if (reader === null || next === undefined) return;
    const controller = reader;
    reader = null;
    controller.enqueue(next.bytes);
    if (isOver && unread.length === 0) controller.close();
  }

  const event = (kind: string, data: object, deliveryId?: string) =>
    write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`, deliveryId);
  const heartbeat = setInterval(() => {
    if (unread.length === 0) write(':\n\n');
  }, STILL_HERE_MS);

  function over(): void {
    if (isOver) return;
    isOver = true;
    unread = [];
    clearInterval(heartbeat);
    for (const settle of underWay.values()) settle(LOST);
    underWay.clear();
    wakeWaiting();
    onEnd(connection);
  }

  function wakeWaiting(): void {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  function end(reason: ListenEnd): void {
    if (isOver) return;
    over();
    event('end', reason);
  }

  /** One in any case, however large. */
  const hasRoom = (bytes: number) => bytesUnderWay === 0 || bytesUnderWay + bytes <= MOST_BYTES_UNDER_WAY;

  const connection: ListenerConnection = {
    id,
    address,
    claim,
    token,
    forward,
    stream: new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          reader = controller;
          handOver();
        },
        cancel: over,
      },
      { highWaterMark: 0 },
    ),

    async send(delivery, isStillWanted) {
      const bytes = Buffer.byteLength(delivery.body);
      while (!isOver && !hasRoom(bytes)) {
        await new Promise<void>(resolve => waiting.push(resolve));
      }
      bytesUnderWay += bytes;
      let timer: ReturnType<typeof setTimeout> | undefined;
      try {
        if (!(await isStillWanted()) || isOver || underWay.has(delivery.id)) return NOT_SENT;
        const { promise, resolve } = Promise.withResolvers<SentDown>();
        underWay.set(delivery.id, resolve);
        event('delivery', delivery, delivery.id);
        timer = setTimeout(
          () => end({ message: 'No result came back in time.', final: false }),
          delivery.timeout_ms + ANSWER_GRACE_MS,
        );
        return await promise;
      } finally {
        clearTimeout(timer);
        bytesUnderWay -= bytes;
        wakeWaiting();
      }
    },

    answer({ delivery, duration_ms: durationMs, outcome }) {
      // What has not been read cannot have been answered, and is still here.
      if (unread.some(({ deliveryId }) => deliveryId === delivery)) return false;
      const settle = underWay.get(delivery);
      underWay.delete(delivery);
      settle?.({ kind: 'answered', durationMs, outcome });
      return settle !== undefined;
    },

    end,
  };
  event('ready', { connection: id, destination: { id: address.id, name } });
  return connection;
}
