import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import type { DestinationTestRecord } from '@sluice/contract/dashboard-deliveries';
import type { MessagePreview, TestEventRecord } from '@sluice/contract/dashboard-test-events';
import pg from 'pg';
import { type Browser, dataOf, join, listOf, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** What people try before it is in earnest: tests with any event, previews, saved test events. */

const BASE = 'https://sluice.example.com';
const PAGES = `${BASE}/o/acme`;

let service: TestService;
let owner: Browser;
let viewer: Browser;
let theirs: Browser;
let receiver: Receiver;
let database: FreshDatabase;
/** It came in, and a pipeline has left it in another shape for the webhook and the chat. */
let eventId = '';
let hook = '';
let chat = '';

beforeAll(async () => {
  [service, database] = await Promise.all([
    startTestService({
      settings: {
        SLUICE_ALLOW_ADDRESSES: '127.0.0.1/32',
        SLUICE_ALLOW_HTTP: 'true',
        SLUICE_BASE_URL: BASE,
      },
    }),
    freshDatabase(),
  ]);
  receiver = startReceiver();
  owner = await setUp(service);
  viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  theirs = await stranger(service.url, owner, 'stranger@example.com');
  const shop = await makeWebhook(service.url, owner, 'Shop');
  hook = await makeDestination('webhook', { url: `${receiver.url}/hook` });
  chat = await makeDestination('slack', { url: `${receiver.url}/chat` });
  await makePipeline(owner, {
    sources: [shop.id],
    steps: [{ kind: 'transform', config: { template: { order: '$event.payload.id' } } }],
    destinations: [{ id: hook }, { id: chat }],
  });
  eventId = await shop.send({ type: 'order.paid', id: 9007, note: '<b>&</b>' });
  await settled(owner, eventId);
  await until(() => receiver.requests.length === 2, 'It did not arrive.');
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
  await database.drop();
});

async function makeDestination(kind: string, config: object): Promise<string> {
  const answer = await owner.post('/destinations', { kind, name: `A ${kind}`, config });
  return dataOf<{ id: string }>(answer).id;
}

const send = async (id: string, body: object = {}) =>
  dataOf<DestinationTestRecord>(await owner.post(`/destinations/${id}/test`, body));

const preview = async (kind: string, config: object, more: object = {}, by = owner) =>
  by.post('/destinations/preview', { kind, config, ...more });

const messageOf = async (...given: Parameters<typeof preview>) =>
  dataOf<MessagePreview>(await preview(...given)).message;

describe('a message that is delivered', () => {
  test('leads to its event in its organisation', () => {
    const arrived = receiver.requests.find(({ path }) => path === '/chat')?.body;
    expect(arrived).toContain(`<${PAGES}/events/${eventId}|Open in Sluice>`);
  });
});

describe('a test', () => {
  test('of any event goes out as its pipeline left it for this destination', async () => {
    const { outcome, request } = await send(hook, { event_id: eventId });
    expect(outcome).toBe('delivered');
    expect(JSON.parse(request.body)).toEqual({ type: 'order.paid', payload: { order: 9007 } });
    expect(request.headers['x-service-event-id']).toBe(eventId);
    const [record] = listOf<AuditRecord>(await owner.get('/audit?limit=1')).data;
    expect(record).toMatchObject({
      action: 'destination.tested',
      target: hook,
      details: { outcome: 'delivered', type: 'order.paid', event: eventId },
    });
  });

  test('of an event that never went there goes out as it came in', async () => {
    const other = await makeDestination('webhook', { url: `${receiver.url}/other` });
    const { request } = await send(other, { event_id: eventId });
    expect(JSON.parse(request.body).payload).toMatchObject({ id: 9007, type: 'order.paid' });
  });

  test('of an event that somebody wrote leads to the destination, since the event has no page', async () => {
    const event = { type: 'order.made_up', payload: { n: 1 } };
    expect(JSON.parse((await send(hook, { event })).request.body)).toEqual(event);
    expect((await send(chat, { event })).request.body).toContain(`${PAGES}/destinations/${chat}`);
    expect((await send(chat)).request.body).toContain('A test of the destination');
  });

  test('names one event at most, and one that is there and theirs', async () => {
    const refused = { status: 400, code: 'validation_failed' };
    const test = (body: object, by = owner) => by.post(`/destinations/${hook}/test`, body);
    expectRefused(await test({ event_id: eventId, event: { type: 'a' } }), { ...refused });
    expectRefused(await test({ event_id: 'evt_none' }), { ...refused, path: 'event_id' });
    expectRefused(await test({ event: { type: '' } }), { ...refused, path: 'event.type' });
    const foreign = await theirs.post('/destinations', { kind: 'inbox', name: 'Inbox' });
    const { id } = dataOf<{ id: string }>(foreign);
    expectRefused(await theirs.post(`/destinations/${id}/test`, { event_id: eventId }), {
      ...refused,
      path: 'event_id',
    });
    expectRefused(await test({ event_id: eventId }, viewer), { status: 403, code: 'forbidden' });
  });

  test('of a PostgreSQL destination inserts and rolls back, and says what a constraint refuses', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('CREATE TABLE orders (event_id text PRIMARY KEY, n int CHECK (n > 0))');
    const id = await makeDestination('postgres', {
      connection_string: database.url,
      table: 'orders',
      columns: { event_id: '$event.id', n: '$event.payload.id' },
    });
    expect(await send(id, { event_id: eventId })).toMatchObject({
      outcome: 'delivered',
      response: expect.stringContaining('ROLLBACK'),
    });
    const refused = await send(id, { event: { type: 'order.paid', payload: { id: -1 } } });
    expect(refused).toMatchObject({ outcome: 'failed', code: 'rejected_by_destination' });
    expect(refused.message).toContain('orders_n_check');
    expect((await client.query('SELECT * FROM orders')).rows).toEqual([]);
    await client.end();
  });
});

describe('a preview', () => {
  const at = { event_id: '' };
  beforeAll(() => {
    at.event_id = eventId;
  });

  test('is what would be sent, of what is filled in so far and without any secret', async () => {
    expect(await messageOf('slack', { text: '*{{payload.id}}* {{payload.note}}' }, at)).toEqual({
      text: '*9007* &lt;b&gt;&amp;&lt;/b&gt;',
    });
    expect(await messageOf('discord', {}, at)).toMatchObject({
      embeds: [{ fields: expect.arrayContaining([{ name: 'id', value: '9007', inline: true }]) }],
    });
    expect(await messageOf('telegram', { bot_token: { set: true } }, at)).toMatchObject({
      text: expect.stringContaining(`<a href="${PAGES}/events/${eventId}">Open in Sluice</a>`),
      parse_mode: 'HTML',
    });
    const mail = await messageOf('email', { from: 'half a', subject: 'Order {{payload.id}}' }, at);
    expect(mail).toMatchObject({
      subject: 'Order 9007',
      html: expect.stringContaining('&lt;b&gt;&amp;&lt;/b&gt;'),
    });
    expect(await messageOf('email', { body: 'Plain' }, at)).toMatchObject({ text: 'Plain', html: null });
  });

  test('of one that exists shows its events as they went there', async () => {
    const text = '{{payload.order}} {{payload.id}}';
    expect(await messageOf('slack', { text }, { ...at, id: chat })).toEqual({ text: '9007 ' });
  });

  test('says at its field what is wrong with a template, and what has no message', async () => {
    const refused = { status: 400, code: 'validation_failed' };
    expectRefused(await preview('slack', { text: '{{payload.' }, at), { ...refused, path: 'config.text' });
    expectRefused(await preview('email', { subject: 'a\nb' }, at), { ...refused, path: 'config.subject' });
    expectRefused(await preview('webhook', {}, at), { ...refused, path: 'kind' });
    expectRefused(await preview('slack', {}, at, theirs), { ...refused, path: 'event_id' });
    expectRefused(await preview('slack', {}, at, viewer), { status: 403, code: 'forbidden' });
  });
});

describe('a test event', () => {
  const event = { type: 'order.paid', icon: '🧾', payload: { id: 1 } };
  const listed = async (by: Browser) => dataOf<TestEventRecord[]>(await by.get('/test-events'));

  test('is saved for the whole organisation, exactly as it was written, and no other sees it', async () => {
    const text = '{"name":"Large","event":{"type":"n","payload":{"n":9007199254740993}}}';
    const made = await owner.send('POST', '/test-events', { body: text });
    expect(made.status).toBe(201);
    const { id } = dataOf<TestEventRecord>(made);
    expect(await listed(viewer)).toMatchObject([{ id, name: 'Large', created_by: 'owner@example.com' }]);
    expect(JSON.stringify(await listed(viewer))).toContain('Large');
    expect(await listed(theirs)).toEqual([]);
    expectRefused(await theirs.delete(`/test-events/${id}`), { status: 404, code: 'not_found' });
    const changed = await owner.patch(`/test-events/${id}`, { name: 'Order', event });
    expect(dataOf(changed)).toMatchObject({ name: 'Order', event });
    expect(dataOf(await owner.delete(`/test-events/${id}`))).toEqual({ id, deleted: true });
    expect(await listed(owner)).toEqual([]);
    const { data } = listOf<AuditRecord>(await owner.get('/audit?limit=3'));
    expect(data.map(({ action }) => action)).toEqual([
      'test_event.deleted',
      'test_event.changed',
      'test_event.created',
    ]);
    expect(JSON.stringify(data)).not.toContain('9007199254740993');
  });

  test('is refused where it is too large, no event, or one too many', async () => {
    const save = (body: object, by = owner) => by.post('/test-events', body);
    const large = { type: 'a', payload: { text: 'x'.repeat(65 * 1024) } };
    expectRefused(await save({ name: 'Large', event: large }), {
      status: 413,
      code: 'payload_too_large',
      path: 'event',
    });
    expectRefused(await save({ name: 'None', event: { payload: {} } }), {
      status: 400,
      code: 'validation_failed',
      path: 'event.type',
    });
    expectRefused(await save({ name: 'Mine', event }, viewer), { status: 403, code: 'forbidden' });
    for (let n = 0; n < 100; n++) expect((await save({ name: `No ${n}`, event })).status).toBe(201);
    expectRefused(await save({ name: 'One more', event }), { status: 409, code: 'limit_reached' });
  });
});
