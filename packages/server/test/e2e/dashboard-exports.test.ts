import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { type Browser, cookieOf, dataOf, join, listOf } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

/** Exports that are jobs, of dead letters and of the audit log; those of events are in `dashboard-events`. */

let flow: Flow;
let receiver: Receiver;
let viewer: Browser;
beforeAll(async () => {
  flow = await startFlow();
  receiver = startReceiver(() => new Response('no', { status: 500 }));
  viewer = await join(flow.service.url, flow.browser, 'viewer@example.com', 'viewer');
  const policy = { attempts: 1, schedule_s: [0] };
  const { id } = await flow.destination({
    kind: 'webhook',
    name: 'shop',
    config: { url: receiver.url },
    policy,
  });
  await flow.routeTo({ id });
  for (let n = 0; n < 3; n++) await flow.settled(await flow.send({ n }), 'dead');
});
afterAll(async () => {
  await flow.stop();
  await receiver.stop();
});

const newest = async () => listOf<AuditRecord>(await flow.browser.get('/audit?limit=1')).data[0];
const fetchAs = (as: Browser, path: string) =>
  fetch(`${flow.service.url}/dashboard/api${path}`, { headers: { cookie: cookieOf(as) } });
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>);

/** Asks for one, and waits until it is written. */
async function exportAs(as: Browser, body: object): Promise<JobRecord> {
  const started = await as.post('/exports', body);
  expect(started.status).toBe(201);
  const { id } = dataOf<JobRecord>(started);
  const find = async () => dataOf<JobRecord>(await as.get(`/jobs/${id}`));
  await until(async () => (await find()).state === 'done', 'The export does not end.');
  return find();
}

test('dead letters are exported as a job by whoever may read them, as the direct file has them, and it is on record', async () => {
  const filter = { kind: 'delivery', code: 'bad_status' };
  const job = await exportAs(viewer, { what: 'dead_letters', filter });
  expect(job).toMatchObject({
    kind: 'dead_letters.export',
    request: { filter, format: 'ndjson' },
    total: 3,
    done: 3,
  });
  expect(await newest()).toMatchObject({
    actor: 'viewer@example.com',
    action: 'dead_letters.exported',
    target_page: `/jobs/${job.id}`,
    details: { filter, format: 'ndjson' },
  });
  const file = await fetchAs(viewer, `/jobs/${job.id}/file`);
  expect(file.headers.get('content-disposition')).toBe(
    `attachment; filename="dead-letters-${job.id}.ndjson"`,
  );
  const direct = await fetchAs(viewer, `/dead-letters/export?${new URLSearchParams(filter)}`);
  const text = await file.text();
  expect(linesOf(text).map(({ payload }) => payload)).toEqual([{ n: 2 }, { n: 1 }, { n: 0 }]);
  expect(text).toBe(await direct.text());
  expect(await newest()).toMatchObject({ action: 'dead_letters.exported', details: { filter } });
  expectRefused(await viewer.post('/exports', { what: 'dead_letters', format: 'csv' }), {
    status: 400,
    code: 'validation_failed',
    path: 'format',
  });
});

test('the audit log is exported as a job, with addresses only for those who look after the members', async () => {
  const filter = { kind: 'destination' };
  const own = await exportAs(flow.browser, { what: 'audit', filter, format: 'csv' });
  expect(own).toMatchObject({ kind: 'audit.export', request: { filter, format: 'csv' }, done: 1 });
  expect(await newest()).toMatchObject({ action: 'audit.exported', details: { filter, format: 'csv' } });
  const read = async (as: Browser, { id }: JobRecord) => (await fetchAs(as, `/jobs/${id}/file`)).text();
  expect(await read(flow.browser, own)).toContain('127.0.0.1');

  const theirs = await exportAs(viewer, { what: 'audit', filter });
  expect(linesOf(await read(viewer, theirs))).toMatchObject([
    { action: 'destination.created', address: null },
  ]);
  // What the other's file holds is nothing for them, whoever tells them of it.
  expectRefused(await viewer.get(`/jobs/${own.id}/file`), { status: 403, code: 'forbidden' });
  expect(linesOf(await read(flow.browser, theirs))).toMatchObject([{ address: null }]);
});

test('what is to be exported is one of three', async () => {
  const refused = await flow.browser.post('/exports', { what: 'sources' });
  expectRefused(refused, { status: 400, code: 'validation_failed', path: 'what' });
  expect(JSON.stringify(refused.body)).toContain('\\"events\\", \\"dead_letters\\" or \\"audit\\"');
});
