import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let flow: Flow;
let receiver: Receiver;
let secret: string;

beforeAll(async () => {
  flow = await startFlow();
  receiver = startReceiver();
  const destination = await flow.destination({
    kind: 'webhook',
    name: 'Shop',
    config: { url: `${receiver.url}/hook`, auth: { mode: 'hmac' } },
  });
  secret = destination.secret ?? '';
  await flow.routeTo({ id: destination.id });
});

afterAll(async () => {
  await flow.stop();
  await receiver.stop();
});

test('an accepted event arrives as its type and payload, and nothing else', async () => {
  const id = await flow.send({ total: 42 });
  const delivery = await flow.settled(id, 'delivered');
  const seen = receiver.requests.find(request => request.headers.get('x-service-event-id') === id);
  expect(JSON.parse(seen?.body ?? '')).toEqual({ type: 'order.created', payload: { total: 42 } });
  expect(seen?.headers.get('x-service-delivery-id')).toBe(delivery.id);
  expect(delivery.attempts).toMatchObject([{ n: 1, status: 200, code: null }]);
});

test('its signature is the HMAC of the time and the bytes that arrived', async () => {
  const id = await flow.send({ signed: true });
  await flow.settled(id, 'delivered');
  const seen = receiver.requests.find(request => request.headers.get('x-service-event-id') === id);
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(seen?.headers.get('x-service-signature') ?? '') ?? [];
  expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${seen?.body}`).digest('hex'));
});
