import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Browser, dataOf, listOf, setUp } from '../support/dashboard.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { makeInbox, makePipeline, makeWebhook, readEvent, settled } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
  key = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'test' })).secret;
});
afterAll(() => service.stop());

const filter = (condition: string) => ({ kind: 'filter.match', config: { condition } });

const sdkSource = async (name: string, match: string) =>
  dataOf<{ id: string }>(await owner.post('/sources', { kind: 'sdk', name, match })).id;

const ingest = async (...events: { type: string; payload?: unknown }[]) =>
  acceptedIds(await ingestWith(service.url, key)({ events }));

describe('an event that came in', () => {
  test('is processed, and its record shows every step', async () => {
    const hook = await makeWebhook(service.url, owner);
    const pipeline = await makePipeline(owner, {
      name: 'Orders',
      sources: [hook.id],
      steps: [
        { kind: 'transform', config: { rename: { total: 'amount' }, set: { from: '$event.source.name' } } },
        filter('payload.amount > 10'),
      ],
    });
    const event = await settled(owner, await hook.send({ total: 42, big: 1 }));
    expect(event.state).toBe('processed');
    expect(event.payload).toEqual({ total: 42, big: 1 });
    expect(event.runs).toHaveLength(1);
    const before = { payload: { total: 42, big: 1 }, labels: {} };
    const after = { payload: { amount: 42, big: 1, from: 'Hook' }, labels: {} };
    expect(event.runs[0]).toMatchObject({
      pipeline: { id: pipeline.id, name: 'Orders', version: 1 },
      outcome: 'routed',
      step: null,
      reason: null,
      replay: null,
      cut_at: null,
      routing: [],
      steps: [
        { kind: 'transform', outcome: 'changed', before, after, note: null },
        { kind: 'filter.match', outcome: 'kept', before: after, after, note: null },
      ],
    });
    expect(event.runs[0]?.steps.every(step => step.duration_ms >= 0)).toBe(true);
  });

  test('takes nothing from an entity or from headers that it has not, and its trace shows neither', async () => {
    await makePipeline(owner, {
      sources: [await sdkSource('Bare', 'bare')],
      steps: [
        {
          kind: 'transform',
          config: { template: { e: '$event.entity', s: '$event.source', h: '$event.headers' } },
        },
        { kind: 'transform', config: { set: { says: '[{{ entity }}]', again: '$event.entity' } } },
      ],
    });
    const [id = ''] = await ingest({ type: 'bare' });
    const { runs } = await settled(owner, id);
    expect(runs[0]?.steps.map(({ after }) => after)).toEqual([
      { payload: { s: { name: 'Bare' } }, labels: {} },
      { payload: { s: { name: 'Bare' }, says: '[]' }, labels: {} },
    ]);
  });

  test('is dropped where a step says so, and its record says which', async () => {
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, { sources: [hook.id], steps: [filter('payload.a == 1'), filter('true')] });
    const event = await settled(owner, await hook.send({ a: 2 }));
    expect(event.state).toBe('dropped');
    expect(event.runs[0]).toMatchObject({ outcome: 'dropped', step: 0, reason: 'payload.a == 1 is false' });
    expect(event.runs[0]?.steps.map(({ outcome }) => outcome)).toEqual(['dropped']);
  });

  test('fails where a step cannot do its work, with step and reason', async () => {
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, {
      sources: [hook.id],
      steps: [filter('true'), { kind: 'transform', config: { set: { 'a.b': 1 } } }],
    });
    const event = await settled(owner, await hook.send({ a: 'a text' }));
    expect(event.state).toBe('failed');
    expect(event.runs[0]).toMatchObject({ outcome: 'failed', step: 1 });
    expect(event.runs[0]?.reason).toContain('a');
    const failed = listOf<{ id: string }>(await owner.get('/events?state=failed')).data;
    expect(failed.map(({ id }) => id)).toContain(event.id);
  });

  test('is unrouted where nobody listens', async () => {
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, { sources: [hook.id], enabled: false });
    const event = await settled(owner, await hook.send({}));
    expect(event).toMatchObject({ state: 'unrouted', runs: [], deliveries: [] });
  });

  test('is processed if any pipeline routed it, and failed before it is dropped', async () => {
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, { name: 'drops', sources: [hook.id], steps: [filter('false')] });
    const fails = { kind: 'transform', config: { set: { 'a.b': 1 } } };
    await makePipeline(owner, { name: 'fails', sources: [hook.id], steps: [fails] });
    const failed = await settled(owner, await hook.send({ a: 1 }));
    expect(failed.state).toBe('failed');
    expect(failed.runs.map(({ outcome }) => outcome).toSorted()).toEqual(['dropped', 'failed']);
    await makePipeline(owner, { name: 'routes', sources: [hook.id] });
    expect((await settled(owner, await hook.send({ a: 1 }))).state).toBe('processed');
  });

  test('makes one delivery for each destination whose condition it matches', async () => {
    const hook = await makeWebhook(service.url, owner);
    const [all, large, strange] = [await makeInbox(owner), await makeInbox(owner), await makeInbox(owner)];
    await makePipeline(owner, {
      sources: [hook.id],
      steps: [{ kind: 'transform', config: { set: { total: '$event.payload.amount' } } }],
      destinations: [
        { id: all },
        { id: large, when: 'payload.total > 100' },
        { id: strange, when: 'payload.absent == 1' },
      ],
    });
    const small = await settled(owner, await hook.send({ amount: 5 }));
    expect(small.deliveries.map(({ destination }) => destination.id)).toEqual([all]);
    expect(small.runs[0]?.routing).toEqual([
      { destination: strange, note: expect.stringContaining('absent') },
      { destination: large, note: 'payload.total > 100 is false' },
    ]);
    const big = await settled(owner, await hook.send({ amount: 500 }));
    expect(big.deliveries.map(({ destination }) => destination.id).toSorted()).toEqual(
      [all, large].toSorted(),
    );
    const found = listOf<{ id: string }>(await owner.get(`/events?destination=${large}`)).data;
    expect(found.map(({ id }) => id)).toEqual([big.id]);
  });

  test('is still processed where no condition matched', async () => {
    const hook = await makeWebhook(service.url, owner);
    const id = await makeInbox(owner);
    await makePipeline(owner, { sources: [hook.id], destinations: [{ id, when: 'false' }] });
    expect(await settled(owner, await hook.send({}))).toMatchObject({ state: 'processed', deliveries: [] });
  });
});

describe('events of /v1/ingest', () => {
  test('belong to every enabled sdk source that matches their type, and run once for each pipeline', async () => {
    const exact = await sdkSource('B exact', 'invoice.paid');
    const glob = await sdkSource('A glob', 'invoice.*');
    const other = await sdkSource('C other', 'Invoice.*');
    const pipeline = await makePipeline(owner, {
      sources: [exact, glob, other],
      steps: [{ kind: 'transform', config: { set: { source: '$event.source.name' } } }],
    });
    const [paid = '', sent = '', upper = ''] = await ingest(
      { type: 'invoice.paid' },
      { type: 'invoice.sent.twice' },
      { type: 'INVOICE.paid' },
    );
    const event = await settled(owner, paid);
    expect(event.sources.map(({ id }) => id)).toEqual([glob, exact]);
    expect(event.runs).toHaveLength(1);
    expect(event.runs[0]?.steps[0]?.after).toMatchObject({ payload: { source: 'A glob' } });
    expect((await settled(owner, sent)).sources).toEqual([{ id: glob, name: 'A glob' }]);
    expect(await settled(owner, upper)).toMatchObject({ state: 'unrouted', sources: [] });

    const bySource = listOf<{ id: string }>(await owner.get(`/events?source=${exact}`)).data;
    expect(bySource.map(({ id }) => id)).toEqual([paid]);
    const byPipeline = listOf<{ id: string }>(await owner.get(`/events?pipeline=${pipeline.id}`)).data;
    expect(byPipeline.map(({ id }) => id).toSorted()).toEqual([paid, sent].toSorted());
  });

  test('belong to no source that is disabled when they are processed', async () => {
    const source = await sdkSource('Off', 'off.*');
    await makePipeline(owner, { sources: [source] });
    await owner.patch(`/sources/${source}`, { enabled: false });
    const [id = ''] = await ingest({ type: 'off.now' });
    expect(await settled(owner, id)).toMatchObject({ state: 'unrouted', sources: [] });
  });
});

test('integers beyond 2^53 pass through every step and the record exactly', async () => {
  const hook = await makeWebhook(service.url, owner);
  const exact = '9007199254740993';
  await makePipeline(owner, {
    sources: [hook.id],
    steps: [
      { kind: 'transform', config: { set: { copy: '$event.payload.n' } } },
      filter(`payload.copy == ${exact}`),
    ],
  });
  const id = await hook.send(`{"n":${exact}}`);
  expect((await settled(owner, id)).state).toBe('processed');
  const cookie = owner.setCookie?.split(';')[0] ?? '';
  const text = await (
    await fetch(`${service.url}/dashboard/api/events/${id}`, { headers: { cookie } })
  ).text();
  expect(text).toContain(`"copy":${exact}`);
});

test('duplicates by a key of the payload are dropped, and the same event never is its own duplicate', async () => {
  const hook = await makeWebhook(service.url, owner);
  await makePipeline(owner, { sources: [hook.id], steps: [{ kind: 'dedupe', config: {} }] });
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => hook.send({ id: `order ${n % 4}` })));
  const events = await Promise.all(ids.map(id => settled(owner, id)));
  const processed = events.filter(({ state }) => state === 'processed');
  expect(processed).toHaveLength(4);
  for (const { state, runs } of events) {
    if (state === 'processed') continue;
    expect({ state, outcome: runs[0]?.outcome, step: runs[0]?.step }).toEqual({
      state: 'dropped',
      outcome: 'dropped',
      step: 0,
    });
    expect(processed.some(({ id }) => runs[0]?.reason?.includes(id))).toBe(true);
    expect(runs[0]?.steps.map(({ outcome }) => outcome)).toEqual(['dropped']);
  }
  expect((await settled(owner, await hook.send({ nothing: 1 }))).state).toBe('processed');
});

test('a pipeline that is edited, disabled or deleted is so for the next event', async () => {
  const hook = await makeWebhook(service.url, owner);
  const { id } = await makePipeline(owner, { sources: [hook.id], steps: [filter('payload.n == 1')] });
  expect((await settled(owner, await hook.send({ n: 2 }))).state).toBe('dropped');
  await owner.patch(`/pipelines/${id}`, { steps: [filter('payload.n == 2')] });
  const event = await settled(owner, await hook.send({ n: 2 }));
  expect(event).toMatchObject({ state: 'processed', runs: [{ pipeline: { version: 2 } }] });
  await owner.patch(`/pipelines/${id}`, { enabled: false });
  expect((await settled(owner, await hook.send({ n: 2 }))).state).toBe('unrouted');
  await owner.patch(`/pipelines/${id}`, { enabled: true });
  expect((await settled(owner, await hook.send({ n: 2 }))).runs[0]?.pipeline.version).toBe(2);
  await owner.delete(`/pipelines/${id}`);
  expect((await settled(owner, await hook.send({ n: 2 }))).state).toBe('unrouted');
  expect((await readEvent(owner, event.id)).runs).toHaveLength(1);
});
