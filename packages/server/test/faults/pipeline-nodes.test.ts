import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import pg from 'pg';
import { type Browser, dataOf, logIn, setUp } from '../support/dashboard.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { moodStep, openaiAnswer, startModel } from '../support/model.ts';
import { makeInbox, makePipeline, makeWebhook, readEvent, settled } from '../support/pipelines.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('two nodes on one database', () => {
  let database: FreshDatabase;
  let one: TestService;
  let other: TestService;
  let owner: Browser;
  let key: string;
  const settings = () => ({
    SLUICE_DATABASE_URL: database.url,
    SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8',
    SLUICE_ALLOW_HTTP: 'true',
  });
  beforeAll(async () => {
    database = await freshDatabase();
    one = await startTestService({ settings: settings() });
    owner = await setUp(one);
    other = await startTestService({ settings: settings() });
    key = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'test' })).secret;
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });

  const ingest = async (
    service: TestService,
    type: string,
    count: number,
    payload: (n: number) => object,
  ) => {
    const events = Array.from({ length: count }, (_, n) => ({ type, payload: payload(n) }));
    return acceptedIds(await ingestWith(service.url, key)({ events }));
  };

  /** As the database has them: to ask the service for each would take most of the test. */
  async function storedStates(ids: readonly string[]) {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ id: string; state: string; runs: number; deliveries: number }>(
        `SELECT id, state,
           (SELECT count(*)::int FROM all_runs r WHERE r.org_id = e.org_id AND r.event_id = e.id) AS runs,
           (SELECT count(*)::int FROM deliveries d WHERE d.org_id = e.org_id AND d.event_id = e.id) AS deliveries
         FROM events e WHERE id = ANY ($1) ORDER BY id COLLATE "C"`,
        [ids],
      );
      return rows;
    } finally {
      await client.end();
    }
  }

  async function sdkPipeline(match: string, steps: readonly { kind: string; config?: unknown }[] = []) {
    const source = dataOf<{ id: string }>(await owner.post('/sources', { kind: 'sdk', name: match, match }));
    const inbox = await makeInbox(owner);
    return makePipeline(owner, { sources: [source.id], steps, destinations: [{ id: inbox }] });
  }

  test('share the work: each event has one run and one delivery', async () => {
    await sdkPipeline('shared.*');
    const batches = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        ingest(n % 2 === 0 ? one : other, 'shared.x', 50, i => ({ n, i })),
      ),
    );
    const ids = batches.flat();
    expect(ids).toHaveLength(500);
    const isThrough = async () => (await storedStates(ids)).every(({ state }) => state === 'processed');
    await until(isThrough, 'Not all of them are processed.');
    expect(await storedStates(ids)).toEqual(
      ids.toSorted().map(id => ({ id, state: 'processed', runs: 1, deliveries: 1 })),
    );
  });

  test('let one of two duplicates through, wherever each is processed', async () => {
    await sdkPipeline('twice.*', [{ kind: 'dedupe', config: { key: 'payload.pair' } }]);
    const batches = await Promise.all([
      ingest(one, 'twice.x', 40, pair => ({ pair })),
      ingest(other, 'twice.x', 40, pair => ({ pair })),
    ]);
    const routed = new Map<number, number>();
    for (const id of batches.flat()) {
      const { state, payload } = await settled(owner, id);
      const { pair } = payload as { pair: number };
      routed.set(pair, (routed.get(pair) ?? 0) + Number(state === 'processed'));
    }
    expect([...routed.values()]).toEqual(Array.from({ length: 40 }, () => 1));
  });

  test('ask a model once for identical payloads, also between them', async () => {
    const model = startModel();
    model.answer(async () => {
      await until(() => model.asked.length > 0, 'It was not asked.');
      return openaiAnswer({ content: '{"mood":"good"}' });
    });
    const classify = moodStep(model);
    await sdkPipeline('model.*', [classify]);
    const batches = await Promise.all([
      ingest(one, 'model.x', 10, () => ({ same: true })),
      ingest(other, 'model.x', 10, () => ({ same: true })),
    ]);
    for (const id of batches.flat()) expect((await settled(owner, id)).state).toBe('processed');
    expect(model.asked).toHaveLength(1);
    await model.stop();
  });

  test('receive at once a pipeline that was changed at the other', async () => {
    const there = await logIn(other.url, 'owner@example.com');
    const hook = await makeWebhook(one.url, owner);
    const { id } = await makePipeline(owner, {
      sources: [hook.id],
      steps: [{ kind: 'filter.match', config: { condition: 'true' } }],
    });
    expect((await settled(owner, await hook.send({}))).state).toBe('processed');
    const steps = [{ kind: 'filter.match', config: { condition: 'false' } }];
    await there.patch(`/pipelines/${id}`, { steps });
    await until(async () => {
      const event = await settled(owner, await hook.send({}));
      return event.state === 'dropped' && event.runs[0]?.pipeline.version === 2;
    }, 'The old version is still run.');
  });

  test('take up what the other gives back when it stops', async () => {
    const model = startModel();
    const { promise: never } = Promise.withResolvers<Response>();
    model.answer(() => never);
    const classify = moodStep(model, { timeout_s: 60 });
    await sdkPipeline('stopped.*', [classify]);
    const [id = ''] = await ingest(one, 'stopped.x', 1, () => ({ left: 'behind' }));
    await until(() => model.asked.length === 1, 'The model is not asked.');
    expect((await readEvent(owner, id)).state).toBe('accepted');
    // Both nodes stop in turn: whoever has the event gives it back, and the other takes it up.
    model.answer(() => openaiAnswer({ content: '{"mood":"good"}' }));
    await other.stop();
    other = await startTestService({ settings: settings() });
    await one.stop();
    one = await startTestService({ settings: settings() });
    owner = await logIn(one.url, 'owner@example.com');
    expect((await settled(owner, id)).runs).toHaveLength(1);
    await model.stop();
  });
});
