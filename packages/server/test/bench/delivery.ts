import { startPostgres } from '../support/postgres.ts';
import { startFeed } from './feed.ts';
import { atLeast, atMost, type Figure, type Section, thousands } from './figure.ts';
import { orderEvent } from './order-event.ts';
import { type Measured, type MeasuredSluice, startReceiver, startSluice } from './servers.ts';
import { quantile } from './wrk.ts';

/** The whole way: accepted, three steps, and a signed webhook that the receiver answers with 200. */
export const deliverySection: Section = {
  name: 'delivery',
  about: 'From accepted through three steps to a signed webhook, sender and receiver on the same machine',
  async run() {
    const postgres = await startPostgres();
    const database = await postgres.freshDatabase();
    try {
      return [
        atLeast('sustained on SQLite, events/s', await sustained({}), 4_000),
        atLeast('sustained on PostgreSQL, events/s', await sustained({ databaseUrl: database.url }), 1_500),
        ...(await latency()),
        await besideOneThatHangs(),
      ];
    } finally {
      await postgres.remove();
    }
  },
};

/** So much may be on its way: enough to keep every part busy, and no more than is delivered within a second or two. */
const BACKLOG = 4_000;
const WARM_UP = 8_000;
const WINDOW_MS = 15_000;

/** How many a receiver gets while as many are accepted. */
async function sustained(options: { databaseUrl?: string; alsoHanging?: boolean }): Promise<number> {
  const receiver = await startReceiver();
  const sluice = await startSluice({ ...options, settings: OPEN_TO_LOOPBACK });
  await route(sluice, receiver, options.alsoHanging ?? false);
  let got = 0;
  const look = setInterval(async () => {
    got = await received(receiver);
  }, 20);
  const feed = startFeed(sluice, { most: BACKLOG, waiting: sent => sent - got });
  try {
    await until(async () => got > WARM_UP);
    const [before, started] = [await received(receiver), performance.now()];
    await Bun.sleep(WINDOW_MS);
    return ((await received(receiver)) - before) / ((performance.now() - started) / 1_000);
  } finally {
    await feed.stop();
    clearInterval(look);
    await sluice.stop();
    await receiver.stop();
  }
}

async function besideOneThatHangs(): Promise<Figure> {
  const alone = await sustained({});
  const beside = await sustained({ alsoHanging: true });
  return atLeast(
    'a healthy destination beside one that hangs, over its rate alone',
    beside / alone,
    0.9,
    ` (${thousands(beside)} to ${thousands(alone)} events/s)`,
  );
}

const EVENTS_A_SECOND = 500;
const LATENCY_SECONDS = 12;
/** A process that has just started compiles what it runs for the first time. */
const WARM_UP_SECONDS = 2;

/** From the 202 to the receiver, at a steady rate far below what can be sustained. */
async function latency(): Promise<Figure[]> {
  const receiver = await startReceiver();
  const sluice = await startSluice({ settings: OPEN_TO_LOOPBACK });
  try {
    await route(sluice, receiver, false);
    const accepted = new Map<string, number>();
    const pending: Promise<void>[] = [];
    const started = performance.now();
    for (let n = 0; n < EVENTS_A_SECOND * LATENCY_SECONDS; n++) {
      const due = started + (n * 1_000) / EVENTS_A_SECOND;
      const early = due - performance.now();
      if (early > 1) await new Promise(resolve => setTimeout(resolve, early));
      pending.push(sendOne(sluice, accepted));
    }
    await Promise.all(pending);
    await until(async () => (await received(receiver)) >= accepted.size);
    const arrivals = (await (await fetch(`${receiver.url}/arrivals`)).json()) as Record<string, number>;
    const measured = [...accepted].slice(EVENTS_A_SECOND * WARM_UP_SECONDS);
    const waits = measured.map(([id, at]) => Math.max(0, (arrivals[id] ?? Number.NaN) - at));
    return [
      atMost(`p50 from the 202 to the receiver at ${EVENTS_A_SECOND} events/s, ms`, quantile(waits, 0.5), 15),
      atMost(
        `p99 from the 202 to the receiver at ${EVENTS_A_SECOND} events/s, ms`,
        quantile(waits, 0.99),
        100,
      ),
    ];
  } finally {
    await sluice.stop();
    await receiver.stop();
  }
}

async function sendOne(sluice: MeasuredSluice, accepted: Map<string, number>): Promise<void> {
  const response = await fetch(`${sluice.url}/v1/ingest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sluice.seed.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ events: [orderEvent] }),
  });
  const { data } = (await response.json()) as { data: { events: { id: string }[] } };
  const id = data.events[0]?.id;
  if (id !== undefined) accepted.set(id, performance.timeOrigin + performance.now());
}

const OPEN_TO_LOOPBACK = { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' };

/** A pipeline of three steps from everything to the receiver, and to one that hangs where that is asked for. */
async function route(sluice: MeasuredSluice, receiver: Measured, alsoHanging: boolean): Promise<void> {
  const paths = alsoHanging ? ['/hook', '/hang'] : ['/hook'];
  const destinations: { id: string }[] = [];
  for (const path of paths) {
    const { id } = await sluice.post<{ id: string }>('/destinations', {
      kind: 'webhook',
      name: path,
      config: { url: `${receiver.url}${path}`, auth: { mode: 'hmac' } },
      policy: { concurrency: 64 },
    });
    destinations.push({ id });
  }
  const { id: source } = await sluice.post<{ id: string }>('/sources', {
    kind: 'sdk',
    name: 'All',
    match: '*',
  });
  await sluice.post('/pipelines', {
    name: 'Orders',
    sources: [source],
    steps: [
      { kind: 'transform', config: { rename: { id: 'order_id' }, remove: ['notes'] } },
      { kind: 'filter.match', config: { condition: 'payload.total > 100 && event.type == "order.created"' } },
      { kind: 'redact.pii', config: { detectors: ['email', 'phone', 'credit_card'] } },
    ],
    destinations,
    enabled: true,
  });
}

async function received(receiver: Measured): Promise<number> {
  const response = await fetch(`${receiver.url}/received`);
  return ((await response.json()) as { events: number }).events;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('It did not come to that within a minute.');
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
