import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type {
  RejectionGroupRecord,
  RejectionRecord,
  WebhookSourceRecord,
} from '@sluice/contract/dashboard-sources';
import { days, hours, seconds } from '../../src/core/clock.ts';
import { type Browser, dataOf, join, listOf, readAll, setUp } from '../support/dashboard.ts';
import { expectRefused, post, sign } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

type NewSource = WebhookSourceRecord & { url: string; token: string; secret: string };

let service: TestService;
let owner: Browser;
let viewer: Browser;
let now = Date.now() - days(60);
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } });
  owner = await setUp(service);
  viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
});
afterAll(() => service.stop());

const create = async (input: Record<string, unknown> = {}) =>
  dataOf<NewSource>(await owner.post('/sources', { kind: 'webhook', name: 'shop', ...input }));

const deliver = async ({ url }: { url: string }, secret: string) =>
  (await post(url, '{"a":1}', { 'X-Ingest-Signature': sign(secret, '{"a":1}') })).status;

describe('a webhook source', () => {
  test('works from the moment it is made, with hmac and 100 a second by default', async () => {
    const answer = await owner.post('/sources', { kind: 'webhook', name: 'shop' });
    expect(answer.status).toBe(201);
    const source = dataOf<NewSource>(answer);
    expect(source).toEqual({
      id: expect.stringMatching(/^src_/),
      kind: 'webhook',
      name: 'shop',
      enabled: true,
      auth: 'hmac',
      rate: { per_second: 100, burst: 200 },
      url: `${service.url}/whk/${source.token}`,
      token: expect.stringMatching(/^whk_[\w-]{43}$/),
      secret: expect.stringMatching(/^whsec_[\w-]{43}$/),
      previous_secret_until: null,
      created_at: new Date(now).toISOString(),
      updated_at: new Date(now).toISOString(),
      last_event_at: null,
      expect_every_minutes: null,
    });
    expect(await deliver(source, source.secret)).toBe(202);
    expect(await deliver(source, 'another secret')).toBe(401);
    await until(
      async () => dataOf<NewSource>(await owner.get(`/sources/${source.id}`)).last_event_at !== null,
      'the source shows no event',
    );
  });

  test('shows its URL to members and above, and its secret to nobody again', async () => {
    const { id, url, token, secret } = await create();
    const member = await join(service.url, owner, 'member@example.com', 'member');
    expect(dataOf(await member.get(`/sources/${id}`))).toMatchObject({ url, token });
    expect(dataOf(await viewer.get(`/sources/${id}`))).toMatchObject({ url: null, token: null });
    const listed = listOf<NewSource>(await viewer.get('/sources?limit=1')).data[0];
    expect(listed).toMatchObject({ id, url: null, token: null });
    const shown = [await owner.get(`/sources/${id}`), await owner.get('/sources'), await owner.get('/audit')];
    expect(JSON.stringify(shown.map(({ body }) => body))).not.toContain(secret);
  });

  test('is changed field by field, and its endpoint follows at once', async () => {
    const source = await create();
    const change = async (input: unknown) =>
      dataOf<NewSource>(await owner.patch(`/sources/${source.id}`, input));

    expect(await change({ name: 'till' })).toMatchObject({ name: 'till', auth: 'hmac', enabled: true });
    expect(await change({ enabled: false })).toMatchObject({ name: 'till', enabled: false });
    expect(await deliver(source, source.secret)).toBe(403);
    await change({ enabled: true, auth: 'bearer' });
    expect(await deliver(source, source.secret)).toBe(401);
    const bearer = { Authorization: `Bearer ${source.secret}` };
    expect((await post(source.url, '{}', bearer)).status).toBe(202);

    expect(await change({ rate: { per_second: 0.5, burst: 1 } })).toMatchObject({
      rate: { per_second: 0.5, burst: 1 },
    });
    const statuses = [await post(source.url, '{}', bearer), await post(source.url, '{}', bearer)];
    expect(statuses.map(({ status }) => status)).toEqual([202, 429]);
    expect(statuses[1]?.headers.get('retry-after')).toBe('2');
    await change({ rate: { per_second: 0 } });
    for (let i = 0; i < 5; i++) expect((await post(source.url, '{}', bearer)).status).toBe(202);
    expect(dataOf(await owner.patch(`/sources/${source.id}`, {}))).toMatchObject({ name: 'till' });
  });

  test('is gone once it is deleted', async () => {
    const source = await create();
    expect(dataOf(await owner.delete(`/sources/${source.id}`))).toEqual({ id: source.id, deleted: true });
    expect(await deliver(source, source.secret)).toBe(404);
    for (const answer of [
      await owner.get(`/sources/${source.id}`),
      await owner.patch(`/sources/${source.id}`, { name: 'x' }),
      await owner.delete(`/sources/${source.id}`),
      await owner.post(`/sources/${source.id}/rotate`),
      await owner.get(`/sources/${source.id}/rejections`),
    ]) {
      expectRefused(answer, { status: 404, code: 'not_found' });
    }
  });
});

describe('rotating a secret', () => {
  const rotate = async (id: string, body?: unknown) =>
    dataOf<NewSource>(await owner.post(`/sources/${id}/rotate`, body));

  test('lets the old one hold for a day beside the new one', async () => {
    const source = await create();
    const rotated = await rotate(source.id);
    expect(rotated.secret).not.toBe(source.secret);
    expect(rotated.previous_secret_until).toBe(new Date(now + hours(24)).toISOString());
    now += hours(24) - 1;
    expect(await deliver(source, source.secret)).toBe(202);
    expect(await deliver(source, rotated.secret)).toBe(202);
    now += 1;
    expect(await deliver(source, source.secret)).toBe(401);
    expect(await deliver(source, rotated.secret)).toBe(202);
  });

  test('lets it hold for as long as is asked, or not at all', async () => {
    const source = await create();
    const second = await rotate(source.id, { overlap_s: 60 });
    now += seconds(59);
    expect(await deliver(source, source.secret)).toBe(202);
    now += seconds(1);
    expect(await deliver(source, source.secret)).toBe(401);
    const third = await rotate(source.id, { overlap_s: 0 });
    expect(await deliver(source, second.secret)).toBe(401);
    expect(await deliver(source, third.secret)).toBe(202);
    expect(third.previous_secret_until).toBeNull();
  });

  test('refuses nonsense, and a source that has no secret', async () => {
    const { id } = await create();
    for (const overlap_s of [-1, 0.5, '60', null, 30 * 86_400 + 1]) {
      expectRefused(await owner.post(`/sources/${id}/rotate`, { overlap_s }), {
        status: 400,
        code: 'validation_failed',
        path: 'overlap_s',
      });
    }
    const sdk = dataOf<{ id: string }>(await owner.post('/sources', { kind: 'sdk', name: 'x', match: '*' }));
    expectRefused(await owner.post(`/sources/${sdk.id}/rotate`), { status: 409, code: 'conflict' });
  });
});

describe('an sdk source', () => {
  test('has a match and neither URL nor secret', async () => {
    const source = dataOf(await owner.post('/sources', { kind: 'sdk', name: 'code', match: 'order.*' }));
    expect(Object.keys(source).sort()).toEqual([
      'created_at',
      'enabled',
      'expect_every_minutes',
      'id',
      'kind',
      'last_event_at',
      'match',
      'name',
      'updated_at',
    ]);
    const path = `/sources/${source.id}`;
    expect(dataOf(await owner.patch(path, { match: '*', enabled: false }))).toMatchObject({
      match: '*',
      enabled: false,
    });
    expectRefused(await owner.patch(path, { auth: 'none' }), {
      status: 400,
      code: 'validation_failed',
      path: 'auth',
    });
  });

  test('shows when an event last came through it, and through no other', async () => {
    const sdk = async (match: string) =>
      dataOf<NewSource>(await owner.post('/sources', { kind: 'sdk', name: match, match })).id;
    const [orders, others] = [await sdk('order.*'), await sdk('other.*')];
    const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'orders' }));
    const sent = await post(`${service.url}/v1/ingest`, '{"events":[{"type":"order.paid"}]}', {
      Authorization: `Bearer ${secret}`,
    });
    expect(sent.status).toBe(202);
    const lastOf = async (id: string) => dataOf<NewSource>(await owner.get(`/sources/${id}`)).last_event_at;
    await until(async () => (await lastOf(orders)) !== null, 'the source shows no event');
    expect(await lastOf(others)).toBeNull();
  });
});

test('what is wrong with a new source is named', async () => {
  const webhook = { kind: 'webhook', name: 'x' };
  const refusals: [string, unknown][] = [
    ['kind', { name: 'x' }],
    ['kind', { ...webhook, kind: 'email' }],
    ['name', { kind: 'webhook' }],
    ['auth', { ...webhook, auth: 'basic' }],
    ['auth', { ...webhook, auth: null }],
    ['rate', { ...webhook, rate: null }],
    ['rate', { ...webhook, rate: 5 }],
    ['rate.per_second', { ...webhook, rate: {} }],
    ['rate.per_second', { ...webhook, rate: { per_second: -1 } }],
    ['rate.per_second', { ...webhook, rate: { per_second: '5' } }],
    ['rate.burst', { ...webhook, rate: { per_second: 1, burst: 0 } }],
    ['rate.burst', { ...webhook, rate: { per_second: 1, burst: 1.5 } }],
    ['rate.window', { ...webhook, rate: { per_second: 1, window: 1 } }],
    ['match', { ...webhook, match: '*' }],
    ['match', { kind: 'sdk', name: 'x' }],
    ['auth', { kind: 'sdk', name: 'x', match: '*', auth: 'none' }],
    ['token', { ...webhook, token: 'mine' }],
    // What is not wanted is left out; only where there may be something to clear is null a word for that.
    ['expect_every_minutes', { ...webhook, expect_every_minutes: null }],
    ['expect_every_minutes', { kind: 'sdk', name: 'x', match: '*', expect_every_minutes: null }],
    ['type_from', { ...webhook, type_from: null }],
    ['url', { ...webhook, auth: 'provider', provider: 'twilio', secret: 's', url: null }],
  ];
  for (const [path, body] of refusals) {
    expectRefused(await owner.post('/sources', body), { status: 400, code: 'validation_failed', path });
  }
});

test('refused requests are listed with time and reason, newest first, without their bodies', async () => {
  const source = await create({ rate: { per_second: 1, burst: 2 } });
  const first = now;
  await post(source.url, '{"secret body":1}', { 'X-Ingest-Signature': 'sha256=00' });
  now += 5;
  await post(source.url, 'no json', { 'X-Ingest-Signature': sign(source.secret, 'no json') });
  await deliver(source, source.secret);
  now += 5;
  await deliver(source, source.secret);

  const path = `/sources/${source.id}/rejections`;
  await until(async () => listOf(await owner.get(path)).data.length === 3, 'the refusals are not listed');
  const { data, next_cursor } = listOf<RejectionRecord>(await viewer.get(path));
  expect(next_cursor).toBeNull();
  expect(data.map(({ at, code }) => [at, code])).toEqual([
    [new Date(first + 10).toISOString(), 'rate_limited'],
    [new Date(first + 5).toISOString(), 'invalid_json'],
    [new Date(first).toISOString(), 'unauthenticated'],
  ]);
  expect(JSON.stringify(data)).not.toContain('secret body');
});

test('refused requests are grouped by reason, with who sent them and no secret of theirs', async () => {
  const source = await create();
  const headers = {
    'User-Agent': 'Sender/1',
    'X-Ingest-Signature': 'a'.repeat(64),
    Authorization: 'Bearer secret-of-theirs',
    'X-Api-Key': 'secret-of-theirs',
    Cookie: 'session=secret-of-theirs',
    'X-Filler': 'f'.repeat(4_000),
  };
  for (let n = 0; n < 7; n++) await post(source.url, '{}', headers);
  now += 5;
  await post(source.url, '{}');
  const path = `/sources/${source.id}/rejections`;
  const read = async () => dataOf<RejectionGroupRecord[]>(await viewer.get(`${path}/groups`));
  await until(async () => (await read()).reduce((sum, { count }) => sum + count, 0) === 8, 'not all listed');
  const groups = await read();
  expect(groups.map(({ code, count, latest }) => [code, count, latest.length])).toEqual([
    ['unauthenticated', 1, 1],
    ['unauthenticated', 7, 5],
  ]);
  const [{ address, headers: kept } = { address: null, headers: {} }] = groups[1]?.latest ?? [];
  expect(address).toBe('127.0.0.1');
  expect(kept).toMatchObject({ 'user-agent': 'Sender/1' });
  const text = JSON.stringify(groups);
  for (const secret of ['secret-of-theirs', 'a'.repeat(64), source.token, 'ffff'])
    expect(text).not.toContain(secret);
  expect(listOf<RejectionRecord>(await owner.get(path)).data[1]).toMatchObject({ address, headers: kept });
  expectRefused(await owner.get('/sources/src_none/rejections/groups'), { status: 404, code: 'not_found' });
});

test('refused requests of one moment are paged through without skipping any', async () => {
  const source = await create();
  for (let i = 0; i < 7; i++) await post(source.url, '{}');
  const path = `/sources/${source.id}/rejections?limit=3`;
  await until(async () => (await readAll(owner, path)).length === 7, 'not all refusals are listed');
});
