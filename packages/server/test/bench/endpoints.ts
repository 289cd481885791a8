import { createHmac } from 'node:crypto';
import { startPostgres } from '../support/postgres.ts';
import { atLeast, atMost, type Section, thousands } from './figure.ts';
import { ingestBody, webhookBody } from './order-event.ts';
import { type MeasuredSluice, residentMegabytes, startBare, startSluice } from './servers.ts';
import { compare, drive, type Load } from './wrk.ts';

export const ingestLoad = (sluice: MeasuredSluice, events: number, seconds: number): Load => ({
  url: `${sluice.url}/v1/ingest`,
  body: ingestBody(events),
  headers: { Authorization: `Bearer ${sluice.seed.apiKey}` },
  seconds,
});

/** What the ingest endpoints can do by themselves; what processing takes from them is measured with the pipelines. */
export const ENDPOINTS_ONLY = { SLUICE_ROLES: 'ingest,dashboard' };

const bareLoad = (bare: { url: string }, path: string, body: string, seconds: number): Load => ({
  url: `${bare.url}${path}`,
  body,
  headers: {},
  seconds,
});

export const endpointsSection: Section = {
  name: 'endpoints',
  about:
    'The two endpoints of a node that takes events, on embedded SQLite, against a bare server, 64 connections',
  async run() {
    const bare = await startBare();
    const sluice = await startSluice({ settings: ENDPOINTS_ONLY });
    try {
      const [bareOne, one] = await compare(
        [bareLoad(bare, '/v1/ingest', ingestBody(1), 5), ingestLoad(sluice, 1, 5)],
        5,
      );
      const signature = createHmac('sha256', sluice.source.secret).update(webhookBody).digest('hex');
      const [bareHook, hook] = await compare(
        [
          bareLoad(bare, '/whk/any', webhookBody, 5),
          {
            url: `${sluice.url}/whk/${sluice.source.token}`,
            body: webhookBody,
            headers: { 'X-Ingest-Signature': signature },
            seconds: 5,
          },
        ],
        5,
      );
      const [bareBatch, batch] = await compare(
        [bareLoad(bare, '/v1/ingest', ingestBody(100), 5), ingestLoad(sluice, 100, 5)],
        3,
      );
      await drive(ingestLoad(sluice, 1, 60));
      const memory = residentMegabytes(sluice.pid);
      if (!bareOne || !one || !bareHook || !hook || !bareBatch || !batch)
        throw new Error('nothing was measured');
      const ratio = (a: { requestsPerSecond: number }, b: { requestsPerSecond: number }) =>
        a.requestsPerSecond / b.requestsPerSecond;
      const beside = (a: { requestsPerSecond: number }, b: { requestsPerSecond: number }) =>
        ` (${thousands(a.requestsPerSecond)} of ${thousands(b.requestsPerSecond)} requests/s)`;
      const batchShare = ratio(batch, bareBatch);
      const batchRate = batch.requestsPerSecond * 100;
      return [
        atLeast(
          '`/v1/ingest`, 1 event a request, over the bare server',
          ratio(one, bareOne),
          0.65,
          beside(one, bareOne),
        ),
        atLeast('`/whk`, hmac, over the bare server', ratio(hook, bareHook), 0.6, beside(hook, bareHook)),
        {
          name: '`/v1/ingest`, 100 events a request, events/s (share of the bare server)',
          measured: `${thousands(batchRate)} (${batchShare.toFixed(2)})`,
          wanted: '≥ 120,000, or a share of 0.15',
          met: batchRate >= 120_000 || batchShare >= 0.15,
        },
        atMost(
          'p99 at 64 connections over the bare server’s',
          one.p99Ms / bareOne.p99Ms,
          3,
          ` (${one.p99Ms.toFixed(1)} ms to ${bareOne.p99Ms.toFixed(1)} ms)`,
        ),
        atMost('resident memory after 60 s of load, MB', memory, 250),
      ];
    } finally {
      await bare.stop();
      await sluice.stop();
    }
  },
};

export const postgresSection: Section = {
  name: 'postgres',
  about: 'The ingest endpoint on a PostgreSQL of the same machine',
  async run() {
    const postgres = await startPostgres();
    const database = await postgres.freshDatabase();
    const sluice = await startSluice({ databaseUrl: database.url, settings: ENDPOINTS_ONLY });
    try {
      const [one] = await compare([ingestLoad(sluice, 1, 5)], 3);
      const [batch] = await compare([ingestLoad(sluice, 100, 5)], 3);
      if (!one || !batch) throw new Error('nothing was measured');
      return [
        atLeast(
          '`/v1/ingest` on PostgreSQL, 100 events a request, events/s',
          batch.requestsPerSecond * 100,
          20_000,
        ),
        {
          name: '`/v1/ingest` on PostgreSQL, 1 event a request, requests/s',
          measured: `${thousands(one.requestsPerSecond)} (p99 ${one.p99Ms.toFixed(1)} ms)`,
          wanted: '',
          met: true,
        },
      ];
    } finally {
      await sluice.stop();
      await postgres.remove();
    }
  },
};
