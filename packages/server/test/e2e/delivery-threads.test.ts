import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

/** What a receiver and the dashboard see is the same wherever deliveries are sent from. */
let flow: Flow;
let receiver: Receiver;
let answer: () => Response | Promise<Response> = () => new Response('ok');

beforeAll(async () => {
  receiver = startReceiver(() => answer());
  flow = await startFlow({ settings: { SLUICE_SENDING_THREADS: '2' } });
});

afterAll(async () => {
  await flow.stop();
  await receiver.stop();
});

async function routed(kind: string, config: Record<string, unknown>, policy: Record<string, unknown> = {}) {
  const type = `to.${kind}.${receiver.requests.length}`;
  const { id } = await flow.destination({ kind, name: type, config, policy });
  await flow.routeTo({ id, when: `event.type == "${type}"` });
  return { id, send: (payload: Record<string, unknown>) => flow.send(payload, type) };
}

const requestsOf = (path: string) => receiver.requests.filter(request => request.path.startsWith(path));

test('a signed webhook is retried until it arrives, and its secret is shown nowhere', async () => {
  const secret = 'whsec_canary_0123456789';
  let answers = 0;
  answer = () => (answers++ === 0 ? new Response(`no: ${secret}`, { status: 503 }) : new Response(secret));
  const auth = { mode: 'hmac', secret };
  const policy = { schedule_s: [0, 0.01] };
  const { send } = await routed('webhook', { url: `${receiver.url}/signed`, auth }, policy);
  const delivery = await flow.settled(await send({ n: 1 }), 'delivered');
  expect(delivery.attempts.map(({ status, code }) => ({ status, code }))).toEqual([
    { status: 503, code: 'bad_status' },
    { status: 200, code: null },
  ]);
  expect(JSON.stringify(delivery)).not.toContain(secret);
  expect(requestsOf('/signed').map(({ headers }) => headers.get('x-service-attempt'))).toEqual(['1', '2']);
});

test('a template is filled in, also from a payload that a thread of its own reads', async () => {
  answer = () => new Response(null, { status: 204 });
  const config = { url: `${receiver.url}/chat`, text: 'Order {{ payload.n }} of {{ size(payload.text) }}' };
  const { send } = await routed('discord', config);
  await flow.settled(await send({ n: 1, text: 'a' }), 'delivered');
  await flow.settled(await send({ n: 2, text: 'a'.repeat(40_000) }), 'delivered');
  const contents = requestsOf('/chat').map(({ body }) => (JSON.parse(body) as { content: string }).content);
  expect(contents).toEqual(['Order 1 of 1', 'Order 2 of 40000']);
});

test('what waits behind a slow receiver is not sent once its destination is paused', async () => {
  let go = () => {};
  const gate = new Promise<void>(resolve => {
    go = resolve;
  });
  answer = async () => {
    await gate;
    return new Response('ok');
  };
  const { id, send } = await routed('webhook', { url: `${receiver.url}/slow` }, { concurrency: 1 });
  const first = await send({ n: 1 });
  await until(() => requestsOf('/slow').length === 1, 'The first did not go out.');
  const second = await send({ n: 2 });
  await flow.browser.post(`/destinations/${id}/pause`);
  go();
  await flow.settled(first, 'delivered');
  expect((await flow.settled(second, 'held')).attempts).toEqual([]);
  await flow.browser.post(`/destinations/${id}/resume`);
  await flow.settled(second, 'delivered');
  expect(requestsOf('/slow')).toHaveLength(2);
});
