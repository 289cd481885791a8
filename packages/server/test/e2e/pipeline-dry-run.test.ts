import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DryRunRecord } from '@sluice/contract/dashboard-pipelines';
import { type Browser, dataOf, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { openaiAnswer, startModel, type TestModel } from '../support/model.ts';
import { makeInbox, makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { startTestService, type TestService, temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let owner: Browser;
let model: TestModel;
beforeAll(async () => {
  model = startModel();
  model.answer(() => openaiAnswer({ content: '{"severity":"high"}' }));
  service = await startTestService({
    settings: {
      SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8',
      SLUICE_ALLOW_HTTP: 'true',
      SLUICE_MAX_TYPE_LENGTH: '20',
    },
  });
  owner = await setUp(service);
});
afterAll(async () => {
  await service.stop();
  await model.stop();
});

const filter = (condition: string) => ({ kind: 'filter.match', config: { condition } });
const classify = () => ({
  kind: 'classify',
  config: {
    label: 'severity',
    labels: ['low', 'high'],
    prompt: 'How bad?',
    model: { provider: 'openai-compatible', base_url: model.url, name: 'm', api_key: 'canary-key' },
  },
});

const dryRun = async (body: unknown) => dataOf<DryRunRecord>(await owner.post('/pipelines/dry-run', body));

/** How many rows each table has. */
function everythingStored(directory: string): Record<string, number> {
  const database = new Database(join(directory, 'sluice.db'), { readonly: true });
  const tables = database
    .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
    .all();
  const counts = tables.map(({ name }): [string, number] => [
    name,
    database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${name}`).get()?.n ?? 0,
  ]);
  database.close();
  return Object.fromEntries(counts);
}

describe('a dry run', () => {
  test('shows what each step does to a given event, and where it would go', async () => {
    const [yes, no] = [await makeInbox(owner), await makeInbox(owner)];
    const report = await dryRun({
      pipeline: {
        steps: [
          { kind: 'transform', config: { set: { total: '$event.payload.amount' } } },
          filter('payload.total > 1'),
        ],
        destinations: [{ id: yes }, { id: no, when: 'payload.missing' }],
      },
      event: { type: 'order.created', payload: { amount: 5 } },
    });
    const before = { payload: { amount: 5 }, labels: {} };
    const after = { payload: { amount: 5, total: 5 }, labels: {} };
    expect(report).toMatchObject({
      outcome: 'routed',
      step: null,
      reason: null,
      cut_at: null,
      ...after,
      destinations: [yes],
      routing: [{ destination: no }],
      steps: [
        { kind: 'transform', outcome: 'changed', before, after },
        { kind: 'filter.match', outcome: 'kept', before: after, after },
      ],
    });
  });

  test('leaves out what the event has not: an entity, a source, headers', async () => {
    const report = await dryRun({
      pipeline: {
        steps: [
          filter('!has(entity.kind) && !has(source.name) && !has(event.headers)'),
          {
            kind: 'transform',
            config: { template: { e: '$event.entity', s: '$event.source', h: '$event.headers', n: 1 } },
          },
        ],
      },
      event: { type: 'x', payload: {} },
    });
    expect(report.outcome).toBe('routed');
    expect(report.payload).toEqual({ n: 1 });
  });

  test('takes an event of a mebibyte, and none of more values than could be read while others wait', async () => {
    const pipeline = { steps: [filter('true')] };
    const text = '[,:{"\\'.repeat(100_000);
    const report = await dryRun({ pipeline, event: { type: 'x', payload: { text } } });
    expect(report.payload).toEqual({ text });
    const numbers = { pipeline, event: { type: 'x', payload: { numbers: Array(30_000).fill(12_345) } } };
    const tooLarge = { status: 413, code: 'payload_too_large' };
    const refused = await owner.post('/pipelines/dry-run', numbers);
    expectRefused(refused, tooLarge);
    expect(refused.body).toMatchObject({
      error: { message: 'The body may hold at most 20000 keys and values.' },
    });
  });

  test('shows where it would be dropped or fail', async () => {
    const event = { type: 'x', payload: { a: 1 } };
    const steps = [filter('payload.a == 2'), filter('true')];
    expect(await dryRun({ pipeline: { steps }, event })).toMatchObject({
      outcome: 'dropped',
      step: 0,
      reason: 'payload.a == 2 is false',
      destinations: [],
    });
    const fails = { kind: 'transform', config: { set: { 'a.b': 1 } } };
    expect(await dryRun({ pipeline: { steps: [fails] }, event })).toMatchObject({
      outcome: 'failed',
      step: 0,
    });
  });

  test('takes a recent event, with what that has', async () => {
    const hook = await makeWebhook(service.url, owner, 'Shop');
    const id = await hook.send({ n: 7 });
    const steps = [{ kind: 'transform', config: { set: { from: '$event.source.name', id: '$event.id' } } }];
    expect(await dryRun({ pipeline: { steps, sources: [hook.id] }, event_id: id })).toMatchObject({
      payload: { n: 7, from: 'Shop', id },
    });
  });

  test('stores and sends nothing: no event, run, delivery, key, label or count', async () => {
    const directory = temporaryDirectory();
    // Nothing else happens here, and what would be counted is written at the end at the latest.
    const quiet = await startTestService({
      directory,
      settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' },
    });
    const alone = await setUp(quiet);
    const inbox = await makeInbox(alone);
    const pipeline = {
      steps: [{ kind: 'dedupe', config: {} }, classify()],
      destinations: [{ id: inbox }],
    };
    const event = { type: 'x', payload: { id: 'same' } };
    const run = async (body: object) => dataOf<DryRunRecord>(await alone.post('/pipelines/dry-run', body));
    const before = everythingStored(directory);
    const asked = model.asked.length;
    // Twice the same: the first has left no key behind, and no answer in the cache.
    for (let n = 0; n < 2; n++) {
      expect(await run({ pipeline, event })).toMatchObject({ outcome: 'routed', destinations: [inbox] });
    }
    expect(model.asked.length).toBe(asked);
    for (let n = 0; n < 2; n++) {
      const asking = await run({ pipeline, event, classify: true });
      expect(asking).toMatchObject({ outcome: 'routed', labels: { severity: 'high' } });
    }
    expect(model.asked.length).toBe(asked + 2);
    await quiet.stop();
    // Whoever stops takes its name off the list.
    expect(everythingStored(directory)).toEqual({ ...before, nodes: 0 });
    rmSync(directory, { recursive: true });
  });

  test('sees the keys of real events, and detects a duplicate', async () => {
    const hook = await makeWebhook(service.url, owner);
    const steps = [{ kind: 'dedupe', config: {} }];
    const { id } = await makePipeline(owner, { sources: [hook.id], steps });
    const first = await settled(owner, await hook.send({ id: 'seen' }));
    const again = await dryRun({ pipeline: { id, steps }, event: { type: 'x', payload: { id: 'seen' } } });
    expect(again).toMatchObject({ outcome: 'dropped', step: 0 });
    expect(again.reason).toContain(first.id);
  });

  test('keeps the secrets of the pipeline that the draft is of', async () => {
    const { id } = await makePipeline(owner, { steps: [classify()] });
    const { steps } = dataOf<{ steps: unknown[] }>(await owner.get(`/pipelines/${id}`));
    const event = { type: 'x', payload: { fresh: 1 } };
    const report = await dryRun({ pipeline: { id, steps }, event, classify: true });
    expect(report.labels).toEqual({ severity: 'high' });
    expect(model.asked.at(-1)?.headers.get('authorization')).toBe('Bearer canary-key');
  });

  test('goes by the labels that it is given where no model is asked', async () => {
    const hook = await makeWebhook(service.url, owner);
    const inbox = await makeInbox(owner);
    const pipeline = {
      sources: [hook.id],
      steps: [classify(), filter('labels.severity != "none"')],
      destinations: [{ id: inbox, when: 'labels.severity == "high"' }],
    };
    const event = { type: 'x', payload: { simulated: true } };
    const asked = model.asked.length;
    const report = await dryRun({ pipeline, event, labels: { severity: 'high' } });
    expect(report).toMatchObject({ outcome: 'routed', destinations: [inbox], labels: { severity: 'high' } });
    expect((await dryRun({ pipeline, event, labels: { severity: 'low' } })).destinations).toEqual([]);
    expect(model.asked).toHaveLength(asked);
  });

  test('is cut at its budget, while everybody else is served', async () => {
    const items = Array.from({ length: 3_000 }, (_, n) => n);
    const hostile = filter(
      'payload.items.all(a, payload.items.all(b, payload.items.all(c, a + b + c >= 0)))',
    );
    const cut = dryRun({ pipeline: { steps: [hostile] }, event: { type: 'x', payload: { items } } });
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, { sources: [hook.id], steps: [filter('true')] });
    expect((await settled(owner, await hook.send({}))).state).toBe('processed');
    expect(await cut).toMatchObject({
      outcome: 'failed',
      step: 0,
      // Where the thread is given next to no time, whoever watches it is first.
      reason: expect.stringMatching(/250 ms|made no progress/),
    });
  });

  test('of integers beyond 2^53 shows them exactly', async () => {
    const body =
      '{"pipeline":{"steps":[{"kind":"transform","config":{"set":{"copy":"$event.payload.n"}}}]},' +
      '"event":{"type":"x","payload":{"n":9007199254740993}}}';
    const response = await fetch(`${service.url}/dashboard/api/pipelines/dry-run`, {
      method: 'POST',
      body,
      headers: {
        cookie: owner.setCookie?.split(';')[0] ?? '',
        'X-Sluice-CSRF': '1',
        'Content-Type': 'application/json',
      },
    });
    expect(await response.text()).toContain('"copy":9007199254740993');
  });
});

describe('a dry run is refused', () => {
  const event = { type: 'x' };
  const cases: [string, object, string][] = [
    ['without an event', { pipeline: {} }, 'event'],
    ['with two events', { pipeline: {}, event, event_id: 'evt_x' }, 'event'],
    ['with an event that is not there', { pipeline: {}, event_id: 'evt_x' }, 'event_id'],
    ['for a pipeline that is not there', { pipeline: { id: 'pipe_x' }, event }, 'pipeline.id'],
    [
      'with a type that the ingest endpoints would reject',
      { pipeline: {}, event: { type: 'x'.repeat(21) } },
      'event.type',
    ],
    ['with an event of no shape', { pipeline: {}, event: { paylod: {} } }, 'event.type'],
    ['with a bad draft', { pipeline: { steps: [filter('(')] }, event }, 'pipeline.steps[0].config.condition'],
  ];
  test.each(cases)('%s', async (_what, body, path) => {
    expectRefused(await owner.post('/pipelines/dry-run', body), {
      status: 400,
      code: 'validation_failed',
      path,
    });
  });

  test("with another organisation's event or pipeline", async () => {
    const hook = await makeWebhook(service.url, owner);
    const event_id = await hook.send({});
    const { id } = await makePipeline(owner, {});
    const other = await stranger(service.url, owner, 'elsewhere@example.com');
    for (const [body, path] of [
      [{ pipeline: {}, event_id }, 'event_id'],
      [{ pipeline: { id }, event }, 'pipeline.id'],
    ] as const) {
      expectRefused(await other.post('/pipelines/dry-run', body), {
        status: 400,
        code: 'validation_failed',
        path,
      });
    }
  });
});

test('dry runs of one organisation wait for each other, too many are refused, and nobody else’s wait for them', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  model.answer(async () => {
    await gate;
    return openaiAnswer({ content: '{"severity":"high"}' });
  });
  const slow = { pipeline: { steps: [classify()] }, event: { type: 'a', payload: {} }, classify: true };
  const quick = { pipeline: { steps: [filter('true')] }, event: { type: 'a', payload: {} } };
  const asked = model.asked.length;
  const mine = Array.from({ length: 4 }, () => owner.post('/pipelines/dry-run', slow));
  await until(() => model.asked.length > asked, 'The model was not asked.');
  expectRefused(await owner.post('/pipelines/dry-run', quick), { status: 429, code: 'rate_limited' });
  const other = await stranger(service.url, owner, 'patient@example.com');
  expect(dataOf<DryRunRecord>(await other.post('/pipelines/dry-run', quick)).outcome).toBe('routed');
  open();
  expect((await Promise.all(mine)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await owner.post('/pipelines/dry-run', quick)).status).toBe(200);
});
