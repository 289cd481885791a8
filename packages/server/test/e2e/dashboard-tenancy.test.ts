import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { type Browser, dataOf, join, listOf, setUp, stranger } from '../support/dashboard.ts';
import { acceptedIds, expectRefused, ingestWith } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let ours: Browser;
let theirs: Browser;
/** What is ours, by what it is. */
const our = { key: '', source: '', event: '', audit: '', member: '', invitation: '', org: '' };
beforeAll(async () => {
  service = await startTestService();
  ours = await setUp(service);
  const idOf = async (path: string, body: unknown) => dataOf<{ id: string }>(await ours.post(path, body)).id;
  theirs = await stranger(service.url, ours, 'stranger@example.com');
  our.org = dataOf<WhoAmI>(await ours.get('/session')).organisation.id;
  our.member = dataOf<WhoAmI>(
    await (await join(service.url, ours, 'member@example.com', 'member')).get('/session'),
  ).user.id;
  our.source = await idOf('/sources', { kind: 'webhook', name: 'shop', auth: 'none' });
  our.invitation = await idOf('/members', { email: 'guest@example.com', role: 'viewer' });
  const { id, secret } = dataOf<{ id: string; secret: string }>(await ours.post('/keys', { name: 'k' }));
  our.key = id;
  const events = [{ type: 'x', entity: { kind: 'customer', external_id: '1' }, payload: { word: 'canary' } }];
  our.event = acceptedIds(await ingestWith(service.url, secret)({ events }))[0] ?? '';
  our.audit = listOf<{ id: string }>(await ours.get('/audit')).data[0]?.id ?? '';
});
afterAll(() => service.stop());

describe('what is ours is not there for them', () => {
  const calls: [string, () => string, unknown?][] = [
    ['GET', () => `/keys/${our.key}`],
    ['PATCH', () => `/keys/${our.key}`, { name: 'x' }],
    ['DELETE', () => `/keys/${our.key}`],
    ['GET', () => `/sources/${our.source}`],
    ['PATCH', () => `/sources/${our.source}`, { enabled: false }],
    ['DELETE', () => `/sources/${our.source}`],
    ['POST', () => `/sources/${our.source}/rotate`, {}],
    ['GET', () => `/sources/${our.source}/rejections`],
    ['GET', () => `/events/${our.event}`],
    ['GET', () => `/audit/${our.audit}`],
    ['GET', () => `/members/${our.member}`],
    ['PATCH', () => `/members/${our.member}`, { role: 'viewer' }],
    ['DELETE', () => `/members/${our.member}`],
    ['GET', () => `/members/${our.invitation}`],
    ['DELETE', () => `/members/${our.invitation}`],
    ['GET', () => `/organisations/${our.org}`],
    ['PATCH', () => `/organisations/${our.org}`, { name: 'x' }],
    ['DELETE', () => `/organisations/${our.org}`],
    ['PUT', () => '/session/organisation', () => ({ id: our.org })],
  ];
  for (const [method, path, body] of calls) {
    test(`${method} ${path().replace(/\/$/, '/{id}')}`, async () => {
      const sent = typeof body === 'function' ? body() : body;
      expectRefused(await theirs.send(method, path(), { body: sent }), { status: 404, code: 'not_found' });
    });
  }

  test('and is still there for us', async () => {
    for (const path of [
      `/keys/${our.key}`,
      `/sources/${our.source}`,
      `/events/${our.event}`,
      `/audit/${our.audit}`,
      `/members/${our.member}`,
      `/members/${our.invitation}`,
      `/organisations/${our.org}`,
    ]) {
      expect((await ours.get(path)).status, path).toBe(200);
    }
    expect(dataOf(await ours.get(`/keys/${our.key}`))).toMatchObject({ name: 'k', revoked_at: null });
    expect(dataOf(await ours.get(`/sources/${our.source}`))).toMatchObject({ enabled: true });
  });
});

test('their lists and searches hold nothing of ours', async () => {
  const paths = [
    '/keys',
    '/sources',
    '/members',
    '/organisations',
    '/audit',
    '/events',
    '/events?text=canary',
    '/events?type=x',
    `/events?source=${our.source}`,
    '/events?entity=customer:1',
    '/map',
    '/overview',
    `/counters?names=received&subject=${our.source}`,
    '/health',
    '/search?text=shop',
    '/search?text=customer:1',
  ];
  for (const path of paths) {
    const text = JSON.stringify((await theirs.get(path)).body);
    for (const id of Object.values(our)) expect(text, path).not.toContain(id);
  }
  expect(listOf(await theirs.get('/events?text=canary')).data).toEqual([]);
  expect(listOf(await ours.get('/events?text=canary')).data).toHaveLength(1);
});

test('a cursor of ours does not open a list of theirs', async () => {
  const { next_cursor } = listOf(await ours.get('/audit?limit=1'));
  expectRefused(await theirs.get(`/audit?cursor=${next_cursor}`), {
    status: 400,
    code: 'invalid_cursor',
    path: 'cursor',
  });
});
