import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from '../support/dashboard.ts';
import { cookieOf, dataOf, listOf, logIn, openBrowser, PASSWORD, setUp } from '../support/dashboard.ts';
import { OPEN_TO_LOOPBACK } from '../support/delivery-process.ts';
import { acceptedIds, ingestWith, post, sign } from '../support/endpoints.ts';
import { newFolder } from '../support/folder.ts';
import { change, contentsOfSource, contentsOfTarget, runMove } from '../support/move.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { fillOrganisation, type Tenant } from '../support/trust/tenant.ts';
import { until } from '../support/until.ts';

/**
 * A service with some of everything is moved to PostgreSQL while it works, stopped in the midst of its work, and goes on
 * there. What its senders, receivers and people see is what they saw before.
 */

let database: FreshDatabase;
let receiver: Receiver;
let moved: TestService;
let tenant: Tenant;
let owner: Browser;
let erased: string;
let waiting: string[];
let before: Browser;
let secret: string;

beforeAll(async () => {
  database = await freshDatabase();
  receiver = startReceiver();
  const directory = newFolder();
  const source = await startTestService({ directory, settings: OPEN_TO_LOOPBACK });
  before = await setUp(source);
  tenant = await fillOrganisation(source.url, before);
  const { word, parameters, eventType } = tenant.things;
  const send = ingestWith(source.url, tenant.apiKey);
  await before.patch(`/organisations/${tenant.orgId}`, { searchable_traits: ['word'] });

  const destination = dataOf<{ id: string; secret: string }>(
    await before.post('/destinations', {
      kind: 'webhook',
      name: 'Waits',
      config: { url: receiver.url, auth: { mode: 'hmac' } },
    }),
  );
  secret = destination.secret;
  await before.post(`/destinations/${destination.id}/pause`);
  await before.patch(`/pipelines/${tenant.things.paths['/pipelines']}`, {
    destinations: [{ id: destination.id }],
  });
  const sendWaiting = async (count: number) =>
    acceptedIds(
      await send({
        events: Array.from({ length: count }, (_, n) => ({ type: eventType, payload: { word, n } })),
      }),
    );
  const held = async () =>
    listOf(await before.get(`/deliveries?destination=${destination.id}&state=held`)).data.length;

  waiting = await sendWaiting(3);
  erased = firstId(
    await send({
      events: [
        { type: 'person.seen', payload: { name: 'Canary' }, entity: { kind: 'person', external_id: 'p1' } },
      ],
    }),
  );
  await put(source.url, '/person/p1', { name: 'Canary' });
  await until(async () => (await held()) === 3, 'The deliveries do not wait.');
  expect(await runMove(directory, ['--to', database.url])).toMatchObject({ code: 0, complaint: '' });
  const refused = await runMove(directory, ['--to', database.url, '--finish']);
  expect(refused).toMatchObject({ code: 1, complaint: expect.stringContaining('A service is running on') });

  // Since the copy: an erasure, more events, something deleted, something changed.
  const answer = await fetch(`${source.url}/v1/entities/person/p1?erase_events=true`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${tenant.apiKey}` },
  });
  expect(answer.status).toBe(200);
  waiting.push(...(await sendWaiting(2)));
  await until(async () => (await held()) === 5, 'The deliveries do not wait.');
  await before.delete(`/entities/${parameters.kind}/${word}-twin`);
  await before.post(`/destinations/${destination.id}/resume`, {});
  await before.post(`/destinations/${destination.id}/pause`, {});
  await source.stop();

  // As a process leaves it that was killed while it delivered.
  change(directory, db => {
    db.run(`UPDATE deliveries SET state = 'delivering', lease_token = 'node_gone 1' WHERE state = 'pending'`);
    db.run('UPDATE destinations SET paused = 0');
  });
  expect(await runMove(directory, ['--to', database.url, '--finish'])).toMatchObject({
    code: 0,
    complaint: '',
  });
  expect(await contentsOfTarget(database.url)).toEqual(contentsOfSource(directory));
  moved = await startTestService({ settings: { ...OPEN_TO_LOOPBACK, SLUICE_DATABASE_URL: database.url } });
  owner = openBrowser(moved.url);
  owner.setCookie = cookieOf(before);
});
afterAll(async () => {
  await moved?.stop();
  await receiver.stop();
  await database.drop();
});

const firstId = (answer: Parameters<typeof acceptedIds>[0]): string => acceptedIds(answer)[0] ?? '';
const put = (url: string, path: string, traits: object) =>
  fetch(`${url}/v1/entities${path}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${tenant.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ traits }),
  });
const get = async (path: string) =>
  (await (
    await fetch(`${moved.url}/v1${path}`, { headers: { Authorization: `Bearer ${tenant.apiKey}` } })
  ).json()) as { data: unknown };

test('what a dead process had in hand is delivered, each event once, signed with the secret of before', async () => {
  await until(() => receiver.requests.length >= waiting.length, 'The deliveries do not arrive.');
  await until(
    async () => listOf(await owner.get('/deliveries?state=delivering')).data.length === 0,
    'A delivery does not end.',
  );
  const arrived = receiver.requests.map(({ headers }) => headers.get('x-service-event-id') ?? '');
  expect(arrived.sort()).toEqual(waiting.toSorted());
  for (const { headers, body } of receiver.requests) {
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers.get('x-service-signature') ?? '') ?? [];
    expect(v1).toBe(sign(secret, `${t}.${body}`));
  }
});

test('people are still logged in, and can log in again', async () => {
  expect((await owner.get('/session')).status).toBe(200);
  const { user } = dataOf<{ user: { email: string } }>(await owner.get('/session'));
  await logIn(moved.url, user.email, PASSWORD);
});

test('a sender has the same answers: its key, its ids, its idempotency keys, and its webhook', async () => {
  const { senderId, idempotencyKey, eventType, word, parameters, paths } = tenant.things;
  const send = ingestWith(moved.url, tenant.apiKey);
  const events = [1, 2].map(n => ({
    type: eventType,
    id: `${word}-${n}`,
    payload: { word },
    entity: { kind: parameters.kind, external_id: parameters.external_id },
  }));
  expect(senderId).toBe(`${word}-1`);
  const repeated = await send({ events }, { 'X-Ingest-Idempotency-Key': idempotencyKey });
  expect(acceptedIds(repeated)[0]).toBe(paths['/events']);
  const byId = await send({ events: events.slice(0, 1) });
  expect(byId.body).toMatchObject({ data: { events: [{ id: paths['/events'], duplicate: true }] } });
  expect((await post(`${moved.url}/whk/${parameters.token}`, '{}')).status).toBe(401);
  const fresh = firstId(await send({ events: [{ type: 'after.move' }] }));
  expect(fresh > paths['/events']).toBe(true);
});

test('entities, their links and their index are there', async () => {
  const { kind, external_id, to_external_id } = tenant.things.parameters;
  expect(await get(`/entities/${kind}/${external_id}`)).toMatchObject({
    data: { traits: { word: tenant.things.word } },
  });
  expect(JSON.stringify(await get(`/entities/${kind}/${external_id}/links`))).toContain(to_external_id);
  await until(
    async () =>
      JSON.stringify(await get(`/entities?kind=${kind}&trait.word=${tenant.things.word}`)).includes(
        external_id,
      ),
    'The entity is not found by its trait.',
  );
});

test('what was erased after it had been copied is erased', async () => {
  const event = dataOf(await owner.get(`/events/${erased}`));
  expect(event.payload).toEqual({ erased_at: expect.any(String) });
  expect(JSON.stringify(await contentsOfTarget(database.url))).not.toContain('Canary');
});

test('runs, jobs, dead letters and the audit log are there', async () => {
  const { paths } = tenant.things;
  for (const path of [
    '/events',
    '/jobs',
    '/deliveries',
    '/pipelines',
    '/destinations',
    '/sources',
    '/keys',
  ] as const) {
    if (path === '/keys')
      expect(listOf<{ id: string }>(await owner.get(path)).data.map(({ id }) => id)).toContain(paths[path]);
    else expect([path, (await owner.get(`${path}/${paths[path]}`)).status]).toEqual([path, 200]);
  }
  expect(listOf<{ id: string }>(await owner.get('/audit')).data.length).toBeGreaterThan(5);
  expect(listOf(await owner.get('/dead-letters')).data.length).toBeGreaterThan(0);
});
