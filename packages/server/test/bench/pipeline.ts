import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { newId } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { compilePipeline } from '../../src/pipeline/definitions/compile.ts';
import { bindPipeline } from '../../src/pipeline/thread/run.ts';
import type { EveryStore } from '../support/every-store.ts';
import type { Seed } from '../support/service.ts';
import { quietPorts } from '../support/step.ts';
import { costFigures } from './cost.ts';
import { ingestLoad } from './endpoints.ts';
import { startFeed } from './feed.ts';
import { atLeast, type Figure, outOf, type Section } from './figure.ts';
import { meterOnSqlite } from './meter.ts';
import { orderEvent } from './order-event.ts';
import { startSluice } from './servers.ts';
import { drive, median } from './wrk.ts';

/** Reshapes, filters and redacts, as most pipelines do. */
export const referenceSteps = [
  {
    kind: 'transform',
    config: {
      rename: { 'customer.name': 'customer.full_name' },
      set: {
        source: 'shop',
        total_cents: '{{ int(payload.total * 100.0) }}',
        country: '$event.payload.shipping.country',
      },
      remove: ['payment.last4'],
    },
  },
  { kind: 'filter.match', config: { condition: 'payload.total >= 100 && event.type.startsWith("order.")' } },
  { kind: 'redact.pii', config: {} },
];

/** An sdk source that takes everything, and a pipeline that listens to it and sends nothing anywhere. */
export async function addPipeline(storage: EveryStore, { orgId }: Seed): Promise<void> {
  const now = Date.now();
  const sourceId = newId('src');
  await storage.createSource({
    kind: 'sdk',
    id: sourceId,
    orgId,
    name: 'Everything',
    enabled: true,
    match: '*',
    createdAt: now,
    updatedAt: now,
    lastEventAt: null,
  });
  const definition = JSON.stringify({
    name: 'Orders',
    sources: [sourceId],
    steps: referenceSteps,
    destinations: [],
  });
  await storage.createPipeline(
    {
      id: newId('pipe'),
      orgId,
      name: 'Orders',
      enabled: true,
      version: 1,
      definition,
      createdAt: now,
      updatedAt: now,
    },
    'bench',
  );
}

export const pipelineSection: Section = {
  name: 'pipeline',
  about: 'Pipelines of transform, filter and redact on the reference event, on embedded SQLite',
  minutes: 3,
  async run() {
    return [await measurePure(), ...(await measureSettled()), await measureBeside()];
  },
};

async function measurePure(): Promise<Figure> {
  const pipeline = bindPipeline(compilePipeline(referenceSteps), {
    ports: quietPorts({ entities: { readTraits: async () => null } }),
  });
  const event = {
    id: newId('evt'),
    type: orderEvent.type,
    icon: orderEvent.icon,
    senderId: null,
    entity: null,
    happenedAt: Date.now(),
    receivedAt: Date.now(),
  };
  const text = JSON.stringify(orderEvent.payload);
  const rates: number[] = [];
  for (let round = 0; round < 6; round++) {
    const began = performance.now();
    let events = 0;
    for (; performance.now() - began < 2_000; events++) {
      const payload = JSON.parse(text) as JsonObject;
      const result = await pipeline.run({
        orgId: 'org',
        pipelineId: 'pipe',
        event,
        payload,
        sourceName: 'shop',
        tries: 0,
      });
      if (result.kind !== 'settled' || result.outcome.kind !== 'routed')
        throw new Error(JSON.stringify(result));
    }
    rates.push((events * 1_000) / (performance.now() - began));
  }
  return atLeast('pure pipeline in one thread, events/s', median(rates.slice(1)), 30_000);
}

/** So much may wait: enough to keep the pipelines busy, and no more than they clear in a second. */
const BACKLOG = 6_000;

async function measureSettled(): Promise<Figure[]> {
  const sluice = await startSluice({ prepare: addPipeline });
  const backlog = readBacklog(sluice);
  const feed = startFeed(sluice, { most: BACKLOG, waiting: backlog.count });
  try {
    await Bun.sleep(4_000);
    const settled = () => feed.sent() - backlog.count();
    const stopMeter = await meterOnSqlite(sluice).start();
    const [from, began] = [settled(), performance.now()];
    await Bun.sleep(20_000);
    const events = settled() - from;
    const rate = (events * 1_000) / (performance.now() - began);
    return [
      atLeast('accepted → settled with no destination, sustained, events/s', rate, 10_000),
      ...costFigures('accepted → settled', await stopMeter(events)),
    ];
  } finally {
    await feed.stop();
    backlog.close();
    await sluice.stop();
  }
}

async function measureBeside(): Promise<Figure> {
  const quiet = await startSluice({ prepare: addPipeline, settings: { SLUICE_ROLES: 'ingest' } });
  const busy = await startSluice({ prepare: addPipeline });
  const backlog = readBacklog(busy);
  const rates = { without: [] as number[], beside: [] as number[] };
  try {
    for (let round = 0; round < 6; round++) {
      rates.without.push((await drive(ingestLoad(quiet, 1, 5))).requestsPerSecond);
      rates.beside.push((await drive(ingestLoad(busy, 1, 5))).requestsPerSecond);
      // What is left over must not take anything from the one that is measured without pipelines.
      while (backlog.count() > 0) await Bun.sleep(100);
    }
    // The first round is for warming up.
    const [without, beside] = [median(rates.without.slice(1)), median(rates.beside.slice(1))];
    return atLeast(
      'ingest rate while the pipelines run flat out, over the rate without them',
      beside / without,
      0.4,
      outOf(beside, without, 'requests/s'),
    );
  } finally {
    backlog.close();
    await quiet.stop();
    await busy.stop();
  }
}

/** How many events wait for the pipelines, as the database has it. */
function readBacklog({ directory }: { directory: string }) {
  const database = new Database(join(directory, 'sluice.db'), { readonly: true });
  // State by state, each along an index of its own: together they would be looked for among all events.
  const counts = ['accepted', 'claimed', 'deferred'].map(
    state => `(SELECT count(*) FROM events WHERE state = '${state}')`,
  );
  const query = database.query<{ n: number }, []>(`SELECT ${counts.join(' + ')} AS n`);
  return { count: () => query.get()?.n ?? 0, close: () => database.close() };
}
