import { ingestBody } from './order-event.ts';
import { countReceived } from './route.ts';
import type { Measured } from './servers.ts';

/** What keeps a server busy: batches of events, sent for as long as not too many of them are waiting there. */
export interface Feed {
  /** Events that were answered with 202. */
  sent(): number;
  stop(): Promise<void>;
}

/** Whoever answers as `/v1/ingest` does. */
interface Fed {
  readonly url: string;
  readonly apiKey: string;
  readonly load?: RequestLoad;
}

/** How events come: so many a request, and so many requests at once. */
export interface RequestLoad {
  readonly batch: number;
  readonly feeders: number;
}

const IN_BATCHES: RequestLoad = { batch: 100, feeders: 4 };

/** So that what is accepted in a measured window is what comes out of it, and no more is accepted beside it. */
export function startFeed(
  fed: Fed,
  options: {
    /** The body of one request; of the reference event where this is left out. */
    readonly body?: string;
    readonly most: number;
    waiting(sent: number): number | Promise<number>;
  },
): Feed {
  const { batch, feeders: most } = fed.load ?? IN_BATCHES;
  const { body = ingestBody(batch) } = options;
  let sent = 0;
  let isOver = false;
  const feed = async () => {
    while (!isOver) {
      if ((await options.waiting(sent)) > options.most) {
        await Bun.sleep(5);
        continue;
      }
      await postBatch(fed, body);
      sent += batch;
    }
  };
  const feeders = Array.from({ length: most }, feed);
  return {
    sent: () => sent,
    async stop() {
      isOver = true;
      await Promise.all(feeders);
    },
  };
}

/** So much may be on its way: enough to keep every part busy, and no more than is delivered within a second or two. */
export const BACKLOG = 4_000;

/** As fast as the receiver gets them. */
export async function startBoundedFeed(
  fed: Fed & { readonly receiver: Measured },
  body?: string,
): Promise<Feed> {
  const atStart = await countReceived(fed.receiver);
  let received = atStart;
  const look = setInterval(async () => {
    received = await countReceived(fed.receiver);
  }, 20);
  const feed = startFeed(fed, {
    ...(body === undefined ? {} : { body }),
    most: BACKLOG,
    waiting: sent => sent - (received - atStart),
  });
  return {
    sent: feed.sent,
    async stop() {
      await feed.stop();
      clearInterval(look);
    },
  };
}

async function postBatch({ url, apiKey }: Fed, body: string): Promise<void> {
  const response = await fetch(`${url}/v1/ingest`, {
    method: 'POST',
    body,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
  });
  if (response.status !== 202) throw new Error(`Refused with ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
