import { ingestBody } from './order-event.ts';
import type { MeasuredSluice } from './servers.ts';

/** What keeps a server busy: batches of events, sent for as long as not too many of them are waiting there. */
export interface Feed {
  /** Events that were answered with 202. */
  sent(): number;
  stop(): Promise<void>;
}

const BATCH = 100;
const FEEDERS = 4;

/** So that what is accepted in a measured window is what comes out of it, and no more is accepted beside it. */
export function startFeed(
  sluice: MeasuredSluice,
  options: {
    /** Events a request. */
    readonly batch?: number;
    readonly most: number;
    waiting(sent: number): number | Promise<number>;
  },
): Feed {
  const { batch = BATCH } = options;
  const body = ingestBody(batch);
  let sent = 0;
  let isOver = false;
  const feed = async () => {
    while (!isOver) {
      if ((await options.waiting(sent)) > options.most) {
        await Bun.sleep(5);
        continue;
      }
      await postBatch(sluice, body);
      sent += batch;
    }
  };
  const feeders = Array.from({ length: FEEDERS }, feed);
  return {
    sent: () => sent,
    async stop() {
      isOver = true;
      await Promise.all(feeders);
    },
  };
}

async function postBatch(sluice: MeasuredSluice, body: string): Promise<void> {
  const response = await fetch(`${sluice.url}/v1/ingest`, {
    method: 'POST',
    body,
    headers: { Authorization: `Bearer ${sluice.seed.apiKey}`, 'Content-Type': 'application/json' },
  });
  if (response.status !== 202) throw new Error(`Refused with ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
