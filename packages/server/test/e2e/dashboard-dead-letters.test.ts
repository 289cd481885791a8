import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { dataOf, listOf, readAll } from '../support/dashboard.ts';
import { expectRefused } from '../support/doors.ts';
import { type DeliveryRecord, type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(30_000);

interface Letter extends DeliveryRecord {
  readonly kind: 'delivery' | 'event';
  readonly reason: string | null;
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
  const policy = { attempts: 1, schedule_s: [0], timeout_s: 5 };
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
    expect(letter.reason).toBe('The destination answered with status 500.');
  }
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
  const storage = flow.service.engine.storage;
  const before = receiver.requests.length;
  const made = dataOf<JobShown>(await flow.browser.post('/dead-letters/retry', {}));
  const cancelled = await flow.browser.post(`/jobs/${made.id}/cancel`);
  if (cancelled.status === 200) expect(dataOf<JobShown>(cancelled).state).toBe('cancelled');
  else expect(dataOf<JobShown>(await flow.browser.get(`/jobs/${made.id}`)).state).toBe('done');
  expect((await flow.browser.post(`/jobs/${made.id}/cancel`)).status).toBe(409);
  expect(await storage.advanceJob(flow.orgId, made.id, { done: 1 }, Date.now())).toBe(false);
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
