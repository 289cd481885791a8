import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { hours, seconds } from '../../src/core/clock.ts';
import { expectRefused, post, sign, storedEvents } from '../support/endpoints.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let seed: Seed;
let now = Date.now() - hours(24);

beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  seed = await seedOrganisation(service.engine);
});

const tooMany = { status: 429, code: 'rate_limited' };
const send = (source: { token: string }, body = '{}', headers: Record<string, string> = {}) =>
  post(`${service.url}/whk/${source.token}`, body, headers);
const times = async (n: number, act: () => Promise<{ status: number }>) => {
  const statuses: number[] = [];
  for (let i = 0; i < n; i++) statuses.push((await act()).status);
  return statuses;
};

test('lets the burst in, then answers 429 with Retry-After, and stores nothing of it', async () => {
  const source = await seed.source('none', { perSecond: 2, burst: 3 });
  expect(await times(3, () => send(source))).toEqual([202, 202, 202]);
  const refused = await send(source);
  expectRefused(refused, tooMany);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await storedEvents(service.engine, seed.orgId)).toHaveLength(3);

  now += 500;
  expect(await times(2, () => send(source))).toEqual([202, 429]);
  now += hours(1);
  expect(await times(4, () => send(source))).toEqual([202, 202, 202, 429]);
});

test('a fraction of a request per second is a rate, and Retry-After says how long it takes', async () => {
  const source = await seed.source('none', { perSecond: 0.1, burst: 1 });
  expect((await send(source)).status).toBe(202);
  expect((await send(source)).headers.get('retry-after')).toBe('10');
  now += seconds(9);
  expect((await send(source)).headers.get('retry-after')).toBe('1');
  now += seconds(1);
  expect((await send(source)).status).toBe(202);
});

test('0 is unlimited', async () => {
  const source = await seed.source('none', { perSecond: 0, burst: 0 });
  expect(new Set(await times(300, () => send(source)))).toEqual(new Set([202]));
});

test('each source has its own', async () => {
  const rate = { perSecond: 1, burst: 1 };
  const [one, two] = [await seed.source('none', rate), await seed.source('none', rate)];
  expect(await times(2, () => send(one))).toEqual([202, 429]);
  expect(await times(2, () => send(two))).toEqual([202, 429]);
});

test('nobody without the secret can spend it', async () => {
  const source = await seed.source('hmac', { perSecond: 1, burst: 1 });
  const signed = (secret: string) => send(source, '{}', { 'X-Ingest-Signature': sign(secret, '{}') });
  expect(new Set(await times(20, () => signed('wrong')))).toEqual(new Set([401]));
  expect(new Set(await times(20, () => send(source)))).toEqual(new Set([401]));
  expect(await times(2, () => signed(source.secret))).toEqual([202, 429]);
  // Over the rate, a bad signature is still 401: whether there is room is nobody's business.
  expect((await signed('wrong')).status).toBe(401);

  const bearer = await seed.source('bearer', { perSecond: 1, burst: 1 });
  const withToken = (secret: string) => send(bearer, '{}', { Authorization: `Bearer ${secret}` });
  expect(new Set(await times(20, () => withToken('wrong')))).toEqual(new Set([401]));
  expect(await times(2, () => withToken(bearer.secret))).toEqual([202, 429]);
});

test('a request spends it once it is authenticated, whatever becomes of it', async () => {
  const source = await seed.source('none', { perSecond: 1, burst: 3 });
  const bad = [
    await send(source, '{'),
    await send(source, '{}', { 'Content-Type': 'text/html' }),
    await send(source, '{}', { 'X-Ingest-Idempotency-Key': 'x'.repeat(256) }),
    await send(source, '{}'),
  ];
  expect(bad.map(answer => answer.status)).toEqual([400, 415, 400, 429]);
});

test('over the rate comes before anything that is wrong with the body', async () => {
  const source = await seed.source('none', { perSecond: 1, burst: 1 });
  await send(source);
  expectRefused(await send(source, '{', { 'Content-Type': 'text/plain' }), tooMany);
  expectRefused(await send(source, 'x'.repeat(5 * 1024 * 1024 + 1)), tooMany);
});

test('a retry with a known key spends it too', async () => {
  const source = await seed.source('none', { perSecond: 1, burst: 2 });
  const key = { 'X-Ingest-Idempotency-Key': 'k' };
  expect(await times(3, () => send(source, '{}', key))).toEqual([202, 202, 429]);
});

test('a clock set back neither frees nor freezes it', async () => {
  const source = await seed.source('none', { perSecond: 1, burst: 2 });
  expect(await times(3, () => send(source))).toEqual([202, 202, 429]);
  now -= hours(1);
  expect(await times(2, () => send(source))).toEqual([429, 429]);
  now += seconds(1);
  expect(await times(2, () => send(source))).toEqual([202, 429]);
});

test('a changed rate holds from the next request', async () => {
  const source = await seed.source('none', { perSecond: 1, burst: 1 });
  expect(await times(2, () => send(source))).toEqual([202, 429]);
  await service.engine.configuration.updateSource(seed.orgId, source.id, { ratePerSecond: 0 }, now);
  expect(await times(2, () => send(source))).toEqual([202, 202]);
});
