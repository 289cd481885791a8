import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { DestinationRecord, DestinationState } from '@sluice/contract/dashboard-deliveries';
import { type EventSummary, eventOutcomes } from '@sluice/contract/dashboard-events';
import type { BadgesRecord, PipelineFigures } from '@sluice/contract/dashboard-figures';
import type {
  DestinationFigures,
  HealthRecord,
  MapRecord,
  OverviewRecord,
  TopRecord,
} from '@sluice/contract/dashboard-overview';
import { days } from '../../src/core/clock.ts';
import { WHOLE_ORGANISATION } from '../../src/core/stores/counters.ts';
import { latencyName } from '../../src/core/stores/latency.ts';
import { type CountedShop, countsOf, openCountedShop, overviewOf, sum } from '../support/counted-shop.ts';
import { type Browser, dataOf, join, listOf, logIn, readAll, setUp } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { startReceiver } from '../support/receiver.ts';
import {
  startTestService,
  TEST_SECRET_KEY,
  type TestService,
  temporaryDirectory,
} from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let owner: Browser;
let other: Browser;
let made: CountedShop['made'];
beforeAll(async () => {
  ({ service, owner, other, made } = await openCountedShop());
});
afterAll(() => service.stop());

test('the overview adds up to what was sent, each event once', async () => {
  const { totals, latency, series, step_s } = await overviewOf(owner);
  const { processed, dropped, failed, unrouted } = totals;
  expect(totals.received).toBe(6);
  expect(processed + dropped + failed + unrouted).toBe(6);
  expect([dropped, unrouted]).toEqual([1, 1]);
  expect(step_s).toBe(60);
  for (const [name, line] of Object.entries(series)) {
    expect(line, name).toHaveLength(60);
    expect(sum(line), name).toBe(totals[name as 'received']);
  }
  expect(latency.p50_ms).toBeGreaterThan(0);
  expect(latency.p95_ms ?? 0).toBeGreaterThanOrEqual(latency.p50_ms ?? 0);
});

test('the backlog and what fails are shown', async () => {
  const { backlog, dead_letters, failing, has, more_dead, open } = await overviewOf(owner);
  expect([more_dead, open.more, sum(open.counts)]).toEqual([false, false, 1]);
  const exactly = (count: number) => ({ count, more: false });
  expect(backlog).toEqual({
    accepted: exactly(0),
    pending: exactly(0),
    retrying: exactly(0),
    held: exactly(1),
  });
  expect(dead_letters.deliveries).toEqual(exactly(1));
  expect(failing).toEqual([
    {
      id: made.broken,
      name: 'Broken',
      kind: 'webhook',
      state: 'failing',
      failed: 2,
      dead: exactly(1),
      waiting: exactly(0),
      delivered: 0,
    },
  ]);
  expect(has).toEqual({ sources: true, pipelines: true, destinations: true });
});

test('what became of an event is one word, and the list is narrowed by it', async () => {
  const all = await readAll<EventSummary>(owner, '/events');
  const outcomes = all.map(({ outcome }) => outcome).toSorted();
  expect(outcomes).toEqual([
    'delivered',
    'delivered',
    'delivering',
    'dropped',
    'partly delivered',
    'unrouted',
  ]);
  const partly = all.find(({ outcome }) => outcome === 'partly delivered');
  expect(partly).toMatchObject({ state: 'processed', delivery_states: { delivered: 1, dead: 1 } });
  expect(dataOf<EventSummary>(await owner.get(`/events/${partly?.id}`)).outcome).toBe('partly delivered');
  for (const outcome of eventOutcomes) {
    const expected = all.filter(event => event.outcome === outcome).map(({ id }) => id);
    const query = new URLSearchParams({ outcome: outcome.replaceAll(' ', '_') });
    const found = await readAll<EventSummary>(owner, `/events?${query}`);
    expect(
      found.map(({ id }) => id),
      outcome,
    ).toEqual(expected);
  }
  expectRefused(await owner.get('/events?outcome=lost'), {
    status: 400,
    code: 'validation_failed',
    path: 'outcome',
  });
});

test('what came and what failed most often is shown, and each is as long as the list behind it', async () => {
  const { types, other_types, errors } = dataOf<TopRecord>(await owner.get('/overview/top'));
  expect(types).toEqual([
    { type: 'webhook.in.received', count: 4 },
    { type: 'app.started', count: 1 },
    { type: 'unheard', count: 1 },
  ]);
  expect(other_types).toBe(0);
  for (const { type, count } of types) {
    expect(await readAll(owner, `/events?type=${type}`), type).toHaveLength(count);
  }
  expect(errors).toMatchObject([
    {
      state: 'dead',
      at: { id: made.broken, name: 'Broken', kind: 'webhook' },
      code: 'connection_refused',
      count: { count: 1, more: false },
      status: null,
    },
  ]);
  expect(errors[0]?.message).not.toBe('');
  const behind = `/dead-letters?kind=delivery&destination=${made.broken}&code=connection_refused&status=none`;
  expect(await readAll(owner, behind)).toHaveLength(1);
});

test('the time between two moments is shown as any other, and as long as it is asked for', async () => {
  const between = (from: number, to: number) =>
    new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  const minute = 60_000;
  const now = Date.now();
  const then = between(now - 30 * minute, now + minute);
  const record = dataOf<OverviewRecord>(await owner.get(`/overview?${then}`));
  expect(record.totals.received).toBe(6);
  expect(record.present.delivered).toBe(4);
  expect([record.step_s, record.series.received?.length]).toEqual([60, 32]);
  expect(Date.parse(record.from)).toBe(Math.floor((now - 30 * minute) / minute) * minute);
  expect(dataOf<TopRecord>(await owner.get(`/overview/top?${then}`)).types).toHaveLength(3);
  expect(sum(dataOf<MapRecord>(await owner.get(`/map?${then}`)).sources.map(({ total }) => total))).toBe(5);

  const before = between(now - 300 * minute, now - 120 * minute);
  const earlier = dataOf<OverviewRecord>(await owner.get(`/overview?${before}`));
  expect(sum(Object.values(earlier.totals))).toBe(0);
  expect(dataOf<TopRecord>(await owner.get(`/overview/top?${before}`))).toEqual({
    types: [],
    other_types: 0,
    errors: [],
  });
});

test('latency is of all that was delivered within the time and of nothing else, wherever in an hour it begins and ends', async () => {
  const { organisation } = dataOf<WhoAmI>(await owner.get('/session'));
  const hour = 3_600_000;
  const day = Math.floor(Date.now() / (24 * hour)) * 24 * hour - 3 * 24 * hour;
  const at = (hours: number) => day + hours * hour;
  const count = { orgId: organisation.id, subject: WHOLE_ORGANISATION, amount: 1 };
  await service.engine.counters.addCounts(
    [
      { ...count, name: latencyName(600_000), at: at(9.4) },
      { ...count, name: latencyName(1_000), at: at(9.6) },
      { ...count, name: latencyName(10), at: at(15.4) },
      { ...count, name: latencyName(600_000), at: at(15.6) },
    ],
    null,
  );
  const between = { from: new Date(at(9.5)).toISOString(), to: new Date(at(15.5)).toISOString() };
  const { latency } = dataOf<OverviewRecord>(await owner.get(`/overview?${new URLSearchParams(between)}`));
  expect([Date.parse(latency.from), latency.step_s]).toEqual([at(9), 3_600]);
  expect(latency.series.p95).toHaveLength(7);
  const [first, last] = [latency.series.p95[0] ?? 0, latency.series.p95[6] ?? 0];
  expect(first > 500 && first < 2_000).toBe(true);
  expect(last > 5 && last < 20).toBe(true);
  expect(latency.p99_ms).toBeLessThan(2_000);
  expect(latency.p50_ms).toBeLessThan(20);
});

test('there is nothing to compare with where not all of it is kept any more', async () => {
  const { organisation } = dataOf<WhoAmI>(await owner.get('/session'));
  const received = { orgId: organisation.id, subject: WHOLE_ORGANISATION, name: 'received' };
  const then = [10, 31].map(ago => Date.now() - days(ago));
  const [node] = await service.engine.upkeep.listNodes();
  const add = (amount: number) =>
    service.engine.counters.addCounts(
      then.map(at => ({ ...received, at, amount })),
      node?.id ?? '',
    );
  await add(7);
  const week = await overviewOf(owner, 7 * 24 * 60);
  expect(week.before?.received).toBe(7);
  // Of the month before nothing is kept but what no sweep has come to yet.
  const month = await overviewOf(owner, 30 * 24 * 60);
  expect([month.totals.received, month.before]).toEqual([13, null]);
  await add(-7);
});

test('figures are of what was made, by its present state, and each is as long as the list behind it', async () => {
  const { present, failed_events, latency, wrong, before } = await overviewOf(owner);
  const exactly = (count: number) => ({ count, more: false });
  expect(present).toEqual({
    delivered: 4,
    waiting: exactly(0),
    retrying: exactly(0),
    held: exactly(1),
    dead: exactly(1),
  });
  for (const state of ['delivered', 'waiting', 'retrying', 'held', 'dead'] as const) {
    const figure = present[state];
    const listed = await readAll<{ id: string }>(owner, `/deliveries?state=${state}`);
    expect(listed, state).toHaveLength(typeof figure === 'number' ? figure : figure.count);
  }
  const letters = await readAll(owner, '/dead-letters');
  expect(letters).toHaveLength(present.dead.count + failed_events.count);
  expect(wrong).toEqual([{ id: made.broken, state: 'failing', waiting: exactly(0) }]);
  expect(before).toBeNull();
  expect(latency.p99_ms ?? 0).toBeGreaterThanOrEqual(latency.p95_ms ?? 0);
  expect(latency.series.p50).toHaveLength(60);

  const figuresOf = async (id: string) =>
    dataOf<DestinationFigures>(await owner.get(`/destinations/${id}/figures?minutes=60`));
  expect(await figuresOf(made.broken)).toMatchObject({ delivered: 0, dead: exactly(1) });
  expect(await figuresOf(made.paused)).toMatchObject({ delivered: 0, held: exactly(1) });
  expect(await figuresOf(made.inbox)).toMatchObject({ delivered: 4, waiting: exactly(0) });
  expectRefused(await other.get(`/destinations/${made.inbox}/figures`), { status: 404, code: 'not_found' });

  const badges = async () => dataOf<BadgesRecord>(await owner.get('/badges'));
  expect(await badges()).toEqual({ dead_letters: exactly(1), destinations_down: 0, running_jobs: 0 });

  // What recovers is no longer dead.
  const [letter] = await readAll<{ id: string }>(owner, '/deliveries?state=dead');
  await owner.post(`/deliveries/${letter?.id}/discard`);
  expect((await overviewOf(owner)).present.dead).toEqual(exactly(0));
  expect((await badges()).dead_letters).toEqual(exactly(0));
});

test('longer times have wider steps, and the same sums', async () => {
  for (const [minutes, points] of [
    [1_440, 96],
    [10_080, 84],
    [43_200, 120],
  ] as const) {
    const { series, totals, latency } = await overviewOf(owner, minutes);
    expect(series.received).toHaveLength(points);
    expect(totals.received).toBe(6);
    expect(latency.p50_ms).toBeGreaterThan(0);
    const { edges } = dataOf<MapRecord>(await owner.get(`/map?minutes=${minutes}`));
    expect(sum(edges.map(({ total }) => total))).toBeGreaterThanOrEqual(10);
  }
});

test('nothing of it is there for another organisation', async () => {
  expect(sum(Object.values((await overviewOf(other)).totals))).toBe(0);
  for (const id of Object.values(made)) {
    expect(sum(await countsOf(other, id, 'received', 'delivered', 'failed', 'routed')), id).toBe(0);
  }
  expect(await countsOf(other, `${made.hook}>${made.pipeline}`, 'runs')).toEqual([0]);
  expect(dataOf<MapRecord>(await other.get('/map'))).toEqual({
    sources: [],
    pipelines: [],
    destinations: [],
    edges: [],
  });
  const { has, backlog, dead_letters } = await overviewOf(other);
  expect(has).toEqual({ sources: false, pipelines: false, destinations: false });
  expect([backlog.held.count, dead_letters.deliveries.count]).toEqual([0, 0]);
});

describe('how the service is', () => {
  test('is shown to viewers, without a secret', async () => {
    const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
    const answer = await viewer.get('/health');
    const health = dataOf<HealthRecord>(answer);
    expect(health).toMatchObject({
      nodes: 1,
      storage: { engine: 'sqlite', can_write: true, problem: null },
      backlog: { held: { count: 1 } },
    });
    expect(health.version).toMatch(/^\d+\.\d+/);
    expect(health.storage.bytes).toBeGreaterThan(10_000);
    expect(health.storage.free_bytes).toBeGreaterThan(0);
    const text = JSON.stringify(answer.body);
    for (const secret of [TEST_SECRET_KEY, service.directory, 'postgres://']) {
      expect(text).not.toContain(secret);
    }
  });
});

test('a destination that takes what it is sent again is not failing any more, however much failed before', async () => {
  let status = 500;
  const receiver = startReceiver(() => new Response('', { status }));
  try {
    const { id } = dataOf<{ id: string }>(
      await owner.post('/destinations', {
        kind: 'webhook',
        name: 'Moody',
        config: { url: receiver.url, auth: { mode: 'none' } },
        policy: { attempts: 9, schedule_s: [0, 600] },
      }),
    );
    const hook = await makeWebhook(service.url, owner, 'Moods');
    await makePipeline(owner, { name: 'Moods', sources: [hook.id], destinations: [{ id }] });
    const seen = async () => (await overviewOf(owner)).failing.find(one => one.id === id);
    const states = async () => [
      (await seen())?.state ?? 'active',
      dataOf<DestinationRecord>(await owner.get(`/destinations/${id}`)).state,
      listOf<DestinationRecord>(await owner.get('/destinations')).data.find(one => one.id === id)?.state,
      dataOf<MapRecord>(await owner.get('/map')).destinations.find(one => one.id === id)?.state,
    ];
    const all = (state: DestinationState) => [state, state, state, state];
    expect(await states()).toEqual(all('active'));
    await hook.send({ n: 1 });
    await until(async () => (await seen())?.state === 'failing', 'It is not failing.');
    expect(await states()).toEqual(all('failing'));
    const { errors } = dataOf<TopRecord>(await owner.get('/overview/top'));
    expect(errors).toMatchObject([
      { state: 'retrying', at: { id }, code: 'bad_status', status: 500, count: { count: 1, more: false } },
    ]);
    const behind = `/deliveries?state=retrying&destination=${id}&code=bad_status`;
    expect(await readAll(owner, `${behind}&status=500`)).toHaveLength(1);
    expect(await readAll(owner, `${behind}&status=none`)).toEqual([]);
    status = 503;
    await hook.send({ n: 0 });
    const counts = async () =>
      dataOf<TopRecord>(await owner.get('/overview/top')).errors.map(one => [one.status, one.count.count]);
    await until(async () => (await counts()).length === 2, 'Its second status is no group of its own.');
    expect((await counts()).toSorted()).toEqual([
      [500, 1],
      [503, 1],
    ]);
    expect(await readAll(owner, `${behind}&status=503`)).toHaveLength(1);
    status = 200;
    await hook.send({ n: 2 });
    await until(async () => (await seen())?.state === 'active', 'It is still failing.');
    await until(async () => (await seen())?.failed === 2, 'Not all that failed is counted.');
    expect(await seen()).toMatchObject({ waiting: { count: 2, more: false } });
    expect(await states()).toEqual(all('active'));
    await owner.post(`/destinations/${id}/pause`);
    expect(await states()).toEqual(all('paused'));
  } finally {
    await receiver.stop();
  }
});

test.each([
  ['/counters', 'names'],
  ['/counters?names=', 'names'],
  ['/counters?names=a,,b', 'names'],
  ['/counters?names=%27', 'names'],
  [`/counters?names=${Array.from({ length: 13 }, (_, n) => `n${n}`)}`, 'names'],
  ['/counters?names=a&minutes=0', 'minutes'],
  ['/counters?names=a&minutes=43201', 'minutes'],
  ['/counters?names=a&minutes=1.5', 'minutes'],
  ['/overview?minutes=-1', 'minutes'],
  ['/map?minutes=all', 'minutes'],
  ['/map?hours=1', 'hours'],
  ['/overview?from=2026-05-01T12:00:00Z', 'to'],
  ['/overview?from=yesterday&to=2026-05-01T12:00:00Z', 'from'],
  ['/overview/top?from=2026-05-01T12:00:00Z&to=2026-05-01T12:00:00Z', 'to'],
  ['/map?from=2026-01-01T00:00:00Z&to=2026-05-01T00:00:00Z', 'to'],
])('%s is refused by name', async (path, field) => {
  expectRefused(await owner.get(path), { status: 400, code: 'validation_failed', path: field });
});

test('what was counted before a stop is there after it', async () => {
  const directory = temporaryDirectory();
  const first = await startTestService({ directory });
  const browser = await setUp(first);
  const hook = await makeWebhook(first.url, browser);
  const steps = [{ kind: 'filter.match', config: { condition: 'payload.n < 15' } }];
  const { id } = await makePipeline(browser, { sources: [hook.id], steps, destinations: [] });
  const sent = [];
  for (let n = 0; n < 20; n++) sent.push(await hook.send({ n }));
  for (const event of sent) await settled(browser, event);
  await first.stop();
  const second = await startTestService({ directory });
  try {
    const back = await logIn(second.url, 'owner@example.com');
    expect(await countsOf(back, hook.id, 'received')).toEqual([20]);
    expect((await overviewOf(back)).totals.received).toBe(20);
    const figures = dataOf<PipelineFigures>(await back.get(`/pipelines/${id}/figures`));
    expect(figures.steps).toMatchObject([{ in: 20, dropped: 5 }]);
  } finally {
    await second.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
