import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import type { BadgesRecord } from '@sluice/contract/dashboard-figures';
import type { MapRecord, OverviewRecord } from '@sluice/contract/dashboard-overview';
import { hours } from '../../src/core/clock.ts';
import { sum } from '../support/counted-shop.ts';
import { dataOf, listOf, readAll } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

/** What the overview says of destinations that are in trouble, with a clock that can be put forward. */

let flow: Flow;
let receiver: Receiver;
let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs };

beforeAll(async () => {
  receiver = startReceiver(() => new Response('', { status: 503 }));
  flow = await startFlow({ clock });
});

afterAll(async () => {
  await flow.stop();
  await receiver.stop();
});

const overview = async () => dataOf<OverviewRecord>(await flow.browser.get('/overview?minutes=60'));
const listed = (query: string) => readAll(flow.browser, `/deliveries?${query}`);

/** A destination that refuses everything, and whose deliveries outlast a day of that. */
async function refusing(name: string, events: number): Promise<string> {
  const { id } = await flow.destination({
    kind: 'webhook',
    name,
    config: { url: receiver.url },
    policy: { attempts: 9, schedule_s: [0, 86_400], timeout_s: 30 },
  });
  await flow.routeTo({ id, when: `event.type == "${name}"` });
  await Promise.all(Array.from({ length: events }, () => flow.send({}, name)));
  return id;
}

test('all that waits for a destination is counted, however long it has been down', async () => {
  const id = await refusing('down', 70);
  const isDown = async () => (await overview()).wrong.some(one => one.id === id && one.state === 'down');
  await until(isDown, 'It is not down.');
  await until(async () => (await listed(`destination=${id}&state=open`)).length === 70, 'Not all were made.');
  aheadMs += hours(2);
  await flow.send({}, 'down');
  await until(async () => (await listed(`destination=${id}&state=open`)).length === 71, 'It was not made.');
  const { wrong, failing } = await overview();
  const waiting = { count: 71, more: false };
  expect(wrong.find(one => one.id === id)).toEqual({ id, state: 'down', waiting });
  expect(failing.find(one => one.id === id)).toMatchObject({
    state: 'down',
    waiting,
    dead: { count: 0, more: false },
    delivered: 0,
  });
});

test('what is paused is down nowhere, and down everywhere once it is resumed', async () => {
  const id = await refusing('paused', 0);
  const openedAt = clock.now();
  const opened = { openedAt, nextProbeAt: openedAt + hours(1), failure: 'It answered 503.' };
  await flow.service.engine.configuration.openBreaker(flow.orgId, id, opened);
  const badge = async () => dataOf<BadgesRecord>(await flow.browser.get('/badges')).destinations_down;
  const list = async () => listOf<DestinationRecord>(await flow.browser.get('/destinations')).data;
  const downs = async () => ({
    badge: await badge(),
    list: (await list()).filter(({ state }) => state === 'down').length,
    strip: (await overview()).wrong.filter(({ state }) => state === 'down').length,
    recent: (await overview()).failing.filter(({ state }) => state === 'down').length,
    map: dataOf<MapRecord>(await flow.browser.get('/map')).destinations.filter(
      ({ state }) => state === 'down',
    ).length,
  });
  const all = (count: number) => ({ badge: count, list: count, strip: count, recent: count, map: count });
  const before = await badge();
  expect(await downs()).toEqual(all(before));
  await flow.browser.post(`/destinations/${id}/pause`);
  expect(await downs()).toEqual(all(before - 1));
  await flow.browser.post(`/destinations/${id}/resume`);
  expect(await downs()).toEqual(all(before));
});

test('a destination that fails is wrong as long as it is failing, however many others are', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 22; n++) ids.push(await refusing(`failing ${n}`, 1));
  const failing = async () => (await overview()).wrong.filter(({ state }) => state === 'failing');
  await until(async () => (await failing()).length === 22, 'Not all of them are failing.');
  const list = await readAll<DestinationRecord>(flow.browser, '/destinations');
  expect(list.filter(({ state }) => state === 'failing')).toHaveLength(22);
  expect((await failing()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  aheadMs += hours(1);
  expect(await failing()).toEqual([]);
});

test('failed is one thing: what a pipeline failed with, whatever another made of it, until it is discarded', async () => {
  const hook = await makeWebhook(flow.service.url, flow.browser);
  const inbox = (await flow.destination({ kind: 'inbox', name: 'Inbox' })).id;
  await makePipeline(flow.browser, { name: 'Good', sources: [hook.id], destinations: [{ id: inbox }] });
  await makePipeline(flow.browser, {
    name: 'Bad',
    sources: [hook.id],
    steps: [{ kind: 'transform', config: { set: { 'a.b': 1 } } }],
    destinations: [{ id: inbox }],
  });
  const both = await settled(flow.browser, await hook.send({ a: 'a text' }));
  expect(both.state).toBe('processed');
  const figures = async () => {
    const { failed_events, totals } = await overview();
    const list = async (path: string) => (await readAll(flow.browser, path)).length;
    const after = new Date(clock.now() - hours(1)).toISOString();
    return {
      failed: [
        failed_events.count,
        sum(failed_events.counts),
        await list(`/events?outcome=failed&after=${after}`),
        await list(`/dead-letters?kind=event&after=${after}`),
      ],
      processed: [totals.processed, await list(`/events?state=processed&after=${after}`)],
    };
  };
  await until(async () => (await overview()).totals.processed > 0, 'It was not counted.');
  expect((await figures()).failed).toEqual([1, 1, 1, 1]);
  const [processed, listedThere] = (await figures()).processed;
  expect(processed).toBe(listedThere ?? -1);
  await flow.browser.post(`/events/${both.id}/discard`);
  expect((await figures()).failed).toEqual([0, 0, 0, 0]);
});

test('on the map deliveries die along the edge of the pipeline that made them', async () => {
  const picky = startReceiver(({ body }) => new Response('', { status: body.includes('bad') ? 400 : 200 }));
  try {
    const { id } = await flow.destination({
      kind: 'webhook',
      name: 'Picky',
      config: { url: picky.url },
      policy: { attempts: 1 },
    });
    const hook = await makeWebhook(flow.service.url, flow.browser);
    const pipelines: string[] = [];
    for (const [name, when] of [
      ['Good', '!has(payload.bad)'],
      ['Bad', 'has(payload.bad)'],
    ] as const) {
      const input = { name, sources: [hook.id], destinations: [{ id, when }] };
      pipelines.push((await makePipeline(flow.browser, input)).id);
    }
    for (const body of [{ n: 1 }, { bad: 1 }, { bad: 2 }]) await settled(flow.browser, await hook.send(body));
    const map = async () => dataOf<MapRecord>(await flow.browser.get('/map'));
    const isDead = async () => (await map()).destinations.find(one => one.id === id)?.dead.count === 2;
    await until(isDead, 'Not both have died.');
    const { edges } = await map();
    const deadFrom = (from?: string) => edges.find(edge => edge.from === from && edge.to === id)?.dead.count;
    expect(pipelines.map(deadFrom)).toEqual([0, 2]);
  } finally {
    await picky.stop();
  }
});
