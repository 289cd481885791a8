import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type EntityEventRecord, entityEvent, type ShownEntityEvent } from '@sluice/contract/entity';
import { dataOf, listOf } from '../support/dashboard.ts';
import { acceptedIds, expectRefused, ingestWith } from '../support/endpoints.ts';
import { type EntityClient, entityClient } from '../support/entities.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const CANARY = 'canary-77c1';

let flow: Flow;
let apiKey = '';
let client: EntityClient;
beforeAll(async () => {
  flow = await startFlow();
  const made = dataOf<{ secret: string }>(await flow.browser.post('/keys', { name: 'entities' }));
  apiKey = made.secret;
  client = entityClient(flow.service.url, apiKey);
});
afterAll(() => flow.stop());

/** Sends events of the entity and answers their ids. */
async function send(externalId: string, payloads: unknown[]): Promise<string[]> {
  const entity = { kind: 'person', external_id: externalId };
  const events = payloads.map(payload => ({ type: 'order.paid', payload, entity }));
  return acceptedIds(await ingestWith(flow.service.url, apiKey)({ events }));
}

const idsOf = async (path: string) => (await client.readAll<EntityEventRecord>(path)).map(({ id }) => id);

describe('the events of an entity', () => {
  test('are listed newest first, also those that came before it, and outlive it', async () => {
    expectRefused(await client.get('/person/ada/events'), { status: 404, code: 'not_found' });
    const early = await send('ada', [{ n: 1 }]);
    expect(await idsOf('/person/ada/events')).toEqual(early);
    expect(await idsOf('/person/ada/events?identity=true')).toEqual(early);
    await client.put('/person/ada', {});
    const later = await send('ada', [{ n: 2 }, { n: 3 }]);
    await send('eve', [{}]);
    const all = [...early, ...later].toReversed();
    expect(await idsOf('/person/ada/events')).toEqual(all);
    expect(await idsOf('/person/ada/events?limit=1')).toEqual(all);
    await client.delete('/person/ada');
    expect(await idsOf('/person/ada/events')).toEqual(all);
    const [newest] = listOf<EntityEventRecord>(await client.get('/person/ada/events')).data;
    expect(entityEvent.strict().parse(newest)).toMatchObject({
      id: later[1],
      type: 'order.paid',
      payload: { n: 3 },
      entity: { kind: 'person', external_id: 'ada' },
      erased_at: null,
    });
  });

  test('can be those of its whole identity', async () => {
    for (const name of ['x', 'y', 'z']) await client.put(`/person/${name}`, {});
    const ids: string[] = [];
    for (const name of ['x', 'y', 'z', 'x', 'y']) ids.push(...(await send(name, [{}])));
    await client.send('PUT', '/person/x/links/same_as/person/y');
    await client.send('PUT', '/person/y/links/knows/person/z');
    const [x1, y1, , x2, y2] = ids;
    expect(await idsOf('/person/x/events?identity=true')).toEqual([y2, x2, y1, x1] as string[]);
    expect(await idsOf('/person/y/events?identity=true&limit=1')).toEqual([y2, x2, y1, x1] as string[]);
    expect(await idsOf('/person/x/events?identity=false')).toEqual([x2, x1] as string[]);
  });

  test('say on its page what became of each, in the words of the list of events', async () => {
    let isUp = false;
    const receiver = startReceiver(() => new Response('', { status: isUp ? 200 : 500 }));
    const config = { url: receiver.url, auth: { mode: 'none' } };
    const policy = { attempts: 1 };
    const { id } = await flow.destination({ kind: 'webhook', name: 'Comes back', config, policy });
    await flow.routeTo({ id, when: 'entity.external_id == "fay"' });
    const [lost = ''] = await send('fay', [{ n: 1 }]);
    const { id: delivery } = await flow.settled(lost, 'dead');
    const shown = async () => {
      const rows = listOf<ShownEntityEvent>(await flow.browser.get('/entities/person/fay/events')).data;
      return rows.map(event => [event.id, event.state, event.outcome, event.delivery_states]);
    };
    expect(await shown()).toEqual([[lost, 'processed', 'not delivered', { dead: 1 }]]);
    isUp = true;
    await flow.browser.post(`/deliveries/${delivery}/retry`);
    await flow.settled(lost, 'delivered');
    const [later = ''] = await send('fay', [{ n: 12345 }]);
    await flow.settled(later, 'delivered');
    expect(await shown()).toEqual([
      [later, 'processed', 'delivered', { delivered: 1 }],
      [lost, 'processed', 'delivered', { delivered: 1 }],
    ]);
    const [first] = listOf(await flow.browser.get('/entities/person/fay/events?limit=1')).data;
    expect(first).toMatchObject({ id: later, payload: { n: 12345 } });
    // Programs are promised the state.
    for (const event of listOf(await client.get('/person/fay/events')).data)
      entityEvent.strict().parse(event);
    await receiver.stop();
  });

  test('are listed with their payloads as they were sent', async () => {
    await client.put('/person/exact', {});
    const entity = '{"kind":"person","external_id":"exact"}';
    const body = `{"events":[{"type":"x","entity":${entity},"payload":{"n":12345678901234567890}}]}`;
    await ingestWith(flow.service.url, apiKey)(body);
    expect(await client.text('/person/exact/events')).toContain('"payload":{"n":12345678901234567890}');
  });
});

describe('erasing', () => {
  test('takes every payload out of events, runs and attempts, and cancels what is pending', async () => {
    const receiver = startReceiver(() => new Response(CANARY, { status: 500 }));
    const config = { url: receiver.url, auth: { mode: 'none' } };
    const policy = { schedule_s: [0, 3_600] };
    const { id: destination } = await flow.destination({ kind: 'webhook', name: 'Fails', config, policy });
    await flow.routeTo({ id: destination });
    await client.put('/person/bob', { name: CANARY });
    await client.put('/person/carol', {});
    const ids = await send(
      'bob',
      Array.from({ length: 3 }, (_, n) => ({ n, name: CANARY })),
    );
    const [kept = ''] = await send('carol', [{ name: 'carol' }]);
    for (const id of [...ids, kept]) await flow.settled(id, 'retrying');

    const answer = await client.delete('/person/bob?erase_events=true');
    expect([answer.status, answer.body]).toEqual([200, { data: { deleted: true } }]);

    for (const id of ids) {
      const event = dataOf(await flow.browser.get(`/events/${id}`));
      expect(event.payload).toEqual({ erased_at: expect.stringMatching(/^\d{4}-/) });
      expect(JSON.stringify(event)).not.toContain(CANARY);
      const [delivery] = await flow.deliveries(`event=${id}`);
      expect(delivery?.state).toBe('cancelled');
      const whole = dataOf<{ attempts: { request: { body: string }; response: string }[] }>(
        await flow.browser.get(`/deliveries/${delivery?.id}`),
      );
      expect(JSON.stringify(whole)).not.toContain(CANARY);
      expect(whole.attempts[0]?.request.body).toStartWith('Erased on request at ');
      expect(whole.attempts[0]?.response).toStartWith('Erased on request at ');
    }
    expect(listOf(await flow.browser.get(`/events?text=${CANARY}`)).data).toEqual([]);
    const [other] = await flow.deliveries(`event=${kept}`);
    expect(other?.state).toBe('retrying');
    expect(dataOf(await flow.browser.get(`/events/${kept}`)).payload).toEqual({ name: 'carol' });

    await client.put('/person/bob', {});
    const tombstones = await client.readAll<EntityEventRecord>('/person/bob/events');
    expect(tombstones.map(({ id, payload }) => [id, payload])).toEqual(
      ids.toReversed().map(id => [id, null]),
    );
    for (const tombstone of tombstones) expect(tombstone.erased_at).not.toBeNull();

    const [entry] = listOf<{ actor: string; action: string; target: string; details: unknown }>(
      await flow.browser.get('/audit'),
    ).data;
    expect(entry).toMatchObject({
      actor: expect.stringMatching(/^key_/),
      action: 'entity.deleted',
      target: 'person/bob',
      details: { erased_events: 3 },
    });
    await receiver.stop();
  });

  test('is complete before the answer, however many there are', async () => {
    await client.put('/person/many', {});
    const ids = await send(
      'many',
      Array.from({ length: 450 }, (_, n) => ({ n, word: 'needle-450' })),
    );
    expect((await client.delete('/person/many?erase_events=true')).status).toBe(200);
    await client.put('/person/many', {});
    const events = await client.readAll<EntityEventRecord>('/person/many/events?limit=100');
    expect(events).toHaveLength(ids.length);
    expect(events.every(({ payload }) => payload === null)).toBe(true);
  });

  test('is not done without being asked for', async () => {
    await client.put('/person/dora', {});
    const [id = ''] = await send('dora', [{ name: 'dora' }]);
    await client.delete('/person/dora?erase_events=false');
    expect(dataOf(await flow.browser.get(`/events/${id}`)).payload).toEqual({ name: 'dora' });
  });
});

test('pipelines read the traits of the entity of an event', async () => {
  const receiver = startReceiver();
  const config = { url: receiver.url, auth: { mode: 'none' } };
  const { id } = await flow.destination({ kind: 'webhook', name: 'Pros only', config });
  await flow.routeTo({ id, when: 'entity.traits.plan == "pro"' });
  await client.put('/person/free', { plan: 'free' });
  await client.put('/person/pro', { plan: 'pro' });
  await send('free', [{ who: 'free' }]);
  await send('nobody', [{ who: 'nobody' }]);
  await send('pro', [{ who: 'pro' }]);
  await until(() => receiver.requests.length > 0, 'Nothing was delivered.');
  expect(receiver.requests.map(({ body }) => JSON.parse(body).payload)).toEqual([{ who: 'pro' }]);
  await receiver.stop();
});
