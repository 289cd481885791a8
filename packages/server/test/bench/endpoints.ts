import { createHmac } from 'node:crypto';
import { startPostgres } from '../support/postgres.ts';
import { costFigures } from './cost.ts';
import { atLeast, atMost, type Figure, outOf, plainly, type Section, thousands } from './figure.ts';
import { meterOnPostgres, meterOnSqlite } from './meter.ts';
import { ingestBody, webhookBody } from './order-event.ts';
import { untilAtRest } from './rest.ts';
import { THREE_STEPS } from './route.ts';
import { startRouted } from './routed.ts';
import { type Measured, type MeasuredSluice, startBare, startSluice } from './servers.ts';
import { compare, type Load, type LoadResult } from './wrk.ts';

export const ingestLoad = ({ url, apiKey }: MeasuredSluice, events: number, seconds: number): Load => ({
  url: `${url}/v1/ingest`,
  body: ingestBody(events),
  headers: { Authorization: `Bearer ${apiKey}` },
  seconds,
});

/** The same, and what it costs the service until everything that was accepted is settled and delivered. */
export const meteredIngestLoad = (
  sluice: MeasuredSluice,
  { events = 1, seconds = WINDOW_SECONDS, deliveriesAnEvent = 0, meter = meterOnSqlite(sluice) } = {},
): Load => ({
  ...ingestLoad(sluice, events, seconds),
  metering: { events, meter, rest: () => untilAtRest(sluice.url, deliveriesAnEvent) },
});

/** To a source of ours, signed with hmac. */
const webhookLoad = (sluice: MeasuredSluice): Load => ({
  url: `${sluice.url}/whk/${sluice.source.token}`,
  body: webhookBody,
  headers: { 'X-Ingest-Signature': signedWith(sluice.source.secret) },
  seconds: WINDOW_SECONDS,
  metering: { events: 1, meter: meterOnSqlite(sluice), rest: () => untilAtRest(sluice.url, 0) },
});

const WINDOW_SECONDS = 4;
const ROUNDS = 3;

const bareLoad = (bare: Measured, path: string, body: string): Load => ({
  url: `${bare.url}${path}`,
  body,
  headers: {},
  seconds: WINDOW_SECONDS,
});

/** No pipeline listens: what is accepted is settled as unrouted. */
export const endpointsSection: Section = {
  name: 'endpoints',
  about: 'The two endpoints, on embedded SQLite, against a bare server, 64 connections',
  minutes: 2.5,
  async run() {
    const bare = await startBare();
    const sluice = await startSluice();
    try {
      return [
        ...(await oneByOne(bare, sluice)),
        await asProviderSigns(sluice),
        ...(await inBatches(bare, sluice)),
      ];
    } finally {
      await bare.stop();
      await sluice.stop();
    }
  },
};

async function oneByOne(bare: Measured, sluice: MeasuredSluice): Promise<Figure[]> {
  const one = await compareWithBare(bareLoad(bare, '/v1/ingest', ingestBody(1)), meteredIngestLoad(sluice));
  const webhook = await compareWithBare(bareLoad(bare, '/whk/any', webhookBody), webhookLoad(sluice));
  return [
    overBare('`/v1/ingest`, 1 event a request, no pipeline listening', one, 0.45),
    p99Over('its p99', one),
    ...costFigures('`/v1/ingest`, 1 event a request', one.service.spent),
    overBare('`/whk`, hmac, no pipeline listening', webhook, 0.42),
    ...costFigures('`/whk`', webhook.service.spent),
  ];
}

const signedWith = (secret: string): string => createHmac('sha256', secret).update(webhookBody).digest('hex');

/** The same body to a source of ours and to one of a provider, each with the headers that its sender has. */
async function asProviderSigns(sluice: MeasuredSluice): Promise<Figure> {
  const { url, secret } = await sluice.post<{ url: string; secret: string }>('/sources', {
    kind: 'webhook',
    name: 'Provider',
    auth: 'provider',
    provider: 'github',
    rate: { per_second: 0, burst: 0 },
  });
  // Without the id of a delivery: each request is to make an event.
  const headers = { 'X-Hub-Signature-256': `sha256=${signedWith(secret)}`, 'X-GitHub-Event': 'push' };
  const ours = webhookLoad(sluice);
  const [hmac, provider] = await compare([ours, { ...ours, url, headers }], ROUNDS);
  if (!hmac || !provider) throw new Error('nothing was measured');
  const [rate, whole] = [provider.requestsPerSecond, hmac.requestsPerSecond];
  const note = outOf(rate, whole, 'events/s');
  return atLeast('`/whk`, as a provider signs, over hmac', rate / whole, 0.9, note);
}

async function inBatches(bare: Measured, sluice: MeasuredSluice): Promise<Figure[]> {
  const batch = await compareWithBare(
    bareLoad(bare, '/v1/ingest', ingestBody(100)),
    meteredIngestLoad(sluice, { events: 100 }),
  );
  return [
    overBare('`/v1/ingest`, 100 events a request, no pipeline listening', batch, 0.11, 100),
    ...costFigures('`/v1/ingest`, 100 events a request', batch.service.spent),
  ];
}

interface Compared {
  readonly bare: LoadResult;
  readonly service: LoadResult;
}

async function compareWithBare(bareLoad: Load, load: Load): Promise<Compared> {
  const [bare, service] = await compare([bareLoad, load], ROUNDS);
  if (!bare || !service) throw new Error('nothing was measured');
  return { bare, service };
}

function overBare(name: string, { service, bare }: Compared, wanted: number, events = 1): Figure {
  const [rate, whole] = [service.requestsPerSecond * events, bare.requestsPerSecond * events];
  return atLeast(`${name}, over the bare server`, rate / whole, wanted, outOf(rate, whole, 'events/s'));
}

function p99Over(name: string, { service, bare }: Compared, most?: number): Figure {
  const over = service.p99Ms / bare.p99Ms;
  const note = ` (${service.p99Ms.toFixed(1)} ms to ${bare.p99Ms.toFixed(1)} ms)`;
  const full = `${name} over the bare server’s`;
  return most === undefined ? plainly(full, `${over.toFixed(2)}${note}`) : atMost(full, over, most, note);
}

export const attachedSection: Section = {
  name: 'attached',
  about:
    'The ingest endpoint while everything goes on through three steps to a receiver, on embedded SQLite, against a bare server, 64 connections',
  minutes: 1,
  async run() {
    const bare = await startBare();
    const { sluice, stop } = await startRouted({ steps: THREE_STEPS });
    try {
      const one = await compareWithBare(
        bareLoad(bare, '/v1/ingest', ingestBody(1)),
        meteredIngestLoad(sluice, { deliveriesAnEvent: 1 }),
      );
      const name = '`/v1/ingest`, 1 event a request, one pipeline and destination attached';
      return [
        overBare(name, one, 0.12),
        p99Over('its p99', one, 12),
        ...costFigures('all of it', one.service.spent),
      ];
    } finally {
      await bare.stop();
      await stop();
    }
  },
};

export const postgresSection: Section = {
  name: 'postgres',
  about: 'The ingest endpoint on a PostgreSQL of the same machine, no pipeline listening, 64 connections',
  minutes: 1.5,
  async run() {
    const postgres = await startPostgres();
    const { url: databaseUrl } = await postgres.freshDatabase();
    const sluice = await startSluice({ databaseUrl });
    const meter = meterOnPostgres(sluice, postgres, databaseUrl);
    const measure = async (events: number, rounds: number) => {
      const [result] = await compare([meteredIngestLoad(sluice, { events, meter })], rounds);
      if (!result) throw new Error('nothing was measured');
      return result;
    };
    try {
      const one = await measure(1, ROUNDS);
      // What piles up meanwhile takes a while to be settled.
      const batch = await measure(100, 1);
      return [
        atLeast('100 events a request, events/s', batch.requestsPerSecond * 100, 20_000),
        ...costFigures('100 events a request', batch.spent),
        plainly(
          '1 event a request, events/s',
          `${thousands(one.requestsPerSecond)} (p99 ${one.p99Ms.toFixed(1)} ms)`,
        ),
        ...costFigures('1 event a request', one.spent),
      ];
    } finally {
      await sluice.stop();
      await postgres.remove();
    }
  },
};
