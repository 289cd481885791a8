import { seconds } from '../core/clock.ts';
import { Problem } from '../core/errors.ts';
import { type Alarm, createAlarm } from '../core/work/alarm.ts';

/**
 * The live feed of pages: streams of server-sent events. Each stream looks again and again at what it follows and sends
 * what has changed: twice a second while this process knows that something happened in the organisation, and every two
 * seconds otherwise, since other nodes work too. A stream is drawn by its reader: while nobody reads, nothing is looked
 * at, and one look is over before the next begins.
 */
export interface LiveFeed {
  /** Something happened in this organisation. */
  note(orgId: string): void;
  /** Throws where no further stream can be had; opens nothing yet. */
  requireRoom(viewer: Viewer): void;
  /** A stream that sends whatever `look` answers, until that is `END`, its reader goes, or this process stops. */
  stream(viewer: Viewer, look: Look): ReadableStream<Uint8Array>;
  /** Ends all streams, and those to come. */
  close(): void;
  /** Streams that are open. */
  count(): number;
}

/** Who follows what happens, and where. */
interface Viewer {
  readonly orgId: string;
  readonly userId: string;
}

/** Messages to send; none where nothing has changed. */
export type Look = () => Promise<readonly string[] | typeof END>;
export const END: unique symbol = Symbol('the end of a stream');

const SOON_MS = 500;
const LATER_MS = seconds(2);
/** A look that took long is not made again before so many times its length are over: there is other work to do. */
const REST_PER_LOOK = 4;
/** Proxies and our own server give up connections on which nothing moves. */
export const STILL_HERE_MS = seconds(10);
const STILL_HERE = ':\n\n';
/** How long a browser waits before it comes back. */
const GREETING = 'retry: 1000\n\n';

const MOST_STREAMS = 256;
/** So that one organisation leaves room for others. */
const MOST_STREAMS_OF_ORGANISATION = 64;
/** So that one person does, in however many organisations: two dozen tabs are more than anybody looks at. */
const MOST_STREAMS_OF_USER = 24;

interface Follower {
  readonly news: Alarm;
  readonly end: Alarm;
  isEnded: boolean;
}

export function createLiveFeed(): LiveFeed {
  const followers = new Map<string, Set<Follower>>();
  const openOfUser = new Map<string, number>();
  let open = 0;
  let isClosed = false;

  const isFull = ({ orgId, userId }: Viewer) =>
    open >= MOST_STREAMS ||
    (followers.get(orgId)?.size ?? 0) >= MOST_STREAMS_OF_ORGANISATION ||
    (openOfUser.get(userId) ?? 0) >= MOST_STREAMS_OF_USER;

  function join({ orgId, userId }: Viewer): Follower {
    const follower = { news: createAlarm(), end: createAlarm(), isEnded: isClosed };
    const others = followers.get(orgId) ?? new Set();
    followers.set(orgId, others.add(follower));
    openOfUser.set(userId, (openOfUser.get(userId) ?? 0) + 1);
    open++;
    return follower;
  }

  function leave({ orgId, userId }: Viewer, follower: Follower): void {
    const others = followers.get(orgId);
    if (!others?.delete(follower)) return;
    if (others.size === 0) followers.delete(orgId);
    const left = (openOfUser.get(userId) ?? 0) - 1;
    if (left > 0) openOfUser.set(userId, left);
    else openOfUser.delete(userId);
    open--;
  }

  return {
    note(orgId) {
      for (const follower of followers.get(orgId) ?? []) follower.news.ring();
    },
    requireRoom(viewer) {
      if (!isClosed && !isFull(viewer)) return;
      throw new Problem('storage_unavailable', {
        message: 'Too many pages are following live updates. Close some of them, or try again shortly.',
        retryAfter: 5,
      });
    },
    stream(viewer, look) {
      let follower: Follower | null = null;
      let texts: AsyncGenerator<string> | null = null;
      let isGone = false;
      const end = () => {
        isGone = true;
        if (follower === null) return;
        leave(viewer, follower);
        tellEnd(follower);
      };
      return new ReadableStream<Uint8Array>(
        {
          // It joins with its first reader: an answer that nobody reads holds nothing.
          async pull(controller) {
            follower ??= join(viewer);
            texts ??= follow(follower, look);
            // Whatever goes wrong with a look ends the stream; its reader comes back and is answered what is wrong.
            const { value, done } = await texts.next().catch(() => ({ value: '', done: true }));
            if (isGone) return;
            if (!done) return controller.enqueue(encoder.encode(value));
            end();
            controller.close();
          },
          cancel: end,
        },
        { highWaterMark: 0 },
      );
    },
    close() {
      isClosed = true;
      for (const all of followers.values()) all.forEach(tellEnd);
    },
    count: () => open,
  };
}

const encoder = new TextEncoder();

function tellEnd(follower: Follower): void {
  follower.isEnded = true;
  follower.end.ring();
  follower.news.ring();
}

async function* follow(follower: Follower, look: Look): AsyncGenerator<string> {
  yield GREETING;
  let sentAt = performance.now();
  while (!follower.isEnded) {
    follower.news.reset();
    const began = performance.now();
    const messages = await look();
    if (messages === END) return;
    const took = performance.now() - began;
    if (messages.length > 0 || performance.now() - sentAt >= STILL_HERE_MS) {
      yield messages.join('') || STILL_HERE;
      sentAt = performance.now();
    }
    // Not sooner, however much happens.
    const rest = Math.min(Math.max(SOON_MS, took * REST_PER_LOOK), STILL_HERE_MS);
    await follower.end.sleep(rest);
    if (follower.isEnded) return;
    await follower.news.sleep(Math.max(0, LATER_MS - rest));
  }
}

/** An event of a stream. A line break inside JSON is white space, and each line of a message has to say so. */
export const message = (event: string, json: string, id?: string): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json.replace(/\r\n|\r|\n/g, '\ndata: ')}\n\n`;
