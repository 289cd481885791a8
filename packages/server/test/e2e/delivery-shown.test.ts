import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { ExchangeRecord } from '@sluice/contract/dashboard-deliveries';
import { dataOf } from '../support/dashboard.ts';
import { type DeliveryRecord, type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const SECRET = 'token-that-"nobody"-may-see';

let flow: Flow;
let echo: Receiver;
let destination: { id: string };

beforeAll(async () => {
  flow = await startFlow();
  echo = startReceiver(({ headers, body }) =>
    Response.json({ said: Object.fromEntries(headers), token: headers.get('authorization'), body }),
  );
  destination = await flow.destination({
    kind: 'webhook',
    name: 'Echo',
    config: { url: echo.url, auth: { mode: 'bearer', secret: SECRET } },
    policy: { attempts: 2, timeout_s: 3 },
  });
  const { id: inbox } = await flow.destination({ kind: 'inbox', name: 'Inbox' });
  await flow.routeTo(
    { id: destination.id, when: 'event.type == "echo"' },
    { id: inbox, when: 'event.type == "keep"' },
  );
});

afterAll(async () => {
  await flow.stop();
  await echo.stop();
});

const inFull = async (id: string) => dataOf<DeliveryRecord>(await flow.browser.get(`/deliveries/${id}`));

test('a receiver that answers with our secret does not get it shown', async () => {
  const { id } = await flow.settled(await flow.send({ secret: SECRET }, 'echo'), 'delivered');
  expect(echo.requests[0]?.headers.get('authorization')).toBe(`Bearer ${SECRET}`);
  const shown = JSON.stringify(await inFull(id));
  expect(shown).toContain('Bearer …');
  expect(shown).not.toContain('nobody');
  const tested = await flow.browser.post(`/destinations/${destination.id}/test`);
  expect(JSON.stringify(dataOf(tested))).toContain('Bearer …');
  expect(JSON.stringify(dataOf(tested))).not.toContain('nobody');
});

test('a list shows the beginning of what was sent and answered, a delivery by itself all that is kept', async () => {
  const long = 'x'.repeat(5_000);
  const listed = await flow.settled(await flow.send({ long }, 'echo'), 'delivered');
  expect(listed.attempts[0]?.request.body).toHaveLength(1_025);
  expect(listed.attempts[0]?.response).toHaveLength(1_025);
  const [whole] = (await inFull(listed.id)).attempts;
  expect(whole?.request.body).toContain(long);
  expect(whole?.response).toContain(long);
});

test('what took a second to arrive shows the phases and the headers of the answer, without secrets; what was quick does not', async () => {
  const slow = startReceiver(async ({ path }) => {
    if (path === '/slow') await Bun.sleep(1_050);
    return new Response('ok', { headers: { 'x-request-id': '7', 'x-echo': `we saw ${SECRET}` } });
  });
  const to = (path: string) =>
    flow.destination({
      kind: 'webhook',
      name: path,
      config: { url: `${slow.url}/${path}`, auth: { mode: 'bearer', secret: SECRET } },
    });
  const [late, quick] = [await to('slow'), await to('quick')];
  await flow.routeTo(...[late, quick].map(({ id }) => ({ id, when: 'event.type == "both"' })));
  const event = await flow.send({}, 'both');
  const delivered = () => flow.deliveries(`event=${event}&state=delivered`);
  await until(async () => (await delivered()).length === 2, 'They did not both arrive.');
  const attemptOf = async ({ id }: { id: string }) => {
    const found = (await delivered()).find(({ destination }) => destination.id === id);
    return (await inFull(found?.id ?? '')).attempts[0];
  };
  expect(await attemptOf(quick)).toMatchObject({ code: null, exchange: null });
  const attempt = await attemptOf(late);
  expect(attempt).toMatchObject({ code: null, status: 200, response: 'ok' });
  const { exchange } = attempt as unknown as { exchange: ExchangeRecord };
  expect(exchange.headers).toMatchObject({ 'x-request-id': '7', 'x-echo': 'we saw …' });
  expect(exchange.phases.first_byte_ms).toBeGreaterThanOrEqual(1_000);
  await slow.stop();
});

test('the inbox keeps the first 64 KiB', async () => {
  const { id } = await flow.settled(await flow.send({ long: 'x'.repeat(100_000) }, 'keep'), 'delivered');
  expect((await inFull(id)).attempts[0]?.request.body).toHaveLength(64 * 1024);
});

test('what a change of the policy leaves out stays as it is', async () => {
  const path = `/destinations/${destination.id}`;
  const policyOf = async () => dataOf<{ policy: object }>(await flow.browser.get(path)).policy;
  const before = await policyOf();
  await flow.browser.patch(path, { policy: { concurrency: 4 } });
  expect(await policyOf()).toEqual({ ...before, attempts: 2, timeout_s: 3, concurrency: 4 });
});

test('a secret that is kept unseen does not follow the destination to another host', async () => {
  const path = `/destinations/${destination.id}`;
  const change = (url: string, secret: unknown) =>
    flow.browser.patch(path, { config: { url, auth: { mode: 'bearer', secret } } });
  const elsewhere = echo.url.replace('127.0.0.1', '127.0.0.2');
  const refused = await change(elsewhere, { set: true });
  expect(refused.status).toBe(400);
  expect((await change(`${echo.url}/other`, { set: true })).status).toBe(200);
  expect((await change(elsewhere, 'another-token')).status).toBe(200);
});

test('an event shows what was sent and answered up to a bound and says where it is cut; the delivery shows all of it', async () => {
  const long = startReceiver(() => new Response('x'.repeat(16 * 1024)));
  const made = Array.from({ length: 40 }, (_, n) =>
    flow.destination({ kind: 'webhook', name: `long ${n}`, config: { url: long.url } }),
  );
  const ids = (await Promise.all(made)).map(({ id }) => ({ id, when: 'event.type == "long"' }));
  await flow.routeTo(...ids);
  const event = await flow.send({}, 'long');
  const count = async () => (await flow.deliveries(`event=${event}&state=delivered&limit=100`)).length;
  await until(async () => (await count()) >= 40, 'They did not all arrive.');
  const answer = await flow.browser.get(`/events/${event}`);
  expect(JSON.stringify(answer.body).length).toBeLessThan(800_000);
  const { deliveries } = dataOf<{ deliveries: DeliveryRecord[] }>(answer);
  const oldest = deliveries.at(-1);
  expect(deliveries[0]?.attempts[0]).toMatchObject({ cut: false });
  expect(oldest?.attempts[0]).toMatchObject({ cut: true, response: `${'x'.repeat(1_024)}…` });
  const whole = await inFull(oldest?.id ?? '');
  expect(whole.attempts[0]).toMatchObject({ cut: false, response: 'x'.repeat(16 * 1024) });
  await long.stop();
});
