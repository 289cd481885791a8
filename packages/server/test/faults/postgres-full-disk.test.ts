import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { acceptedIds, expectRefused, ingestWith, storedEvents } from '../support/endpoints.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let server: PostgresServer;
let databaseUrl: string;
let service: TestService;
let seed: Seed;

beforeAll(async () => {
  server = await startPostgres([], { smallDiskMb: 48 });
  ({ url: databaseUrl } = await server.freshDatabase());
  await server.moveToSmallDisk(databaseUrl);
  // What takes the room that there will be again.
  await server.administer(databaseUrl, 'CREATE TABLE ballast (filling text)');
  await server.administer(
    databaseUrl,
    "INSERT INTO ballast SELECT repeat('x', 1000) FROM generate_series(1, 12000)",
  );
  service = await startTestService({ settings: { SLUICE_DATABASE_URL: databaseUrl } });
  seed = await seedOrganisation(service.engine);
});
afterAll(async () => {
  await service.stop();
  await server.remove();
});

test('a full disk under PostgreSQL: 503 that says so, nothing half stored, and there is room again by itself', async () => {
  const ingest = ingestWith(service.url, seed.apiKey);
  const accepted: string[] = [];
  const compose = (n: number) => {
    // Nothing that could be made smaller on its way to the disk.
    const event = () => ({ type: `n${n}`, payload: { bytes: randomBytes(100_000).toString('base64') } });
    return { body: { events: [event(), event()] }, key: { 'X-Ingest-Idempotency-Key': `key ${n}` } };
  };
  let request = compose(0);
  const send = () => ingest(request.body, request.key);

  let answer = await send();
  for (let n = 1; answer.status === 202; n++) {
    accepted.push(...acceptedIds(answer));
    request = compose(n);
    answer = await send();
  }
  expect(accepted.length).toBeGreaterThan(20);
  expectRefused(answer, { status: 503, code: 'storage_unavailable' });
  expect(answer.body).toMatchObject({
    error: { message: expect.stringMatching(/^The disk of the database is full\./) },
  });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);

  // It goes on to answer, and to show what it has.
  for (let more = 0; more < 3; more++)
    expectRefused(await send(), { status: 503, code: 'storage_unavailable' });
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  const stored = async () => (await storedEvents(service.engine, seed.orgId)).map(({ id }) => id).sort();
  expect(await stored()).toEqual(accepted.toSorted());

  await server.administer(databaseUrl, 'DROP TABLE ballast');
  await until(async () => {
    answer = await send();
    return answer.status === 202;
  }, 'It did not accept again.');
  accepted.push(...acceptedIds(answer));
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(await stored()).toEqual(accepted.toSorted());
});
