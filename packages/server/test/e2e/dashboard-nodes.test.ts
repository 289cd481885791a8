import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { EventSummary } from '@sluice/contract/dashboard-events';
import type { NodesRecord } from '@sluice/contract/dashboard-nodes';
import {
  type Browser,
  cookieOf,
  dataOf,
  listOf,
  logIn,
  openBrowser,
  PASSWORD,
  readAll,
} from '../support/dashboard.ts';
import { acceptedIds, expectRefused, ingestWith } from '../support/endpoints.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let database: FreshDatabase;
let here: TestService;
let there: TestService;
let owner: Browser;
beforeAll(async () => {
  database = await migratedDatabase();
  const settings = { SLUICE_DATABASE_URL: database.url };
  here = await startTestService({ settings });
  there = await startTestService({ settings });
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await database.drop();
});

test('every node prints the same set-up code, and all of them together make one first user', async () => {
  expect(here.service.setupCode).toBe(there.service.setupCode ?? '');
  const input = { code: here.service.setupCode, organisation: 'Acme', password: PASSWORD };
  const answers = await Promise.all(
    [here, there, here, there].map(({ url }, i) =>
      openBrowser(url).post('/setup', { ...input, email: `owner${i}@example.com` }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  const first = answers.findIndex(({ status }) => status === 201);
  owner = await logIn(there.url, `owner${first}@example.com`);
});

test('a session of one node is a session of all', async () => {
  const headers = { Cookie: cookieOf(owner) };
  const elsewhere = await openBrowser(here.url).send('GET', '/session', { headers });
  expect(dataOf(elsewhere)).toEqual(dataOf(await owner.get('/session')));
});

test('each node shows both of them, and the database that they share', async () => {
  const headers = { Cookie: cookieOf(owner) };
  const seenBy = async ({ url }: TestService) =>
    dataOf<NodesRecord>(await openBrowser(url).send('GET', '/nodes', { headers }));
  await until(async () => (await seenBy(here)).nodes.length === 2, 'They do not join.');
  const [one, other] = [await seenBy(here), await seenBy(there)];
  expect(one.nodes.map(({ id }) => id)).toEqual(other.nodes.map(({ id }) => id));
  const self = ({ nodes }: NodesRecord) => nodes.findIndex(({ is_this_one }) => is_this_one);
  expect([self(one), self(other)].toSorted()).toEqual([0, 1]);
  const { hostname: host, port, username } = new URL(database.url);
  const shared = { primary: `${host}:${port || 5432}`, role: username, waits_for: 0, connected: 0 };
  expect(one.database).toMatchObject(shared);
});

test('a key made on one node is accepted by all, and once revoked there it is rejected by all', async () => {
  const { id, secret } = dataOf<{ id: string; secret: string }>(await owner.post('/keys', { name: 'k' }));
  const send = async () => (await ingestWith(here.url, secret)({ events: [{ type: 'x' }] })).status;
  expect(await send()).toBe(202);
  await owner.delete(`/keys/${id}`);
  await until(async () => (await send()) === 401, 'the other node still takes the revoked key');
});

test('lists, filters and searches answer as on the embedded database', async () => {
  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
  const sent = acceptedIds(
    await ingestWith(
      here.url,
      secret,
    )({
      events: [
        { type: 'order.paid', payload: { big: 1 } },
        { type: 'order.paid', entity: { kind: 'customer', external_id: '7' } },
        { type: 'order.sent', payload: { note: '100% "Grüße"' } },
      ],
    }),
  );
  const listed = async (query: string) =>
    listOf<EventSummary>(await owner.get(`/events?${query}`)).data.map(({ id }) => sent.indexOf(id));
  expect(await listed('type=order.paid')).toEqual([1, 0]);
  expect(await listed('entity=customer:7')).toEqual([1]);
  expect(await listed(`text=${encodeURIComponent('100% "grüße"')}`)).toEqual([2]);
  const all = await readAll<EventSummary>(owner, '/events?limit=2');
  expect(all.slice(0, 3).map(({ id }) => sent.indexOf(id))).toEqual([2, 1, 0]);
  const actions = (await readAll<{ action: string }>(owner, '/audit?limit=1')).map(({ action }) => action);
  expect(actions).toEqual([
    'key.created',
    'key.revoked',
    'key.created',
    'session.started',
    'organisation.created',
  ]);
});

test('an id that no database could hold is 404 like any other that is not there', async () => {
  for (const path of ['/events/%00', '/keys/%00', '/sources/a%00b', '/audit/%00', '/members/%00']) {
    expectRefused(await owner.get(path), { status: 404, code: 'not_found' });
  }
});

test('each node counts the other, and enforces its share of a source’s rate', async () => {
  const rate = { per_second: 0.001, burst: 4 };
  const source = { kind: 'webhook', name: 's', auth: 'none', rate };
  const taken = async (node: TestService) => {
    const { token } = dataOf<{ token: string }>(await owner.post('/sources', source));
    let count = 0;
    while ((await fetch(`${node.url}/whk/${token}`, { method: 'POST', body: '{}' })).status === 202) count++;
    return count;
  };
  for (const node of [here, there]) {
    await until(async () => (await taken(node)) === 2, 'a node takes more than its share');
  }
});
