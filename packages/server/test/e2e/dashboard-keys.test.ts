import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { KeyRecord, NewKeyRecord } from '@sluice/contract/dashboard-keys';
import { type Browser, dataOf, listOf, readAll, setUp } from '../support/dashboard.ts';
import { expectRefused, ingestWith } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let owner: Browser;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
});
afterAll(() => service.stop());

const createKey = async (name = 'a key') => dataOf<NewKeyRecord>(await owner.post('/keys', { name }));
const sendWith = async (secret: string) =>
  (await ingestWith(service.url, secret)({ events: [{ type: 'x' }] })).status;

test('a key is accepted as soon as it is made, and its secret is shown that once', async () => {
  const answer = await owner.post('/keys', { name: 'till 7' });
  expect(answer.status).toBe(201);
  const { secret, ...record } = dataOf<NewKeyRecord>(answer);
  expect(secret).toMatch(/^sk_[\w-]{43}$/);
  expect(record).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'till 7',
    prefix: secret.slice(0, 10),
    created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    last_used_at: null,
    revoked_at: null,
  });
  expect(await sendWith(secret)).toBe(202);

  const again = await owner.get(`/keys/${record.id}`);
  const list = await owner.get('/keys');
  expect(JSON.stringify([again.body, list.body])).not.toContain(secret);
  expect(Object.keys(dataOf(again)).sort()).toEqual(Object.keys(record).sort());
});

test('its last use shows within a second or so', async () => {
  const { id, secret } = await createKey();
  await sendWith(secret);
  await until(
    async () => dataOf<KeyRecord>(await owner.get(`/keys/${id}`)).last_used_at !== null,
    'the key shows no use',
  );
});

test('a revoked key is rejected with 401 at once', async () => {
  const { id, secret } = await createKey();
  expect(await sendWith(secret)).toBe(202);
  const revoked = dataOf<KeyRecord>(await owner.delete(`/keys/${id}`));
  expect(await sendWith(secret)).toBe(401);
  expect(revoked.revoked_at).not.toBeNull();
  expect(dataOf<KeyRecord>(await owner.delete(`/keys/${id}`))).toEqual(revoked);
  expect(dataOf<KeyRecord>(await owner.get(`/keys/${id}`))).toEqual(revoked);
});

test('a key can be renamed', async () => {
  const { id, secret } = await createKey('before');
  expect(dataOf(await owner.patch(`/keys/${id}`, { name: 'after' }))).toMatchObject({ id, name: 'after' });
  expect(await sendWith(secret)).toBe(202);
});

test('keys are listed newest first, page by page', async () => {
  const made: string[] = [];
  for (let i = 0; i < 3; i++) made.unshift((await createKey(`key ${i}`)).id);
  const page = listOf<KeyRecord>(await owner.get('/keys?limit=2'));
  expect(page.data.map(({ id }) => id)).toEqual(made.slice(0, 2));
  expect(page.next_cursor).toBeString();
  const all = await readAll<KeyRecord>(owner, '/keys?limit=2');
  expect(all.slice(0, 3).map(({ id }) => id)).toEqual(made);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all).toEqual(listOf<KeyRecord>(await owner.get('/keys')).data);
});

test('what is wrong with a request is named', async () => {
  const { id } = await createKey();
  const refusals: [string | undefined, unknown][] = [
    ['name', {}],
    ['name', { name: null }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 7 }],
    ['role', { name: 'x', role: 'admin' }],
    [undefined, []],
  ];
  for (const [path, body] of refusals) {
    for (const answer of [await owner.post('/keys', body), await owner.patch(`/keys/${id}`, body)]) {
      expectRefused(answer, {
        status: 400,
        code: 'validation_failed',
        ...(path === undefined ? {} : { path }),
      });
    }
  }
});
