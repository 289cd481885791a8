import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { type Browser, dataOf, join, listOf, readAll, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { moodStep, openaiAnswer, startModel } from '../support/model.ts';
import { makeInbox, makePipeline, makeWebhook, readEvent, settled } from '../support/pipelines.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let owner: Browser;
beforeAll(async () => {
  service = await startTestService({
    settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' },
  });
  owner = await setUp(service);
});
afterAll(() => service.stop());

interface DeliveryShown {
  readonly id: string;
  readonly state: string;
  readonly code: string | null;
  readonly replayed_by: string | null;
}

const filter = (condition: string) => ({ kind: 'filter.match', config: { condition } });
const readJob = async (id: string) => dataOf<JobRecord>(await owner.get(`/jobs/${id}`));

async function ended(id: string): Promise<JobRecord> {
  await until(async () => (await readJob(id)).state !== 'running', `Job ${id} is still running.`);
  return readJob(id);
}

const replay = async (eventId: string, version?: string) =>
  ended(dataOf<JobRecord>(await owner.post(`/events/${eventId}/replay`, version && { version })).id);

const replayAll = async (filter: object, version?: string) =>
  ended(dataOf<JobRecord>(await owner.post('/replays', { filter, ...(version && { version }) })).id);

describe('an event whose delivery had died, replayed', () => {
  test('is delivered once more, also where all dead letters are retried after that', async () => {
    let answersWith = 500;
    const receiver = startReceiver(() => new Response('', { status: answersWith }));
    const hook = await makeWebhook(service.url, owner);
    const { id: destination } = dataOf<{ id: string }>(
      await owner.post('/destinations', {
        kind: 'webhook',
        name: 'Shop',
        config: { url: receiver.url },
        policy: { attempts: 1, schedule_s: [0] },
      }),
    );
    await makePipeline(owner, { sources: [hook.id], destinations: [{ id: destination }] });
    const event = await hook.send({ n: 1 });
    const deliveries = async () => listOf<DeliveryShown>(await owner.get(`/deliveries?event=${event}`)).data;
    const rest = (states: string) =>
      until(
        async () => (await deliveries()).map(({ state }) => state).join(' ') === states,
        `The deliveries did not become ${states}.`,
      );
    await rest('dead');
    answersWith = 200;
    // The new delivery waits, so that the dead letters are retried before it has arrived.
    await owner.post(`/destinations/${destination}/pause`);
    await replay(event);
    const [made, old] = await deliveries();
    expect(old).toMatchObject({ state: 'cancelled', code: 'replayed', replayed_by: made?.id });
    expect(made).toMatchObject({ state: 'held', replayed_by: null });
    expect(listOf(await owner.get(`/dead-letters?event=${event}`)).data).toEqual([]);
    const retry = dataOf<JobRecord>(await owner.post('/dead-letters/retry', { filter: {} }));
    expect(await ended(retry.id)).toMatchObject({ state: 'done', total: 0, done: 0 });
    expectRefused(await owner.post(`/deliveries/${old?.id}/retry`), { status: 409, code: 'conflict' });
    await owner.post(`/destinations/${destination}/resume`);
    await rest('delivered cancelled');
    expect(receiver.requests).toHaveLength(2);
    await receiver.stop();
  });
});

describe('one event replayed', () => {
  test('goes through the pipelines of today, and its runs say so', async () => {
    const hook = await makeWebhook(service.url, owner);
    const inbox = await makeInbox(owner);
    const { id } = await makePipeline(owner, { sources: [hook.id], steps: [filter('payload.n > 5')] });
    const event = await settled(owner, await hook.send({ n: 3 }));
    expect(event.state).toBe('dropped');
    await owner.patch(`/pipelines/${id}`, {
      steps: [filter('payload.n > 1')],
      destinations: [{ id: inbox }],
    });
    const job = await replay(event.id);
    expect(job).toMatchObject({ kind: 'replay', state: 'done', total: 1, done: 1, failed: 0 });
    const after = await readEvent(owner, event.id);
    expect(after.state).toBe('processed');
    expect(after.runs).toMatchObject([
      { outcome: 'dropped', pipeline: { version: 1 }, replay: null },
      { outcome: 'routed', pipeline: { version: 2 }, replay: job.id },
    ]);
    expect(after.deliveries).toHaveLength(1);
  });

  test('goes through the versions that it saw first, also of pipelines that are gone', async () => {
    const hook = await makeWebhook(service.url, owner);
    const [kept, gone] = [await makeInbox(owner), await makeInbox(owner)];
    const first = await makePipeline(owner, {
      name: 'First',
      sources: [hook.id],
      destinations: [{ id: kept }, { id: gone }],
    });
    const event = await settled(owner, await hook.send({}));
    await owner.delete(`/destinations/${gone}`);
    await owner.delete(`/pipelines/${first.id}`);
    await makePipeline(owner, { name: 'Later', sources: [hook.id] });
    const job = await replay(event.id, 'original');
    expect(job).toMatchObject({ state: 'done', done: 1 });
    const { runs } = await readEvent(owner, event.id);
    expect(runs).toHaveLength(2);
    expect(runs[1]).toMatchObject({
      pipeline: { id: first.id, name: 'First', version: 1 },
      outcome: 'routed',
      replay: job.id,
      routing: [{ destination: gone, note: expect.stringContaining('gone') }],
    });
  });

  test('passes its own dedupe key again', async () => {
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, { sources: [hook.id], steps: [{ kind: 'dedupe', config: {} }] });
    const event = await settled(owner, await hook.send({ id: 'mine' }));
    await replay(event.id);
    const { runs } = await readEvent(owner, event.id);
    expect(runs.map(({ outcome }) => outcome)).toEqual(['routed', 'routed']);
    expect((await settled(owner, await hook.send({ id: 'mine' }))).state).toBe('dropped');
  });

  test('that fails is shown: the latest run of each pipeline counts', async () => {
    const hook = await makeWebhook(service.url, owner);
    const { id } = await makePipeline(owner, { sources: [hook.id] });
    const event = await settled(owner, await hook.send({ a: 1 }));
    await owner.patch(`/pipelines/${id}`, { steps: [{ kind: 'transform', config: { set: { 'a.b': 1 } } }] });
    expect(await replay(event.id)).toMatchObject({ state: 'done', done: 1, failed: 1 });
    expect((await readEvent(owner, event.id)).state).toBe('failed');
    await replay(event.id, 'original');
    expect((await readEvent(owner, event.id)).state).toBe('processed');
  });

  test('that nobody listens to stays what it was', async () => {
    const hook = await makeWebhook(service.url, owner);
    const { id } = await makePipeline(owner, { sources: [hook.id] });
    const event = await settled(owner, await hook.send({}));
    await owner.delete(`/pipelines/${id}`);
    expect(await replay(event.id)).toMatchObject({ state: 'done', done: 1 });
    expect(await readEvent(owner, event.id)).toMatchObject({ state: 'processed', runs: [{ replay: null }] });
    const unrouted = await settled(owner, await hook.send({}));
    expect(await replay(unrouted.id, 'original')).toMatchObject({ state: 'done', total: 1, done: 1 });
    expect((await readEvent(owner, unrouted.id)).state).toBe('unrouted');
  });
});

describe('all that match a filter', () => {
  test('are replayed, and no others', async () => {
    const hook = await makeWebhook(service.url, owner);
    const { id } = await makePipeline(owner, { sources: [hook.id], steps: [filter('payload.n != 1')] });
    const ids = await Promise.all([0, 1, 1, 2].map(n => hook.send({ n, type: `replayed.${n}` })));
    for (const event of ids) await settled(owner, event);
    await owner.patch(`/pipelines/${id}`, { steps: [] });
    const job = await replayAll({ pipeline: id, state: 'dropped' });
    expect(job).toMatchObject({ state: 'done', total: 2, done: 2, failed: 0 });
    const runs = await Promise.all(ids.map(async event => (await readEvent(owner, event)).runs.length));
    expect(runs).toEqual([1, 2, 2, 1]);
    expect(await replayAll({ type: 'replayed.2' })).toMatchObject({ total: 1, done: 1 });
    expect(await replayAll({ type: 'no such type' })).toMatchObject({ state: 'done', total: 0, done: 0 });
  });

  test('many of them, in slices, each once', async () => {
    const hook = await makeWebhook(service.url, owner, 'Many');
    await makePipeline(owner, { sources: [hook.id] });
    const ids = await Promise.all(Array.from({ length: 700 }, (_, n) => hook.send({ n })));
    const waiting = async () =>
      listOf(await owner.get(`/events?source=${hook.id}&state=accepted&limit=1`)).data.length;
    await until(async () => (await waiting()) === 0, 'Not all are processed.');
    const job = await replayAll({ source: hook.id });
    expect(job).toMatchObject({ state: 'done', total: 700, done: 700, failed: 0 });
    const sample = await Promise.all([0, 350, 699].map(n => readEvent(owner, ids[n] ?? '')));
    expect(sample.map(({ runs }) => runs.length)).toEqual([2, 2, 2]);
  });

  test('are left alone from the moment the job is cancelled', async () => {
    const model = startModel();
    // Nobody is answered until the test says so.
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let holds = false;
    model.answer(async () => {
      if (holds) await released;
      return openaiAnswer({ content: '{"mood":"good"}' });
    });
    const hook = await makeWebhook(service.url, owner);
    const { id } = await makePipeline(owner, { sources: [hook.id] });
    const events = await Promise.all(Array.from({ length: 5 }, (_, n) => hook.send({ n })));
    for (const event of events) await settled(owner, event);
    const classify = moodStep(model);
    await owner.patch(`/pipelines/${id}`, { steps: [classify] });
    holds = true;
    const job = dataOf<JobRecord>(await owner.post('/replays', { filter: { source: hook.id } }));
    await until(() => model.asked.length === 5, 'The replays have not begun.');
    const cancelled = dataOf<JobRecord>(await owner.post(`/jobs/${job.id}/cancel`));
    expect(cancelled).toMatchObject({ state: 'cancelled', done: 0 });
    expect(cancelled.finished_at).not.toBeNull();
    release();
    // The next event comes after everything that was under way.
    await settled(owner, await hook.send({ last: 1 }));
    for (const event of events) expect((await readEvent(owner, event)).runs).toHaveLength(1);
    expect(await readJob(job.id)).toMatchObject({ state: 'cancelled', done: 0 });
    expectRefused(await owner.post(`/jobs/${job.id}/cancel`), { status: 409, code: 'conflict' });
    await model.stop();
  });
});

describe('jobs', () => {
  test('answer what was asked for in the same words', async () => {
    const filter = {
      state: 'failed',
      entity: 'customer:a:b',
      after: '2026-01-02T03:04:05.678Z',
      before: '2026-01-03T00:00:00.000Z',
    };
    const asked = await replayAll(filter, 'original');
    expect(asked.request).toEqual({ filter, version: 'original' });
    const hook = await makeWebhook(service.url, owner);
    const event = await settled(owner, await hook.send({}));
    expect((await replay(event.id)).request).toEqual({ event_id: event.id, version: 'current' });
  });

  test('are listed newest first, page by page', async () => {
    const made: string[] = [];
    for (let n = 0; n < 3; n++) made.unshift((await replayAll({ type: `none ${n}` })).id);
    const listed = await readAll<JobRecord>(owner, '/jobs?limit=2');
    expect(listed.slice(0, 3).map(({ id }) => id)).toEqual(made);
    expect(listed.every(job => job.created_by === 'owner@example.com')).toBe(true);
  });

  test('are for members, and for their own organisation', async () => {
    const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
    const hook = await makeWebhook(service.url, owner);
    const event = await settled(owner, await hook.send({}));
    const job = await replay(event.id);
    expect((await viewer.get('/jobs')).status).toBe(200);
    expect((await viewer.get(`/jobs/${job.id}`)).status).toBe(200);
    for (const answer of [
      await viewer.post(`/events/${event.id}/replay`, {}),
      await viewer.post('/replays', { filter: {} }),
      await viewer.post(`/jobs/${job.id}/cancel`),
    ]) {
      expectRefused(answer, { status: 403, code: 'forbidden' });
    }
    const other = await stranger(service.url, owner, 'elsewhere@example.com');
    for (const answer of [
      await other.get(`/jobs/${job.id}`),
      await other.post(`/jobs/${job.id}/cancel`),
      await other.post(`/events/${event.id}/replay`, {}),
    ]) {
      expectRefused(answer, { status: 404, code: 'not_found' });
    }
    expect(listOf(await other.get('/jobs')).data).toEqual([]);
    const theirs = dataOf<JobRecord>(await other.post('/replays', { filter: {} }));
    await until(
      async () => dataOf<JobRecord>(await other.get(`/jobs/${theirs.id}`)).state === 'done',
      'The job goes on.',
    );
    expect((await readEvent(owner, event.id)).runs).toHaveLength(0);
  });

  test('are refused with a filter or a version of no shape', async () => {
    for (const [body, path] of [
      [{ filter: { stat: 'failed' } }, 'filter.stat'],
      [{ filter: { state: 'delivered' } }, 'filter.state'],
      [{ filter: {}, version: 'newest' }, 'version'],
    ] as const) {
      expectRefused(await owner.post('/replays', body), { status: 400, code: 'validation_failed', path });
    }
  });

  test('and the audit log records who asked', async () => {
    const hook = await makeWebhook(service.url, owner);
    const event = await settled(owner, await hook.send({}));
    await replay(event.id, 'original');
    const entries = listOf<{ action: string; target: string }>(await owner.get('/audit')).data;
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'event.replayed',
        target: event.id,
        details: { version: 'original' },
      }),
    );
  });
});
