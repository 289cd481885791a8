import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ingestWith } from '../support/endpoints.ts';
import { createLoad, expectPromisesKept } from '../support/load.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const RESTARTS = 4;

describe('PostgreSQL killed and started again under load', () => {
  let server: PostgresServer;
  let service: TestService;
  let seed: Seed;
  beforeAll(async () => {
    server = await startPostgres();
    const { url } = await server.freshDatabase();
    service = await startTestService({ settings: { SLUICE_DATABASE_URL: url } });
    seed = await seedOrganisation(service.engine);
  });
  afterAll(async () => {
    await service.stop();
    await server.remove();
  });

  const ready = async () => (await fetch(`${service.url}/readyz`)).status;

  test('loses nothing that was accepted, and one key makes one event', async () => {
    const load = createLoad(seed, await seed.source('hmac'));
    for (let n = 0; n < RESTARTS; n++) {
      const { reached, stop } = load.run(service.url, 20 + n * 15);
      await reached;
      await server.stopImmediately();
      // Each sender ends at its first answer that is none.
      await stop();
      await server.startAgain();
      await until(async () => (await ready()) === 200, 'The service did not come back.');
      await load.retryUnanswered(service.url);
    }
    expect(load.requests.some(({ outcome }) => outcome === undefined)).toBe(true);
    await expectPromisesKept(service.engine, seed.orgId, load.requests);
  });

  test('answers 503 with Retry-After meanwhile, and again 202 by itself', async () => {
    const ingest = ingestWith(service.url, seed.apiKey);
    const body = { events: [{ type: 'order.created' }] };
    const key = { 'X-Ingest-Idempotency-Key': 'sent until it is accepted' };
    expect((await ingest(body)).status).toBe(202);

    await server.stopImmediately();
    for (let n = 0; n < 5; n++) {
      const refused = await ingest(body, key);
      expect(refused.status).toBe(503);
      expect(refused.body).toMatchObject({ error: { code: 'storage_unavailable' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect(await ready()).toBe(503);
    await until(() => !service.engine.changeFeedIsLive(), 'It trusts what it has cached.');

    await server.startAgain();
    await until(async () => (await ingest(body, key)).status === 202, 'The service did not come back.');
    expect(await ready()).toBe(200);
    await until(() => service.engine.changeFeedIsLive(), 'It does not receive changes again.');
  });
});
