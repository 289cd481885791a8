import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Browser, dataOf, readAll, setUp } from '../support/dashboard.ts';
import { blocksIn, workspace } from '../support/markdown-blocks.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts';
import { arrivalsOf, configure, cook, rowsOf, untilQuiet } from '../support/recipe.ts';
import { startTestService, type TestService } from '../support/service.ts';

const cookbook = readdirSync(join(workspace, 'docs/cookbook')).map(name => `docs/cookbook/${name}`);

let service: TestService;
let browser: Browser;
let apiKey: string;
let vendors: Receiver;
let database: FreshDatabase;
beforeAll(async () => {
  vendors = startReceiver(answerAsVendor);
  [service, database] = await Promise.all([
    startTestService({ settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' } }),
    freshDatabase(),
  ]);
  browser = await setUp(service);
  apiKey = dataOf<{ secret: string }>(await browser.post('/keys', { name: 'cookbook' })).secret;
});
afterAll(async () => {
  await service.stop();
  await Promise.all([vendors.stop(), database.drop()]);
});

/** Each as its own API answers; a path that no vendor has is refused, as is a body that it would not read. */
function answerAsVendor({ path, body, headers }: ReceivedRequest): Response {
  const sent = JSON.parse(body) as Record<string, unknown>;
  if (path.startsWith('/services/'))
    return typeof sent.text === 'string' ? new Response('ok') : new Response('no_text', { status: 400 });
  if (path.startsWith('/api/webhooks/')) {
    const isMessage = path.endsWith('?wait=true') && typeof sent.content === 'string';
    return isMessage
      ? Response.json({ id: '1' })
      : Response.json({ code: 50_006, message: 'Cannot send an empty message' }, { status: 400 });
  }
  if (path === '/bot123456:ABC-DEF/sendMessage')
    return Response.json({ ok: true, result: { message_id: 1 } });
  if (path === '/v1/chat/completions') {
    if (headers.get('authorization') !== 'Bearer sk-of-your-own') return new Response('{}', { status: 401 });
    const topic = /refund/i.test(lastMessage(sent)) ? 'billing' : 'technical';
    const message = { role: 'assistant', content: JSON.stringify({ topic }) };
    return Response.json({ choices: [{ message, finish_reason: 'stop' }] });
  }
  const own = ['/github', '/events', '/webhooks', '/orders'].includes(path);
  return new Response(own ? 'ok' : 'nobody lives here', { status: own ? 200 : 404 });
}

const lastMessage = (sent: Record<string, unknown>): string =>
  (sent.messages as { content: string }[]).at(-1)?.content ?? '';

const kitchen = () => ({
  url: service.url,
  apiKey,
  browser,
  replace: (text: string) =>
    text.replaceAll(/https:\/\/[a-z0-9.-]+/g, vendors.url).replaceAll(/postgres:\/\/[^"]+/g, database.url),
});

async function query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

test('the cookbook has ten recipes at least', () => {
  expect(cookbook.length).toBeGreaterThanOrEqual(10);
});

describe('carried out as it is written', () => {
  for (const page of cookbook) {
    test(`${page} brings what it says, and nothing else`, async () => {
      for (const { language, text } of blocksIn(page)) if (language === 'sql') await query(text);
      const source = await configure(page, kitchen());
      const before = vendors.requests.length;
      await cook(page, kitchen(), source);
      await untilQuiet(browser);
      const arrived = vendors.requests
        .slice(before)
        .filter(({ path }) => path !== '/v1/chat/completions')
        .map(({ body }) => JSON.parse(body) as object);
      const promised = arrivalsOf(page);
      const missing = promised.filter(one => !arrived.some(other => Bun.deepMatch(one, other)));
      expect({ missing, arrived: arrived.length }, JSON.stringify(arrived, null, 1)).toEqual({
        missing: [],
        arrived: promised.length,
      });
      const deliveries = await readAll<{ state: string }>(browser, '/deliveries');
      expect(deliveries.filter(({ state }) => state === 'dead')).toEqual([]);
    });
  }
});

test('the orders of the recipe stand in the table, once', async () => {
  const page = 'docs/cookbook/orders-to-postgres.md';
  const rows = await query('SELECT order_id, customer, total, placed_at FROM orders');
  expect(JSON.parse(JSON.stringify(rows))).toEqual(rowsOf(page));
});

test('of the customer that the recipe erases nothing is left but that there was something', async () => {
  const events = await readAll<{ id: string; type: string }>(browser, '/events?type=visit.begun');
  expect(events).toHaveLength(1);
  const event = JSON.stringify(dataOf(await browser.get(`/events/${events[0]?.id}`)));
  expect(event).not.toContain('divorce');
  expect(event).toContain('erased');
});
