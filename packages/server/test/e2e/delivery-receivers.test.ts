import { afterAll, beforeAll, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { dataOf } from '../support/dashboard.ts';
import { type DeliveryRecord, type Flow, startFlow } from '../support/flow.ts';
import { afterRequest, type RawReceiver, startRawReceiver, startReceiver } from '../support/receiver.ts';

/** Receivers that misbehave, as they look at the end of the whole way. The client's own tests have the details. */
let flow: Flow;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  flow = await startFlow();
});
afterAll(async () => {
  await flow.stop();
  for (const stop of stops) await stop();
});

async function sendTo(name: string, url: string, policy: Record<string, unknown> = {}) {
  const { id } = await flow.destination({
    kind: 'webhook',
    name,
    config: { url },
    policy: { attempts: 1, schedule_s: [0], timeout_s: 30, ...policy },
  });
  await flow.routeTo({ id, when: `event.type == "${name}"` });
  return flow.send({}, name);
}

async function raw(answer: Parameters<typeof afterRequest>[0]): Promise<RawReceiver & { url: string }> {
  const receiver = await startRawReceiver(afterRequest(answer));
  stops.push(receiver.stop);
  return { ...receiver, url: `http://127.0.0.1:${receiver.port}/` };
}

test('one that drips a byte a moment is cut at the total deadline', async () => {
  const receiver = await raw(socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 50);
    socket.on('close', () => clearInterval(drip));
  });
  const event = await sendTo('drips', receiver.url, { timeout_s: 1 });
  const { attempts, code } = await flow.settled(event, 'dead');
  expect(code).toBe('timeout');
  expect(attempts).toHaveLength(1);
});

test('one that answers without end is cut at what is kept, and its status decides', async () => {
  const receiver = await raw(socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n');
    const chunk = 'x'.repeat(64 * 1024);
    const pour = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
  });
  const event = await sendTo('endless', receiver.url);
  const { id } = await flow.settled(event, 'delivered');
  const { attempts } = dataOf<DeliveryRecord>(await flow.browser.get(`/deliveries/${id}`));
  expect(attempts[0]?.response.length).toBe(16 * 1024);
});

test('one that answers with a bomb of gzip is inflated no further than is kept', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const receiver = startReceiver(
    () => new Response(bomb, { status: 500, headers: { 'Content-Encoding': 'gzip' } }),
  );
  stops.push(receiver.stop);
  const event = await sendTo('bomb', receiver.url);
  const { attempts, code } = await flow.settled(event, 'dead');
  expect(code).toBe('bad_status');
  expect(attempts[0]?.response.length).toBeLessThanOrEqual(16 * 1024);
});

test('one that redirects is not followed, and the target sees nothing', async () => {
  const target = startReceiver();
  const receiver = startReceiver(() => Response.redirect(`${target.url}/secret`, 307));
  stops.push(target.stop, receiver.stop);
  const event = await sendTo('redirects', receiver.url);
  const { attempts, code } = await flow.settled(event, 'dead');
  expect(code).toBe('bad_status');
  expect(attempts[0]).toMatchObject({ status: 307 });
  expect(attempts[0]?.message).toContain('redirects are not followed');
  expect(target.requests).toHaveLength(0);
});

test('one that is not there is told from one that says no', async () => {
  const closed = startReceiver();
  await closed.stop();
  const refused = await flow.settled(await sendTo('closed', closed.url), 'dead');
  expect(refused.code).toBe('connection_refused');
});

test('an address that is allowed no more is dead at once, and nothing connects', async () => {
  const receiver = startReceiver();
  stops.push(receiver.stop);
  const { id } = await flow.destination({ kind: 'webhook', name: 'moved', config: { url: receiver.url } });
  // As a name does whose answer has changed since it was saved.
  await flow.service.engine.configuration.updateDestination(
    flow.orgId,
    id,
    { config: JSON.stringify({ url: 'https://10.0.0.1/hook', auth: { mode: 'none' } }) },
    Date.now(),
  );
  await flow.routeTo({ id, when: 'event.type == "moved"' });
  const delivery = await flow.settled(await flow.send({}, 'moved'), 'dead');
  expect(delivery).toMatchObject({ code: 'address_not_allowed', attempt: 1 });
});
