import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { DestinationRecord, DestinationState } from '@sluice/contract/dashboard-deliveries';
import { type EventSummary, eventOutcomes } from '@sluice/contract/dashboard-events';
import type {
  BadgesRecord,
  DestinationRowFigures,
  PipelineFigures,
  PipelineRowFigures,
  SourceRowFigures,
} from '@sluice/contract/dashboard-figures';
import type {
  CountersRecord,
  DestinationFigures,
  HealthRecord,
  MapRecord,
  OverviewRecord,
  TopRecord,
} from '@sluice/contract/dashboard-overview';
import { type Browser, dataOf, join, listOf, logIn, readAll, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused, ingestWith, post } from '../support/endpoints.ts';
import { makeInbox, makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { startReceiver } from '../support/receiver.ts';
import {
  startTestService,
  TEST_SECRET_KEY,
  type TestService,
  temporaryDirectory,
} from '../support/service.ts';
import { until } from '../support/until.ts';

const settings = { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' };
const sum = (line: readonly number[] | undefined): number => (line ?? []).reduce((a, b) => a + b, 0);

const overviewOf = async (browser: Browser, minutes = 60) =>
  dataOf<OverviewRecord>(await browser.get(`/overview?minutes=${minutes}`));

async function countsOf(browser: Browser, subject: string, ...names: string[]): Promise<number[]> {
  const query = new URLSearchParams({ subject, names: names.join(',') });
  const { series } = dataOf<CountersRecord>(await browser.get(`/counters?${query}`));
  return names.map(name => sum(series[name]));
}

let service: TestService;
let owner: Browser;
let other: Browser;
const made = { hook: '', sdk: '', pipeline: '', strict: '', inbox: '', broken: '', paused: '' };

/** Six events: four come to the inbox, one is dropped, and one goes nowhere. */
beforeAll(async () => {
  service = await startTestService({ settings });
  owner = await setUp(service);
  other = await stranger(service.url, owner, 'stranger@example.com');
  const hook = await makeWebhook(service.url, owner, 'Shop');
  made.hook = hook.id;
  made.sdk = dataOf<{ id: string }>(
    await owner.post('/sources', { kind: 'sdk', name: 'App', match: 'app.*' }),
  ).id;
  made.inbox = await makeInbox(owner);
  made.paused = await makeInbox(owner, 'Later');
  await owner.post(`/destinations/${made.paused}/pause`);
  made.broken = dataOf<{ id: string }>(
    await owner.post('/destinations', {
      kind: 'webhook',
      name: 'Broken',
      config: { url: 'http://127.0.0.1:1/', auth: { mode: 'none' } },
      policy: { attempts: 2, schedule_s: [0, 0.01] },
    }),
  ).id;
  const filter = { kind: 'filter.match', config: { condition: '!has(payload.skip)' } };
  made.pipeline = (
    await makePipeline(owner, {
      name: 'Orders',
      sources: [hook.id],
      steps: [filter],
      destinations: [
        { id: made.inbox },
        { id: made.broken, when: 'has(payload.broken)' },
        { id: made.paused, when: 'has(payload.later)' },
      ],
    })
  ).id;
  made.strict = (
    await makePipeline(owner, {
      name: 'Strict',
      sources: [made.sdk],
      steps: [{ kind: 'transform', config: { rename: { 'a.b': 'a.b.c' } } }],
      destinations: [{ id: made.inbox }],
    })
  ).id;

  const ids = [];
  for (const body of [{ n: 1 }, { broken: true }, { later: true }, { skip: true }]) {
    ids.push(await hook.send(body));
  }
  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
  const events = [
    { type: 'app.started', id: 'one' },
    { type: 'app.started', id: 'one' },
    { type: 'unheard' },
  ];
  const accepted = await ingestWith(service.url, secret)({ events });
  for (const { id } of dataOf<{ events: { id: string }[] }>(accepted).events) ids.push(id);
  for (const id of ids) await settled(owner, id);
  await until(async () => (await overviewOf(owner)).totals.dead === 1, 'Nothing has died.');
  await until(async () => {
    const { delivered, processed, dropped, failed, unrouted } = (await overviewOf(owner)).totals;
    return delivered === 4 && processed + dropped + failed + unrouted === 6;
  }, 'Not everything was counted.');
  // The dead are known before they are counted.
  await until(async () => {
    const [failed, dead] = await countsOf(owner, made.broken, 'failed', 'dead');
    return failed === 2 && dead === 1;
  }, 'What has failed was not counted.');
}, 30_000);
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

test('every part has counters of its own', async () => {
  expect(await countsOf(owner, made.hook, 'received')).toEqual([4]);
  expect(await countsOf(owner, made.sdk, 'received')).toEqual([1]);
  expect(await countsOf(owner, made.pipeline, 'routed', 'dropped', 'failed')).toEqual([3, 1, 0]);
  expect(await countsOf(owner, made.broken, 'delivered', 'failed', 'dead')).toEqual([0, 2, 1]);
  expect(await countsOf(owner, made.inbox, 'failed', 'dead')).toEqual([0, 0]);
  expect(await countsOf(owner, 'nobody', 'received')).toEqual([0]);
});

test('the backlog and what fails are shown', async () => {
  const { backlog, dead_letters, failing, has, more_dead } = await overviewOf(owner);
  expect(more_dead).toBe(false);
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
      is_down: false,
      paused: false,
      is_failing: true,
      state: 'failing',
      failed: 2,
      dead: 1,
      waiting: 0,
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

test('figures are of what was made, by its present state, and each is as long as the list behind it', async () => {
  const { present, failed_events, latency, down, before } = await overviewOf(owner);
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
  expect([down, before]).toEqual([[], null]);
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

describe('the figures of a list', () => {
  const figuresOf = async <Row extends { readonly id: string }>(
    list: string,
    minutes: number,
    by = owner,
  ) => {
    const { rows } = dataOf<{ rows: Row[] }>(await by.get(`/figures/${list}?minutes=${minutes}`));
    return (id: string) => rows.find(row => row.id === id);
  };

  test.each([60, 1_440])('of destinations are those of each page and list, of %d minutes', async minutes => {
    await until(
      async () =>
        (await figuresOf<DestinationRowFigures>('destinations', minutes))(made.broken)?.last_error != null,
      'The last error is not known.',
    );
    const of = await figuresOf<DestinationRowFigures>('destinations', minutes);
    for (const id of [made.inbox, made.broken, made.paused]) {
      const { p95_ms, ...present } = dataOf<DestinationFigures>(
        await owner.get(`/destinations/${id}/figures?minutes=${minutes}`),
      );
      expect(of(id)).toMatchObject({ present, p95_ms });
      const open = await readAll(owner, `/deliveries?destination=${id}&state=open`);
      expect(of(id)?.open).toEqual({ count: open.length, more: false });
    }
    expect(of(made.paused)?.open.count).toBe(1);
    expect(of(made.inbox)).toMatchObject({ present: { delivered: 4 }, last_error: null });
    expect(of(made.inbox)?.p95_ms).toBeGreaterThan(0);
    expect(sum(of(made.inbox)?.line)).toBe(4);
    expect(of(made.broken)?.last_error?.message).toMatch(/connect/i);
  });

  test('of sources are what came through each, and how much of it was rejected', async () => {
    const { token } = dataOf<{ token: string }>(await owner.get(`/sources/${made.hook}`));
    expect((await post(`${service.url}/whk/${token}`, 'no json')).status).toBe(400);
    const rejected = async () => (await figuresOf<SourceRowFigures>('sources', 60))(made.hook)?.rejected;
    await until(async () => (await rejected()) === 1, 'What was rejected is not counted.');
    for (const minutes of [60, 1_440]) {
      const of = await figuresOf<SourceRowFigures>('sources', minutes);
      expect(of(made.hook)).toMatchObject({ received: 4, rejected: 1 });
      expect(sum(of(made.hook)?.line)).toBe(4);
      expect(of(made.sdk)).toMatchObject({ received: 1, rejected: null });
      for (const id of [made.hook, made.sdk])
        expect(await readAll(owner, `/events?source=${id}`)).toHaveLength(of(id)?.received ?? -1);
    }
  });

  test('of pipelines are what went in and what became of it, and of one at which of its steps', async () => {
    const counted = async () =>
      dataOf<PipelineFigures>(await owner.get(`/pipelines/${made.pipeline}/figures`)).steps[0]?.in === 4;
    await until(counted, 'Its steps are not counted.');
    for (const minutes of [60, 1_440]) {
      const of = await figuresOf<PipelineRowFigures>('pipelines', minutes);
      expect(of(made.pipeline)).toMatchObject({ in: 4, dropped: 1, failed: 0 });
      expect(sum(of(made.pipeline)?.line)).toBe(4);
      const { id: _id, line: _line, ...row } = of(made.pipeline) ?? { id: '', line: [] };
      const one = dataOf<PipelineFigures>(
        await owner.get(`/pipelines/${made.pipeline}/figures?minutes=${minutes}`),
      );
      expect(one).toMatchObject({ ...row, version: 1, steps: [{ in: 4, dropped: 1, failed: 0 }] });
      expect(one.steps[0]?.p95_ms).toBeGreaterThan(0);
    }
    // Another version has processed nothing yet.
    await owner.patch(`/pipelines/${made.strict}`, { name: 'Stricter' });
    const { steps, ...whole } = dataOf<PipelineFigures>(await owner.get(`/pipelines/${made.strict}/figures`));
    expect(whole).toMatchObject({ in: 1, version: 2 });
    expect(steps).toEqual([{ in: 0, dropped: 0, failed: 0, p95_ms: null }]);
  });

  test('of destinations count no further than a thousand of each, and say so', async () => {
    const busy = await stranger(service.url, owner, 'busy@example.com');
    const source = dataOf<{ id: string }>(
      await busy.post('/sources', { kind: 'sdk', name: 'App', match: 'app.*' }),
    );
    const inbox = await makeInbox(busy);
    await busy.post(`/destinations/${inbox}/pause`);
    await makePipeline(busy, { sources: [source.id], destinations: [{ id: inbox }] });
    const { secret } = dataOf<{ secret: string }>(await busy.post('/keys', { name: 'k' }));
    const events = Array.from({ length: 100 }, () => ({ type: 'app.started' }));
    for (let n = 0; n < 11; n++) expect((await ingestWith(service.url, secret)({ events })).status).toBe(202);
    await until(
      async () => (await overviewOf(busy)).present.held.count === 1_100,
      'They are not all held.',
      30_000,
    );
    const of = await figuresOf<DestinationRowFigures>('destinations', 60, busy);
    const capped = { count: 1_000, more: true };
    expect(of(inbox)).toMatchObject({
      present: { held: capped, waiting: { count: 0, more: false } },
      open: capped,
    });
  }, 40_000);

  test('are of nobody else, and of no other time than a list has', async () => {
    for (const list of ['destinations', 'sources', 'pipelines']) {
      const of = await figuresOf(list, 60, other);
      for (const id of Object.values(made)) expect(of(id), list).toBeUndefined();
      expectRefused(await owner.get(`/figures/${list}?minutes=61`), {
        status: 400,
        code: 'validation_failed',
        path: 'minutes',
      });
    }
    expectRefused(await other.get(`/pipelines/${made.pipeline}/figures`), { status: 404, code: 'not_found' });
  });
});

test('the map has everything, and how much went along each arrow', async () => {
  const { sources, pipelines, destinations, edges } = dataOf<MapRecord>(await owner.get('/map'));
  expect(sources.map(({ name, total }) => [name, total])).toEqual([
    ['App', 1],
    ['Shop', 4],
  ]);
  expect(pipelines.map(({ name }) => name)).toEqual(['Orders', 'Stricter']);
  expect(destinations.map(({ name, paused }) => [name, paused])).toEqual([
    ['Broken', false],
    ['Inbox', false],
    ['Later', true],
  ]);
  expect(destinations.map(({ name, waiting }) => [name, waiting.count])).toEqual([
    ['Broken', 0],
    ['Inbox', 0],
    ['Later', 1],
  ]);
  const along = (from: string, to: string) => edges.find(edge => edge.from === from && edge.to === to)?.total;
  expect(edges).toHaveLength(6);
  expect(along(made.hook, made.pipeline)).toBe(4);
  expect(along(made.sdk, made.strict)).toBe(1);
  expect(along(made.pipeline, made.inbox)).toBe(3);
  expect(along(made.pipeline, made.broken)).toBe(1);
  expect(edges.find(({ to }) => to === made.pipeline)?.per_minute).toBeCloseTo(0.8);
});

test('the map shows what waits for its pipelines at every source that it will belong to', async () => {
  const idle = await startTestService({ settings: { ...settings, SLUICE_ROLES: 'ingest,dashboard' } });
  try {
    const browser = await setUp(idle);
    const sources: string[] = [];
    for (const [name, match] of [
      ['All', '*'],
      ['App', 'app.*'],
      ['Off', '*'],
      ['Other', 'other.*'],
    ] as const) {
      const source = await browser.post('/sources', { kind: 'sdk', name, match });
      sources.push(dataOf<{ id: string }>(source).id);
    }
    await browser.patch(`/sources/${sources[2]}`, { enabled: false });
    const hook = await makeWebhook(idle.url, browser, 'Shop');
    await makePipeline(browser, { sources: [...sources, hook.id], destinations: [] });
    const { secret } = dataOf<{ secret: string }>(await browser.post('/keys', { name: 'k' }));
    const events = ['app.started', 'app.started', 'app.stopped', 'site.seen'].map(type => ({ type }));
    expect((await ingestWith(idle.url, secret)({ events })).status).toBe(202);
    await hook.send({ n: 1 });
    const map = dataOf<MapRecord>(await browser.get('/map'));
    expect(map.sources.map(({ name, waiting }) => [name, waiting])).toEqual([
      ['All', { count: 4, more: false }],
      ['App', { count: 3, more: false }],
      ['Off', { count: 0, more: false }],
      ['Other', { count: 0, more: false }],
      ['Shop', { count: 1, more: false }],
    ]);
  } finally {
    await idle.stop();
  }
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
    await until(async () => (await seen())?.is_failing === true, 'It is not failing.');
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
    await until(async () => (await seen())?.is_failing === false, 'It is still failing.');
    await until(async () => (await seen())?.failed === 2, 'Not all that failed is counted.');
    expect(await seen()).toMatchObject({ waiting: 2, is_down: false });
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
  const first = await startTestService({ settings, directory });
  const browser = await setUp(first);
  const hook = await makeWebhook(first.url, browser);
  const steps = [{ kind: 'filter.match', config: { condition: 'payload.n < 15' } }];
  const { id } = await makePipeline(browser, { sources: [hook.id], steps, destinations: [] });
  const sent = [];
  for (let n = 0; n < 20; n++) sent.push(await hook.send({ n }));
  for (const event of sent) await settled(browser, event);
  await first.stop();
  const second = await startTestService({ settings, directory });
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
