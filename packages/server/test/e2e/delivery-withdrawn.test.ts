import { afterAll, beforeAll, expect, test } from 'bun:test';
import { dataOf } from '../support/dashboard.ts';
import { type DeliveryRecord, type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

let flow: Flow;
let receiver: Receiver;
let answer = () => {};

beforeAll(async () => {
  flow = await startFlow();
  const first = new Promise<void>(resolve => {
    answer = resolve;
  });
  receiver = startReceiver(async () => {
    await first;
    return new Response('ok');
  });
});

afterAll(async () => {
  answer();
  await flow.stop();
  await receiver.stop();
});

/** Sends an event of a person. */
async function sendOf(externalId: string, apiKey: string): Promise<string> {
  const entity = { kind: 'person', external_id: externalId };
  const response = await fetch(`${flow.service.url}/v1/ingest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ events: [{ type: 'order.created', payload: { of: externalId }, entity }] }),
  });
  const { data } = (await response.json()) as { data: { events: { id: string }[] } };
  return data.events[0]?.id ?? '';
}

test('what is discarded or erased while it waits behind a slow receiver is not sent', async () => {
  const { secret: apiKey } = dataOf<{ secret: string }>(await flow.browser.post('/keys', { name: 'people' }));
  const { id } = await flow.destination({
    kind: 'webhook',
    name: 'Slow',
    config: { url: receiver.url },
    policy: { concurrency: 1 },
  });
  await flow.routeTo({ id });
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  await fetch(`${flow.service.url}/v1/entities/person/ada`, {
    method: 'PUT',
    headers,
    body: '{"traits":{}}',
  });
  await flow.send({ n: 'first' });
  await until(() => receiver.requests.length === 1, 'The first did not go out.');
  const erased = await sendOf('ada', apiKey);
  const discarded = await flow.send({ n: 'discarded' });
  const deliveryOf = async (event: string) =>
    (await flow.deliveries(`event=${event}`))[0] as DeliveryRecord | undefined;
  const isQueued = async (event: string) => (await deliveryOf(event))?.state === 'delivering';
  await until(async () => (await isQueued(erased)) || (await isQueued(discarded)), 'Nothing was claimed.');
  await until(async () => (await deliveryOf(discarded)) !== undefined, 'There is nothing to discard.');
  await flow.browser.post(`/deliveries/${(await deliveryOf(discarded))?.id}/discard`);
  await fetch(`${flow.service.url}/v1/entities/person/ada?erase_events=true`, { method: 'DELETE', headers });
  const last = await flow.send({ n: 'last' });
  answer();
  await flow.settled(last, 'delivered');
  expect(receiver.requests.map(({ body }) => JSON.parse(body).payload.n)).toEqual(['first', 'last']);
  expect((await deliveryOf(erased))?.state).toBe('cancelled');
});
