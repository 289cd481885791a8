import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { DestinationProbeRecord, DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import type { DeadLetterSummary, DeliveryRecord } from '@sluice/contract/dashboard-letters';
import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { minutes, seconds } from '../../src/core/clock.ts';
import { dataOf, join, listOf } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

/** A destination that goes down, over real HTTP, with a clock that can be put forward. */

let flow: Flow;
let receiver: Receiver;
let aheadMs = 0;
const healthy = new Set<string>();
const clock = { now: () => Date.now() + aheadMs };

beforeAll(async () => {
  receiver = startReceiver(({ path }) => new Response('', { status: healthy.has(path) ? 200 : 503 }));
  flow = await startFlow({ clock });
});

afterAll(async () => {
  await flow.stop();
  await receiver.stop();
});

/** A destination at a path of its own, which answers 503 until that is well, and 50 failures and more waiting. */
async function downWith(name: string, events: number) {
  const { id } = await flow.destination({
    kind: 'webhook',
    name,
    config: { url: `${receiver.url}/${name}` },
    policy: { attempts: 2, schedule_s: [0, 1], timeout_s: 30 },
  });
  await flow.routeTo({ id, when: `event.type == "${name}"` });
  await Promise.all(Array.from({ length: events }, () => flow.send({}, name)));
  const read = async () => dataOf<DestinationRecord>(await flow.browser.get(`/destinations/${id}`));
  return { id, read, recover: () => healthy.add(`/${name}`) };
}

/** One whose breaker is open with nothing waiting. */
async function downAndIdle(name: string) {
  const idle = await downWith(name, 0);
  const openedAt = clock.now();
  const opened = { openedAt, nextProbeAt: openedAt + seconds(1), failure: 'It answered 503.' };
  await flow.service.engine.configuration.openBreaker(flow.orgId, idle.id, opened);
  return idle;
}

const states = async (id: string, state: string) =>
  flow.service.engine.deliveryQueue.countDeliveries(flow.orgId, { destination: id, state: state as 'dead' });

test('a short outage ends nothing; a delivery that is tried by hand closes the breaker, and all arrive', async () => {
  const { id, read, recover } = await downWith('short', 120);
  await until(async () => (await read()).breaker.state === 'open', 'The breaker did not open.');
  const { breaker } = await read();
  expect(breaker.waiting).toBeGreaterThan(20);
  expect(breaker.last_failure).toContain('503');
  expect(Date.parse(breaker.next_probe_at ?? '')).toBeGreaterThan(Date.parse(breaker.opened_at ?? ''));
  aheadMs += minutes(10);
  await until(
    async () => Date.parse((await read()).breaker.last_probe_at ?? '') > clock.now() - minutes(5),
    'No probe went out.',
  );
  recover();
  const probed = dataOf<DestinationProbeRecord>(await flow.browser.post(`/destinations/${id}/probe`));
  expect(probed).toEqual({ sent: 'delivery', test: null });
  await until(async () => (await read()).breaker.state === 'closed', 'The breaker did not close.');
  const over = async () => (await states(id, 'delivered')) + (await states(id, 'dead')) === 120;
  await until(over, 'Not everything that waited has arrived.');
  // What was attempted before it opened may have spent its two attempts: 50 and 16 at once. What waited has not.
  expect(await states(id, 'dead')).toBeLessThanOrEqual(33);
  expect(await flow.deliveries(`destination=${id}&code=destination_down`)).toEqual([]);
});

test('after 15 minutes what waits is dead, and says since when its destination was down', async () => {
  const { id, read } = await downWith('long', 80);
  await until(async () => (await read()).breaker.state === 'open', 'The breaker did not open.');
  const { breaker } = await read();
  aheadMs += minutes(16);
  await until(
    async () => Date.parse((await read()).breaker.last_probe_at ?? '') > clock.now() - minutes(1),
    'No probe went out.',
  );
  await until(async () => {
    aheadMs += seconds(5);
    return (await states(id, 'dead')) === 80;
  }, 'What waits was not given up.');
  const [dead] = await flow.deliveries(`destination=${id}&code=destination_down`);
  const { outage, status } = dataOf<DeliveryRecord>(await flow.browser.get(`/deliveries/${dead?.id}`));
  // As the group of dead letters that it is in has it, whatever its last attempt was answered with.
  expect(status).toBeNull();
  const { by_destination } = dataOf<DeadLetterSummary>(
    await flow.browser.get(`/dead-letters/summary?destination=${id}&code=destination_down`),
  );
  expect(by_destination.map(group => group.status)).toEqual([status]);
  expect(outage?.down_since).toBe(breaker.opened_at ?? '');
  expect(Date.parse(outage?.last_probe_at ?? '')).toBeGreaterThan(
    Date.parse(breaker.opened_at ?? '') + minutes(15),
  );
  // Nothing is left to probe with.
  expect((await read()).breaker).toMatchObject({ state: 'open', waiting: 0, next_probe_at: null });
});

test('a destination is failing while its last failure is recent, down while its breaker is open, and paused before that', async () => {
  const { id, read } = await downWith('once', 1);
  await until(async () => (await states(id, 'dead')) === 1, 'It is not dead.');
  await until(async () => (await read()).state === 'failing', 'It is not failing.');
  aheadMs += minutes(12);
  expect((await read()).state).toBe('active');
  const down = await downAndIdle('open');
  expect((await down.read()).state).toBe('down');
  await flow.browser.post(`/destinations/${down.id}/pause`);
  expect(await down.read()).toMatchObject({ state: 'paused', breaker: { state: 'open' } });
  // Nothing failed there lately, so that nothing is wrong with it until it is resumed.
  const { failing } = dataOf<OverviewRecord>(await flow.browser.get('/overview?minutes=60'));
  expect(failing.find(one => one.id === down.id)).toBeUndefined();
});

test('a test that arrives closes the breaker, and one that fails does not', async () => {
  const { id, read, recover } = await downAndIdle('tested');
  expect((await read()).breaker).toMatchObject({ state: 'open', waiting: 0, next_probe_at: null });
  expect(dataOf(await flow.browser.post(`/destinations/${id}/test`))).toMatchObject({ outcome: 'failed' });
  expect((await read()).breaker.state).toBe('open');
  recover();
  expect(dataOf(await flow.browser.post(`/destinations/${id}/test`))).toMatchObject({ outcome: 'delivered' });
  expect((await read()).breaker).toEqual({
    state: 'closed',
    opened_at: null,
    last_probe_at: null,
    next_probe_at: null,
    last_failure: null,
    waiting: 0,
  });
});

test('with nothing waiting, trying it now sends a test; what is asked for is on record', async () => {
  const { id, read, recover } = await downAndIdle('idle');
  recover();
  expect(dataOf(await flow.browser.post(`/destinations/${id}/probe`))).toMatchObject({
    sent: 'test',
    test: { outcome: 'delivered', status: 200 },
  });
  expect((await read()).breaker.state).toBe('closed');
  const audit = await flow.service.engine.configuration.listAudit(flow.orgId, { limit: 1, below: null });
  expect(audit[0]).toMatchObject({
    action: 'destination.probed',
    target: id,
    details: { sent: 'test', outcome: 'delivered' },
  });
  expect((await flow.browser.post('/destinations/dst_nowhere/probe')).status).toBe(404);
  const viewer = await join(flow.service.url, flow.browser, 'viewer@example.com', 'viewer');
  expect((await viewer.post(`/destinations/${id}/probe`)).status).toBe(403);
});

test('where all that waits is due later, trying it now sends the first of it, which spends no attempt', async () => {
  const { deliveryQueue, configuration } = flow.service.engine;
  const { id } = await flow.destination({
    kind: 'webhook',
    name: 'quiet',
    config: { url: `${receiver.url}/quiet` },
    policy: { attempts: 2, schedule_s: [0, 3_600], timeout_s: 30 },
  });
  await flow.routeTo({ id, when: 'event.type == "quiet"' });
  for (let n = 0; n < 2; n++) await flow.settled(await flow.send({}, 'quiet'), 'retrying');
  const waiting = (dueBy: number) =>
    deliveryQueue.listWaiting(flow.orgId, id, { dueBy, after: null, limit: 9 });
  const [first] = await waiting(clock.now() + minutes(120));
  const openedAt = clock.now();
  const opened = { openedAt, nextProbeAt: openedAt + seconds(20), failure: 'It answered 503.' };
  await configuration.openBreaker(flow.orgId, id, opened);
  const tryNow = async () => dataOf(await flow.browser.post(`/destinations/${id}/probe`));
  expect(await tryNow()).toEqual({ sent: 'delivery', test: null });
  const probed = () => configuration.findDestination(flow.orgId, id);
  await until(async () => (await probed())?.breaker?.lastProbeAt != null, 'No probe went out.');
  await until(async () => {
    const [probe] = await waiting(clock.now() + minutes(1));
    return probe?.id === first?.id && probe?.attemptsMade === 1 && probe.waitingFrom === first?.dueAt;
  }, 'It has spent an attempt, or would be given up sooner.');
  healthy.add('/quiet');
  expect(await tryNow()).toEqual({ sent: 'delivery', test: null });
  await until(async () => (await probed())?.breaker === null, 'The breaker did not close.');
  await until(async () => (await states(id, 'delivered')) === 1, 'It is not delivered.');
  expect(await states(id, 'retrying')).toBe(1);
  // No test event was among what it got.
  const bodies = receiver.requests
    .filter(({ path }) => path === '/quiet')
    .map(({ body }) => JSON.parse(body));
  expect(new Set(bodies.map(({ type }) => type))).toEqual(new Set(['quiet']));
});

test('with a probe under way, trying it now sends a test, and what waits keeps its time', async () => {
  const { deliveryQueue, configuration } = flow.service.engine;
  const { id } = await flow.destination({
    kind: 'webhook',
    name: 'probed',
    config: { url: `${receiver.url}/probed` },
    policy: { attempts: 2, schedule_s: [0, 3_600], timeout_s: 30 },
  });
  await flow.routeTo({ id, when: 'event.type == "probed"' });
  await flow.settled(await flow.send({}, 'probed'), 'retrying');
  const first = () => deliveryQueue.readBacklogOf(flow.orgId, id, 1);
  const before = await first();
  const openedAt = clock.now();
  await configuration.openBreaker(flow.orgId, id, { openedAt, nextProbeAt: openedAt, failure: 'No.' });
  const probe = { now: openedAt, until: openedAt + minutes(60), token: 'another node', firstDueAt: openedAt };
  expect((await configuration.takeProbe(flow.orgId, id, probe)).isTaken).toBe(true);
  expect(dataOf(await flow.browser.post(`/destinations/${id}/probe`))).toMatchObject({
    sent: 'test',
    test: { outcome: 'failed' },
  });
  expect(await first()).toEqual(before);
});

test('with nothing waiting the next delivery is the probe, at once', async () => {
  const { read, recover } = await downAndIdle('next');
  recover();
  const event = await flow.send({}, 'next');
  await flow.settled(event, 'delivered');
  await until(async () => (await read()).breaker.state === 'closed', 'The breaker did not close.');
});

test('what waits is counted while it is paused or retried, too, so that a form can say so before it is saved', async () => {
  const policy = { attempts: 3, schedule_s: [0, 3_600], timeout_s: 30 };
  const config = { url: `${receiver.url}/counted` };
  const { id } = await flow.destination({ kind: 'webhook', name: 'counted', config, policy });
  await flow.routeTo({ id, when: 'event.type == "counted"' });
  const waiting = async () =>
    dataOf<DestinationRecord>(await flow.browser.get(`/destinations/${id}`)).breaker.waiting;
  expect(await waiting()).toBe(0);
  await flow.settled(await flow.send({}, 'counted'), 'retrying');
  expect(await waiting()).toBe(1);
  await flow.browser.post(`/destinations/${id}/pause`);
  await flow.settled(await flow.send({}, 'counted'), 'held');
  expect(await waiting()).toBe(2);
  // In a list the figures beside it say so.
  const listed = listOf<DestinationRecord>(await flow.browser.get('/destinations')).data;
  expect(listed.find(one => one.id === id)?.breaker.waiting).toBeNull();
});
