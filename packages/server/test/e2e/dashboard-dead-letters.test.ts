import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import type { TopRecord } from '@sluice/contract/dashboard-overview';
import { UNKNOWN_PIPELINE } from '../../src/core/event/outcome.ts';
import { aClaimInput, aRun, aSettlement, unclaimed } from '../contract/storage/pipeline-samples.ts';
import { dataOf, listOf, logIn, readAll, setUp } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { everyStore } from '../support/every-store.ts';
import { type DeliveryRecord, type Flow, startFlow } from '../support/flow.ts';
import { makeInbox, makePipeline, makeWebhook, readEvent } from '../support/pipelines.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Letter extends DeliveryRecord {
  readonly kind: 'delivery' | 'event';
  readonly reason: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}
interface JobShown {
  readonly id: string;
  readonly state: string;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
}

let flow: Flow;
let receiver: Receiver;
const at = { first: '', second: '' };
const events: string[] = [];

beforeAll(async () => {
  flow = await startFlow();
  receiver = startReceiver(() => new Response('no', { status: 500 }));
  const policy = { attempts: 1, schedule_s: [0], timeout_s: 30 };
  for (const name of ['first', 'second'] as const) {
    at[name] = (await flow.destination({ kind: 'webhook', name, config: { url: receiver.url }, policy })).id;
  }
  await flow.routeTo({ id: at.first }, { id: at.second, when: 'payload.n >= 3' });
  for (let n = 0; n < 5; n++) events.push(await flow.send({ n }));
  await until(async () => (await letters()).length === 7, 'They did not all die.');
});
afterAll(async () => {
  await flow.stop();
  await receiver.stop();
});

const letters = (query = '') => readAll<Letter>(flow.browser, `/dead-letters?${query}`);
/** A step that fails at once where this model does not answer. */
const classifiedBy = ({ url }: Pick<Receiver, 'url'>) => {
  const model = { provider: 'openai-compatible', base_url: url, name: 'm' };
  const config = { label: 'severity', labels: ['low', 'high'], prompt: 'How urgent?', model, retry_s: [] };
  return [{ kind: 'classify', config }];
};
const job = async (id: string) => dataOf<JobShown>(await flow.browser.get(`/jobs/${id}`));

test('they are listed newest first with the reason, page by page, none twice and none left out', async () => {
  const all = await letters();
  const paged = await letters('limit=2');
  expect(paged.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .toSorted()
      .reverse(),
  );
  for (const letter of all) {
    expect(letter).toMatchObject({ kind: 'delivery', state: 'dead', code: 'bad_status' });
    expect(letter.reason).toBe('Responded with 500.');
  }
});

test('they are narrowed down by when they were made, as all deliveries are', async () => {
  const all = await letters();
  const at = all[3]?.created_at ?? '';
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  const thoseMade = (holds: (time: string) => boolean) =>
    idsOf(all.filter(({ created_at }) => holds(created_at)));
  expect(idsOf(await letters(`after=${at}`))).toEqual(thoseMade(time => time > at));
  expect(idsOf(await letters(`before=${at}&limit=1`))).toEqual(thoseMade(time => time < at));
  const summary = dataOf<DeadLetterSummary>(await flow.browser.get(`/dead-letters/summary?after=${at}`));
  expect(summary.deliveries).toBe(thoseMade(time => time > at).length);

  const made = all[2]?.created_at ?? '';
  const since = await readAll<Letter>(flow.browser, `/deliveries?after=${made}&limit=1`);
  expect(idsOf(since)).toEqual(idsOf(all.filter(({ created_at }) => created_at > made)));
  const until = await readAll<Letter>(flow.browser, `/deliveries?before=${made}&limit=2`);
  expect(idsOf(until)).toEqual(idsOf(all.filter(({ created_at }) => created_at < made)));
  expect((await flow.browser.get('/deliveries?after=yesterday')).status).toBe(400);

  const filter = { after: '2100-01-01T00:00:00.000Z', before: '2100-01-02T00:00:00.000Z' };
  const begun = dataOf<JobShown>(await flow.browser.post('/dead-letters/retry', { filter }));
  expect(begun).toMatchObject({ total: 0, request: { filter } });
});

test('they are narrowed down by event, destination and code', async () => {
  expect(await letters(`destination=${at.second}`)).toHaveLength(2);
  expect((await letters(`event=${events[4]}`)).map(({ event_id }) => event_id)).toEqual([
    events[4] ?? '',
    events[4] ?? '',
  ]);
  expect(await letters('code=bad_status')).toHaveLength(7);
  expect(await letters('code=timeout')).toEqual([]);
  expect(await letters("code=' OR 1=1 --")).toEqual([]);
});

test('a filter, limit or cursor that makes no sense is refused', async () => {
  const refused = { status: 400, code: 'validation_failed' };
  expectRefused(await flow.browser.get('/dead-letters?state=dead'), { ...refused, path: 'state' });
  for (const limit of ['-1', '1e9', 'abc'])
    expectRefused(await flow.browser.get(`/dead-letters?limit=${limit}`), { ...refused, path: 'limit' });
  expect((await flow.browser.get('/dead-letters?cursor=forged')).status).toBe(400);
});

test('a job retries what matches, once each, although it dies again', async () => {
  const before = receiver.requests.length;
  const made = dataOf<JobShown>(
    await flow.browser.post('/dead-letters/retry', { filter: { destination: at.second } }),
  );
  expect(made).toMatchObject({ state: 'running', total: 2, done: 0, failed: 0 });
  await until(async () => (await job(made.id)).state === 'done', 'The job did not end.');
  await until(async () => (await letters()).length === 7, 'They did not die again.');
  expect(await job(made.id)).toMatchObject({ done: 2, failed: 0 });
  expect(receiver.requests.length - before).toBe(2);
  const [letter] = await letters(`destination=${at.second}`);
  expect(letter?.attempts.map(({ n }) => n)).toEqual([1, 2]);
});

test('a job that was cancelled does nothing more, and cannot be cancelled twice', async () => {
  const storage = everyStore(flow.service.engine);
  const before = receiver.requests.length;
  const made = dataOf<JobShown>(await flow.browser.post('/dead-letters/retry', {}));
  const cancelled = await flow.browser.post(`/jobs/${made.id}/cancel`);
  if (cancelled.status === 200) expect(dataOf<JobShown>(cancelled).state).toBe('cancelled');
  else expect(dataOf<JobShown>(await flow.browser.get(`/jobs/${made.id}`)).state).toBe('done');
  expect((await flow.browser.post(`/jobs/${made.id}/cancel`)).status).toBe(409);
  expect(
    await storage.advanceJob(unclaimed({ orgId: flow.orgId, id: made.id }), { done: 1 }, Date.now()),
  ).toBe(false);
  await until(async () => (await letters()).length === 7, 'They did not come to rest.');
  expect(receiver.requests.length - before).toBeLessThanOrEqual(7);
});

test('who was retried one by one says how it went; a stranger’s id is not there', async () => {
  const [letter] = await letters(`destination=${at.first}`);
  expect((await flow.browser.post(`/deliveries/${letter?.id}/retry`)).status).toBe(200);
  await until(
    async () => dataOf<DeliveryRecord>(await flow.browser.get(`/deliveries/${letter?.id}`)).state === 'dead',
    'It did not die again.',
  );
  for (const call of ['retry', 'discard'])
    expectRefused(await flow.browser.post(`/deliveries/dlv_00000000000000000000000000/${call}`), {
      status: 404,
      code: 'not_found',
    });
  expect(listOf(await flow.browser.get(`/deliveries?state=dead&destination=${at.first}`)).data).toHaveLength(
    5,
  );
});

test('they are counted before anybody retries them, by destination, code and pipeline', async () => {
  const summary = async (query = '') =>
    dataOf<DeadLetterSummary>(await flow.browser.get(`/dead-letters/summary?${query}`));
  expect(await summary()).toMatchObject({ deliveries: 7, events: 0, most: 10_000, by_pipeline: [] });
  expect(await summary(`destination=${at.second}`)).toMatchObject({
    deliveries: 2,
    by_destination: [
      {
        destination: { id: at.second, name: 'second' },
        code: 'bad_status',
        status: 500,
        count: 2,
        message: 'no',
      },
    ],
  });
  // The overview says the same of it.
  const { errors } = dataOf<TopRecord>(await flow.browser.get('/overview/top'));
  expect(errors.find(one => one.at.id === at.second)).toMatchObject({ message: 'no', count: { count: 2 } });
  // Each group has as many as the list that it leads to.
  for (const { destination, code, status, count } of (await summary()).by_destination)
    expect(await letters(`destination=${destination.id}&code=${code}&status=${status}`)).toHaveLength(count);
  expect(await letters('status=none')).toEqual([]);
  expect(await letters('step=0')).toEqual([]);
  for (const field of ['status', 'step'])
    expectRefused(await flow.browser.get(`/dead-letters?${field}=often`), {
      status: 400,
      code: 'validation_failed',
      path: field,
    });
  expect(await summary('kind=event')).toMatchObject({ deliveries: 0, events: 0, by_destination: [] });
});

test('those that were selected are retried, and those of a group discarded, none of what died since', async () => {
  const [one, another] = await letters(`destination=${at.second}`);
  const started = async (call: string, body: object) => {
    const { id } = dataOf<JobShown>(await flow.browser.post(`/dead-letters/${call}`, body));
    await until(async () => (await job(id)).state === 'done', 'The job did not end.');
    return job(id);
  };
  expect(await started('retry', { ids: [one?.id] })).toMatchObject({ total: 1, done: 1 });
  await until(async () => (await letters()).length === 7, 'It did not die again.');
  const group = { destination: at.second, code: 'bad_status', status: 500 };
  // An hour ago none of them was dead.
  expectRefused(await flow.browser.post('/dead-letters/discard', { filter: group, dead_for_ms: 3_600_000 }), {
    status: 400,
    code: 'validation_failed',
    path: 'dead_for_ms',
  });
  expect(await started('discard', { filter: group, dead_for_ms: 600_000 })).toMatchObject({ total: 0 });
  expect(await letters()).toHaveLength(7);
  expect(await started('discard', { filter: group })).toMatchObject({
    kind: 'dead_letters.discard',
    total: 2,
    done: 2,
    failed: 0,
    request: { filter: group },
  });
  expect(await letters()).toHaveLength(5);
  expect(dataOf<DeliveryRecord>(await flow.browser.get(`/deliveries/${another?.id}`)).state).toBe(
    'cancelled',
  );
  const audit = listOf<{ action: string; details: object }>(await flow.browser.get('/audit')).data;
  expect(audit.find(({ action }) => action === 'dead_letters.discarded')?.details).toEqual({
    filter: group,
    total: 2,
  });
});

test('one job retries dead deliveries and runs failed events again, by the pipelines they failed in alone', async () => {
  const other = await startFlow();
  let answersWith = 500;
  const model = startReceiver(() =>
    answersWith === 200
      ? Response.json({ choices: [{ message: { content: '{"severity":"low"}' } }] })
      : new Response('no', { status: answersWith }),
  );
  const inbox = await makeInbox(other.browser);
  const webhook = await makeWebhook(other.service.url, other.browser);
  await makePipeline(other.browser, { name: 'Sound', sources: [webhook.id], destinations: [{ id: inbox }] });
  const broken = await makePipeline(other.browser, {
    name: 'Broken',
    sources: [webhook.id],
    steps: classifiedBy(model),
    destinations: [{ id: inbox }],
  });
  const event = await webhook.send({ n: 1 });
  const listed = () => readAll<Letter>(other.browser, '/dead-letters?');
  await until(async () => (await listed()).length === 1, 'It did not fail.');
  expect((await listed())[0]).toMatchObject({
    kind: 'event',
    event_id: event,
    state: 'processed',
    failures: [{ pipeline: { id: broken.id, name: 'Broken' }, step: 0 }],
  });
  const summary = dataOf<DeadLetterSummary>(await other.browser.get('/dead-letters/summary'));
  expect(summary).toMatchObject({ events: 1, by_pipeline: [{ pipeline: { id: broken.id }, count: 1 }] });

  answersWith = 200;
  const made = dataOf<JobShown>(await other.browser.post('/dead-letters/retry', {}));
  expect(made).toMatchObject({ total: 1 });
  const ended = async () => dataOf<JobShown>(await other.browser.get(`/jobs/${made.id}`));
  await until(async () => (await ended()).state === 'done', 'The job did not end.');
  expect(await ended()).toMatchObject({ done: 1, failed: 0 });
  expect(await listed()).toEqual([]);
  const { runs, deliveries } = await readEvent(other.browser, event);
  expect(runs.map(({ pipeline, outcome }) => `${pipeline.name} ${outcome}`).sort()).toEqual([
    'Broken failed',
    'Broken routed',
    'Sound routed',
  ]);
  expect(deliveries).toHaveLength(2);
  await other.stop();
  await model.stop();
});

test('whoever asks twice for the same retry is shown the one that is under way', async () => {
  // Nobody here works on jobs, so the first one stays under way.
  const node = await startTestService({ settings: { SLUICE_ROLES: 'ingest,dashboard' } });
  const browser = await setUp(node);
  const retry = async (filter: object) => browser.post('/dead-letters/retry', { filter });
  const first = await retry({ kind: 'event' });
  const [again, another] = [await retry({ kind: 'event' }), await retry({ kind: 'delivery' })];
  expect([first.status, again.status, another.status]).toEqual([201, 200, 201]);
  expect(dataOf<JobShown>(again).id).toBe(dataOf<JobShown>(first).id);
  expect(dataOf<JobShown>(another).id).not.toBe(dataOf<JobShown>(first).id);
  await browser.post(`/jobs/${dataOf<JobShown>(first).id}/cancel`);
  expect((await retry({ kind: 'event' })).status).toBe(201);
  await node.stop();
});

test('an event whose pipelines nobody could read is retried through those that listen by then', async () => {
  const directory = temporaryDirectory();
  // Nobody here works on events, so that this one can be settled as it is when its pipelines cannot be read.
  const before = await startFlow({ directory, settings: { SLUICE_ROLES: 'ingest,dashboard' } });
  const inbox = await makeInbox(before.browser);
  await before.routeTo({ id: inbox });
  const [one, another] = [await before.send({ n: 1 }), await before.send({ n: 2 })];
  const storage = everyStore(before.service.engine);
  const { events: claimed } = await storage.claimEvents(aClaimInput({ now: Date.now() }));
  const unknown = {
    pipelineId: UNKNOWN_PIPELINE,
    outcome: 'failed',
    reason: 'Nobody could read them.',
  } as const;
  await storage.settleEvents(
    claimed.map(event => aSettlement(event, { runs: [aRun(unknown)] })),
    Date.now(),
  );
  const { email } = dataOf<WhoAmI>(await before.browser.get('/session')).user;
  await before.stop();

  const service = await startTestService({ directory });
  const browser = await logIn(service.url, email);
  const listed = () => readAll<Letter>(browser, '/dead-letters?');
  expect((await listed()).map(({ event_id }) => event_id)).toEqual([another, one]);
  const retry = async (filter: object) => {
    const { id } = dataOf<JobShown>(await browser.post('/dead-letters/retry', { filter }));
    const shown = async () => dataOf<JobShown>(await browser.get(`/jobs/${id}`));
    await until(async () => (await shown()).state === 'done', 'The job did not end.');
    expect(await shown()).toMatchObject({ total: 1, done: 1, failed: 0 });
  };
  await retry({ kind: 'event', event: one });
  expect((await listed()).map(({ event_id }) => event_id)).toEqual([another]);
  await retry({});
  expect(await listed()).toEqual([]);
  for (const event of [one, another]) {
    const { state, deliveries } = await readEvent(browser, event);
    expect(state).toBe('processed');
    expect(deliveries).toHaveLength(1);
  }
  await service.stop();
  rmSync(directory, { recursive: true });
});

test('a failed event is discarded once, and everybody can read who did it', async () => {
  const other = await startFlow();
  const webhook = await makeWebhook(other.service.url, other.browser);
  const broken = classifiedBy(receiver);
  await makePipeline(other.browser, { name: 'Broken', sources: [webhook.id], steps: broken });
  const event = await webhook.send({ n: 1 });
  const listed = () => readAll<Letter>(other.browser, '/dead-letters?');
  await until(async () => (await listed()).length === 1, 'It did not fail.');
  const discard = () => other.browser.post(`/events/${event}/discard`);
  expect(dataOf(await discard())).toMatchObject({ id: event, state: 'failed' });
  expect(await listed()).toEqual([]);
  expect(dataOf(await other.browser.get('/dead-letters/summary'))).toMatchObject({ events: 0 });
  expectRefused(await discard(), { status: 409, code: 'conflict' });
  expectRefused(await other.browser.post('/events/evt_00000000000000000000000000/discard'), {
    status: 404,
    code: 'not_found',
  });
  const audit = listOf(await other.browser.get('/audit')).data;
  expect(audit[0]).toMatchObject({ action: 'event.discarded', target: event });
  await other.stop();
});

test('an event that two jobs retry at once is run by both, and delivered for one of them', async () => {
  const other = await startFlow();
  let isWell = false;
  const { promise: bothAreAtIt, resolve: letThemGo } = Promise.withResolvers<void>();
  const model = startReceiver(async () => {
    if (!isWell) return new Response('no', { status: 500 });
    await bothAreAtIt;
    return Response.json({ choices: [{ message: { content: '{"severity":"low"}' } }] });
  });
  const inbox = await makeInbox(other.browser);
  const webhook = await makeWebhook(other.service.url, other.browser);
  await makePipeline(other.browser, {
    sources: [webhook.id],
    steps: classifiedBy(model),
    destinations: [{ id: inbox }],
  });
  const event = await webhook.send({ n: 1 });
  const listed = () => readAll<Letter>(other.browser, '/dead-letters?');
  await until(async () => (await listed()).length === 1, 'It did not fail.');
  isWell = true;
  const storage = everyStore(other.service.engine);
  const jobs: string[] = [];
  for (const filter of [{ kind: 'event' }, { event }])
    jobs.push(dataOf<JobShown>(await other.browser.post('/dead-letters/retry', { filter })).id);
  const shown = async (id: string) => dataOf<JobShown>(await other.browser.get(`/jobs/${id}`));
  for (const id of jobs) await until(() => storage.hasOutstanding(other.orgId, id), 'It did not begin.');
  letThemGo();
  for (const id of jobs) {
    await until(async () => (await shown(id)).state === 'done', 'It did not end.');
    expect(await shown(id)).toMatchObject({ total: 1, done: 1, failed: 0 });
  }
  expect(await listed()).toEqual([]);
  const { state, runs, deliveries } = await readEvent(other.browser, event);
  expect([state, runs.map(({ outcome }) => outcome), deliveries.length]).toEqual([
    'processed',
    ['failed', 'routed'],
    1,
  ]);
  await other.stop();
  await model.stop();
});
