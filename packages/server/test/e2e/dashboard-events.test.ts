import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import type { EventHistogram, EventSummary } from '@sluice/contract/dashboard-events';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import type { ViewRecord } from '@sluice/contract/dashboard-views';
import { idTime, newId } from '../../src/core/ids.ts';
import { aClaimInput, aRun, aSettlement } from '../contract/storage/pipeline-samples.ts';
import {
  type Browser,
  cookieOf,
  dataOf,
  join,
  listOf,
  readAll,
  setUp,
  stranger,
} from '../support/dashboard.ts';
import { acceptedIds, expectRefused, ingestWith, post } from '../support/endpoints.ts';
import { everyStore } from '../support/every-store.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let owner: Browser;
let shop: { id: string; url: string };
let start = Date.now();
let now = start;
const second = (n: number) => new Date(start + n * 1_000).toISOString();
/** Oldest first, each a second after the one before. */
const ids: string[] = [];

beforeAll(async () => {
  // Without the pipelines, so that what comes in stays as it came.
  service = await startTestService({
    clock: { now: () => now },
    settings: { SLUICE_ROLES: 'ingest,dashboard' },
  });
  owner = await setUp(service);
  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
  shop = dataOf(await owner.post('/sources', { kind: 'webhook', name: 'shop', auth: 'none' }));
  const ingest = ingestWith(service.url, secret);
  const send = async (event: Record<string, unknown>) => {
    now += 1_000;
    ids.push(...acceptedIds(await ingest({ events: [event] })));
  };
  // Ids never run backwards within a process, so neither may this clock.
  start = Math.ceil(idTime(newId('evt')) / 1_000 + 1) * 1_000;
  now = start;
  await send({ type: 'order.paid', icon: '💶', payload: { note: 'Grüße "x" 100%' } });
  await send({ type: 'order.paid', entity: { kind: 'customer', external_id: 'a:b/c' } });
  await send({ type: 'order.sent', timestamp: '2020-01-01T00:00:00+01:00' });
  now += 1_000;
  const received = await post(
    shop.url,
    '{"n": 12345678901234567890, "f": 1.10, "n": 2e2,\n "deep":{"__proto__":1}}',
  );
  ids.push((received.body as { data: { id: string } }).data.id);
});
afterAll(() => service.stop());

/** The same moment, an hour east. */
const inParis = (time: string) =>
  encodeURIComponent(new Date(Date.parse(time) + 3_600_000).toISOString().replace('Z', '+01:00'));

const listed = async (query: string) =>
  listOf<EventSummary>(await owner.get(`/events?${query}`)).data.map(({ id }) => ids.indexOf(id));

test('a row says what came in, newest first', async () => {
  const { data, next_cursor, ...more } = listOf<EventSummary>(await owner.get('/events'));
  expect(data.map(({ id }) => id)).toEqual([...ids].reverse());
  expect([next_cursor, more]).toEqual([null, { searched_to: null }]);
  expect(data[3]).toEqual({
    id: ids[0] ?? '',
    type: 'order.paid',
    icon: '💶',
    state: 'accepted',
    outcome: 'accepted',
    delivery_states: {},
    sources: [],
    entity: null,
    timestamp: second(1),
    received_at: second(1),
  });
  expect(data[2]?.entity).toEqual({ kind: 'customer', external_id: 'a:b/c' });
  expect(data[1]?.timestamp).toBe('2019-12-31T23:00:00.000Z');
  expect(data[0]).toMatchObject({ sources: [{ id: shop.id, name: 'shop' }], type: 'webhook.in.received' });
});

test('one event has its payload, and room for its runs and deliveries', async () => {
  expect(dataOf<EventSummary>(await owner.get(`/events/${ids[0]}`))).toEqual({
    ...(listOf<EventSummary>(await owner.get('/events')).data[3] as EventSummary),
    payload: { note: 'Grüße "x" 100%' },
    sender_id: null,
    erased_at: null,
    waiting: null,
    runs: [],
    runs_cut: false,
    deliveries: [],
    deliveries_cut: false,
  } as EventSummary);
});

test('the payload goes out exactly as it came in, big numbers and all', async () => {
  const response = await fetch(`${service.url}/dashboard/api/events/${ids[3]}`, {
    headers: { Cookie: cookieOf(owner) },
  });
  expect(response.headers.get('content-type')).toBe('application/json');
  const text = await response.text();
  expect(text).toContain(
    '"payload":{"n": 12345678901234567890, "f": 1.10, "n": 2e2,\n "deep":{"__proto__":1}}',
  );
  expect(JSON.parse(text).data.payload.n).toBe(200);
});

describe('the list is narrowed', () => {
  const filters: [string, () => string, number[]][] = [
    ['by state', () => 'state=accepted&type=order.sent', [2]],
    ['by another state', () => 'state=failed', []],
    ['by source', () => `source=${shop.id}`, [3]],
    ['by type', () => 'type=order.paid', [1, 0]],
    ['by a type that only begins so', () => 'type=order', []],
    ['by entity, whose id may hold colons', () => 'entity=customer:a:b%2Fc', [1]],
    ['by an entity without events', () => 'entity=customer:a', []],
    [
      'by text, whatever its case',
      () => `text=${encodeURIComponent('GRÜßE "x"').replace('%C3%9C', '%C3%BC')}`,
      [0],
    ],
    ['by text that a pattern would read otherwise', () => 'text=100%25', [0]],
    ['by text that is only a pattern', () => 'text=%25%25', []],
    ['by text with a quote that breaks nothing', () => "text='%20OR%20''='", []],
    ['by when it was received, both ends excluded', () => `after=${second(1)}&before=${second(3)}`, [1]],
    ['by when it was received, in any offset', () => `after=${inParis(second(2))}`, [3, 2]],
    ['by all of it together', () => `type=order.paid&before=${second(2)}`, [0]],
  ];
  for (const [name, query, expected] of filters) {
    test(name, async () => {
      expect(await listed(query())).toEqual(expected);
      // The chart above the list and its export have as many.
      const { counts, total } = dataOf<EventHistogram>(await owner.get(`/events/histogram?${query()}`));
      expect(total).toEqual({ count: expected.length, more: false });
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(expected.length);
      expect(exportedIn(await (await exported(query())).text())).toEqual(expected);
    });
  }
});

/** As a browser fetches a file. */
const exported = (query: string, as = owner) =>
  fetch(`${service.url}/dashboard/api/events/export?${query}`, { headers: { cookie: cookieOf(as) } });
const exportedIn = (file: string) =>
  file
    .split('\n')
    .filter(line => line !== '')
    .map(line => ids.indexOf((JSON.parse(line) as { id: string }).id));

test('an export is a file, with the payload as it came in, and on record', async () => {
  const viewer = await join(service.url, owner, 'exporter@example.com', 'viewer');
  const lines = await exported(`source=${shop.id}`, viewer);
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
  expect(lines.headers.get('content-disposition')).toBe('attachment; filename="events.ndjson"');
  expect(await lines.text()).toContain('"n": 12345678901234567890');
  const table = await exported('format=csv&type=order.sent', viewer);
  expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(table.headers.get('content-disposition')).toBe('attachment; filename="events.csv"');
  const [heading = '', row = '', end] = (await table.text()).split('\r\n');
  expect(heading).toStartWith('id,type,icon,');
  expect(row).toStartWith(`${ids[2]},order.sent,`);
  expect(end).toBe('');
  const [latest] = listOf<AuditRecord>(await owner.get('/audit?limit=1')).data;
  expect(latest).toMatchObject({
    actor: 'exporter@example.com',
    action: 'events.exported',
    details: { filter: { type: 'order.sent' }, format: 'csv' },
  });
  expectRefused(await owner.get('/events/export?format=xml'), {
    status: 400,
    code: 'validation_failed',
    path: 'format',
  });
});

test('an export as a job is fetched from it when it has ended', async () => {
  const started = await owner.post('/exports', { filter: { type: 'order.paid' }, format: 'ndjson' });
  expect(started.status).toBe(201);
  const { id } = dataOf<JobRecord>(started);
  const find = async () => dataOf<JobRecord>(await owner.get(`/jobs/${id}`));
  await until(async () => (await find()).state === 'done', 'The export does not end.');
  const job = await find();
  expect(job).toMatchObject({
    kind: 'events.export',
    request: { filter: { type: 'order.paid' }, format: 'ndjson' },
    total: 2,
    done: 2,
  });
  const file = await fetch(`${service.url}/dashboard/api/jobs/${id}/file`, {
    headers: { cookie: cookieOf(owner) },
  });
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename="events-${id}.ndjson"`);
  const text = await file.text();
  expect(exportedIn(text)).toEqual([1, 0]);
  expect(job.file).toEqual({ bytes: Buffer.byteLength(text), until: expect.any(String) });
});

test('a row has a piece of its payload where that is asked for, with what was searched for', async () => {
  const excerpts = async (query: string) =>
    listOf<EventSummary>(await owner.get(`/events?${query}`)).data.map(({ excerpt }) => excerpt);
  expect(await excerpts('excerpt=true&text=100%25')).toEqual([
    { before: '{"note":"Grüße \\"x\\" ', hit: '100%', after: '"}' },
  ]);
  expect(await excerpts('excerpt=true&type=order.sent')).toEqual([{ before: '{}', hit: '', after: '' }]);
  expect(await excerpts('text=100%25')).toEqual([undefined]);
});

describe('where more came in than anybody looks through', () => {
  const hour = 3_600_000;
  let busy: Browser;
  let source: string;
  let came: number;
  const histogram = async (query: Record<string, string> = {}) => {
    const asked = new URLSearchParams(query);
    const { counts, total } = dataOf<EventHistogram>(await busy.get(`/events/histogram?${asked}`));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total.count);
    return total;
  };
  const at = (ms: number) => new Date(ms).toISOString();

  beforeAll(async () => {
    busy = await stranger(service.url, owner, 'busy@example.com');
    const hook = dataOf<{ id: string; url: string }>(
      await busy.post('/sources', { kind: 'webhook', name: 'busy', auth: 'none' }),
    );
    source = hook.id;
    const received = await post(hook.url, '{}');
    came = idTime((received.body as { data: { id: string } }).data.id);
    const storage = everyStore(service.engine);
    const orgId = dataOf<WhoAmI>(await busy.get('/session')).organisation.id;
    const [node] = await storage.listNodes();
    // As the service counts them, half an hour apart.
    const first = came - (came % 60_000) - 2 * hour;
    const counts = [
      { subject: '', name: 'received', amount: 600_000 },
      { subject: '', name: 'processed', amount: 590_000 },
      { subject: source, name: 'received', amount: 20_000 },
      { subject: '#types', name: 'order.paid', amount: 600_000 },
    ];
    for (const later of [0, hour / 2])
      await storage.addCounts(
        counts.map(count => ({ ...count, orgId, at: first + later })),
        node?.id ?? null,
      );
  });

  test('the count is exact, of all, of a source and of a state, within any time', async () => {
    const after = at(came - (came % 60_000) - 3 * hour - 1);
    expect(await histogram({ after, before: at(came - hour) })).toEqual({ count: 1_200_000, more: false });
    expect(await histogram({ after, before: at(came - hour), source })).toEqual({
      count: 40_000,
      more: false,
    });
    const processed = { after, before: at(came - hour), state: 'processed' };
    expect(await histogram(processed)).toEqual({ count: 1_180_000, more: false });
    // Up to within a minute, and from within one: what came in by then is looked at.
    const until = at(came + 1);
    await expect(histogram({ after, before: until })).resolves.toEqual({ count: 1_200_001, more: false });
    expect(await histogram({ after, before: at(came) })).toEqual({ count: 1_200_000, more: false });
    const half = at(came - (came % 60_000) - 2 * hour + 1);
    expect(await histogram({ after: half, before: until })).toEqual({ count: 600_001, more: false });
  });

  test('what is counted by nothing is looked through', async () => {
    const after = at(came - 3 * hour);
    expect(await histogram({ after, type: 'webhook.in.received' })).toEqual({ count: 1, more: false });
    expect(await histogram({ after, source, state: 'accepted' })).toEqual({ count: 1, more: false });
  });

  test('types are offered as they are counted', async () => {
    const [first] = dataOf<{ type: string; count: number }[]>(await busy.get('/events/types'));
    expect(first).toEqual({ type: 'order.paid', count: 1_200_000 });
  });
});

test('types are offered, the most frequent first', async () => {
  const types = async () => dataOf<unknown[]>(await owner.get('/events/types'));
  await until(async () => (await types()).length === 3, 'Not all types are counted.');
  expect(await types()).toEqual([
    { type: 'order.paid', count: 2 },
    { type: 'order.sent', count: 1 },
    { type: 'webhook.in.received', count: 1 },
  ]);
});

describe('saved views', () => {
  const view = { name: 'Paid', filters: { type: 'order.paid', within: '24h' }, columns: ['type', 'payload'] };
  const namesOf = async (browser: Browser) =>
    listOf<ViewRecord>(await browser.get('/views')).data.map(({ name }) => name);

  test('a viewer keeps views for himself, and leaves those of the organisation alone', async () => {
    const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
    const own = dataOf<ViewRecord>(await viewer.post('/views', view));
    expect(own).toMatchObject({ ...view, shared: false });
    expect(await namesOf(owner)).toEqual([]);
    expectRefused(await viewer.post('/views', { ...view, shared: true }), { status: 403, code: 'forbidden' });
    const shared = dataOf<ViewRecord>(
      await owner.post('/views', { ...view, name: 'Everybody', shared: true }),
    );
    expect(await namesOf(viewer)).toEqual(['Everybody', 'Paid']);
    for (const answer of [
      await viewer.patch(`/views/${shared.id}`, { name: 'Mine' }),
      await viewer.delete(`/views/${shared.id}`),
    ]) {
      expectRefused(answer, { status: 403, code: 'forbidden' });
    }
    expectRefused(await owner.patch(`/views/${own.id}`, { name: 'x' }), { status: 404, code: 'not_found' });
    expect(dataOf(await viewer.patch(`/views/${own.id}`, { name: 'Renamed' }))).toMatchObject({
      ...view,
      name: 'Renamed',
    });
    expect((await viewer.delete(`/views/${own.id}`)).status).toBe(200);
    expect((await owner.delete(`/views/${shared.id}`)).status).toBe(200);
    expect(await namesOf(viewer)).toEqual([]);
  });

  test('are bounded in number, and hold nothing that the list does not have', async () => {
    for (let n = 0; n < 50; n++)
      expect((await owner.post('/views', { ...view, name: `${n}` })).status).toBe(201);
    expectRefused(await owner.post('/views', view), { status: 409, code: 'limit_reached' });
    for (const [path, bad] of [
      ['columns', { ...view, columns: [] }],
      ['columns', { ...view, columns: ['type', 'type'] }],
      ['columns[0]', { ...view, columns: ['secret'] }],
      ['name', { ...view, name: '' }],
    ] as const) {
      expectRefused(await owner.post('/views', bad), { status: 400, code: 'validation_failed', path });
    }
    expect((await owner.post('/views', { ...view, filters: { cookie: 'x' } })).status).toBe(400);
  });
});

test('pages put together are the whole list', async () => {
  const all = await readAll<EventSummary>(owner, '/events?limit=1');
  expect(all.map(({ id }) => id)).toEqual([...ids].reverse());
  const some = await readAll<EventSummary>(owner, '/events?limit=1&type=order.paid');
  expect(some.map(({ id }) => ids.indexOf(id))).toEqual([1, 0]);
});

describe('a query is refused', () => {
  const refused: [string, string][] = [
    ['limit', 'limit=0'],
    ['limit', 'limit=-1'],
    ['limit', 'limit=101'],
    ['limit', 'limit=1e9'],
    ['limit', 'limit=abc'],
    ['limit', 'limit='],
    ['state', 'state=lost'],
    ['typ', 'typ=order.paid'],
    ['pipelines', 'pipelines=pipe_x'],
    ['after', 'after=yesterday'],
    ['before', 'before=2026-02-30T00:00:00Z'],
    ['entity', 'entity=customer'],
    ['entity', 'entity=:x'],
    ['entity', 'entity=UPPER:x'],
    ['text', 'text='],
    ['type', 'type=a&type=b'],
    ['text', 'text=%00'],
    ['__proto__', '__proto__=x'],
  ];
  for (const [path, query] of refused) {
    test(`?${query}`, async () => {
      expectRefused(await owner.get(`/events?${query}`), { status: 400, code: 'validation_failed', path });
    });
  }

  test('with a cursor that was forged, altered, or taken from another list', async () => {
    const { next_cursor: cursor } = listOf(await owner.get('/events?limit=1'));
    const { next_cursor: ofAudit } = listOf(await owner.get('/audit?limit=1'));
    if (cursor === null || ofAudit === null) throw new Error('there is no next page');
    const forged = Buffer.from(`${ids[1]}`).toString('base64url');
    for (const bad of [
      '',
      'x',
      ids[1],
      `${cursor}0`,
      cursor.slice(1),
      ofAudit,
      `${forged}.${cursor.split('.')[1]}`,
    ]) {
      expectRefused(await owner.get(`/events?cursor=${bad}`), {
        status: 400,
        code: 'invalid_cursor',
        path: 'cursor',
      });
    }
  });
});

test('an event that is not there is 404', async () => {
  for (const id of ['evt_00000000000000000000000000', 'x', '%00', 'evt_%27%20OR%201=1']) {
    expectRefused(await owner.get(`/events/${id}`), { status: 404, code: 'not_found' });
  }
});

test('of an event that was run very often the latest runs are shown, and it is said that there are more', async () => {
  const storage = everyStore(service.engine);
  const [claimed] = (await storage.claimEvents(aClaimInput({ now }))).events;
  if (!claimed) throw new Error('Nothing was claimed.');
  const runs = Array.from({ length: 101 }, (_, n) => aRun({ id: newId('run'), pipelineId: `pipe_${n}` }));
  await storage.settleEvents([aSettlement(claimed, { runs })], now);
  const shown = dataOf<EventRecord>(await owner.get(`/events/${claimed.event.id}`));
  expect(shown.runs_cut).toBe(true);
  expect(shown.runs).toHaveLength(100);
  expect([shown.runs[0]?.pipeline.id, shown.runs.at(-1)?.pipeline.id]).toEqual(['pipe_1', 'pipe_100']);
});
