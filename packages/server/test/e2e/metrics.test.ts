import { afterAll, beforeAll, expect, test } from 'bun:test';
import { seconds } from '../../src/core/clock.ts';
import { ingestWith, storedEvents } from '../support/endpoints.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { makeInbox, makePipeline, makeWebhook } from '../support/pipelines.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { seedOrganisation } from '../support/service.ts';
import { until } from '../support/until.ts';

let flow: Flow;
let receiver: Receiver;
let ahead = 0;
beforeAll(async () => {
  flow = await startFlow({ clock: { now: () => Date.now() + ahead } });
  receiver = startReceiver(() => new Response('no', { status: 500 }));
});
afterAll(async () => {
  await flow.stop();
  await receiver.stop();
});

/** Every series by its name and labels, as it stands once what was counted before is out of date. */
async function read(): Promise<Map<string, number>> {
  ahead += seconds(10);
  const text = await (await fetch(`${flow.service.url}/metrics`)).text();
  return new Map(
    text
      .split('\n')
      .filter(line => line.startsWith('sluice_'))
      .map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

const NAMES = [
  'sluice_events_committed_total',
  'sluice_append_waiting',
  'sluice_commit_seconds_count',
  'sluice_events_settled_total{state="processed"}',
  'sluice_events_settled_total{state="dropped"}',
  'sluice_events_settled_total{state="unrouted"}',
  'sluice_events_settled_total{state="failed"}',
  'sluice_deliveries_ended_total{state="delivered"}',
  'sluice_deliveries_ended_total{state="dead"}',
  'sluice_deliveries_ended_total{state="cancelled"}',
  'sluice_events_waiting',
  'sluice_deliveries_open{state="pending"}',
  'sluice_deliveries_open{state="delivering"}',
  'sluice_deliveries_open{state="retrying"}',
  'sluice_dead_letters{kind="delivery"}',
  'sluice_dead_letters{kind="event"}',
];
const scrape = async () => {
  const series = await read();
  return Object.fromEntries(NAMES.map(name => [name, series.get(name)]));
};
const zeros = Object.fromEntries(NAMES.map(name => [name, 0]));

test('every series is there before anything has happened', async () => {
  expect(await scrape()).toEqual(zeros);
});

test('they show what became of events and deliveries, and what waits', async () => {
  const { browser, service } = flow;
  const webhook = await makeWebhook(service.url, browser);
  const inbox = await makeInbox(browser);
  const policy = { attempts: 1, schedule_s: [0], timeout_s: 30 };
  const { id: dead } = await flow.destination({
    kind: 'webhook',
    name: 'dead',
    config: { url: receiver.url },
    policy,
  });
  const { id: paused } = await flow.destination({ kind: 'inbox', name: 'paused' });
  await browser.post(`/destinations/${paused}/pause`);
  const only = (condition: string) => [{ kind: 'filter.match', config: { condition } }];
  const model = { provider: 'openai-compatible', base_url: receiver.url, name: 'm' };
  const config = { label: 'severity', labels: ['low', 'high'], prompt: 'How urgent?', model, retry_s: [] };
  const pipelines = [
    [only('payload.n == 1'), { id: inbox }],
    [only('payload.n == 2'), { id: dead }],
    [only('payload.n == 3'), { id: paused }],
    [[...only('payload.n == 4'), { kind: 'classify', config }], { id: inbox }],
  ] as const;
  for (const [steps, destination] of pipelines) {
    await makePipeline(browser, {
      name: destination.id,
      sources: [webhook.id],
      steps: [...steps],
      destinations: [destination],
    });
  }
  for (const n of [1, 2, 3, 4, 5]) await webhook.send({ n });
  await flow.send({}, 'nobody.listens');
  const expected = {
    ...zeros,
    sluice_events_committed_total: 6,
    'sluice_events_settled_total{state="processed"}': 3,
    'sluice_events_settled_total{state="dropped"}': 1,
    'sluice_events_settled_total{state="unrouted"}': 1,
    'sluice_events_settled_total{state="failed"}': 1,
    'sluice_deliveries_ended_total{state="delivered"}': 1,
    'sluice_deliveries_ended_total{state="dead"}': 1,
    'sluice_deliveries_open{state="pending"}': 1,
    'sluice_dead_letters{kind="delivery"}': 1,
    'sluice_dead_letters{kind="event"}': 1,
    sluice_commit_seconds_count: expect.any(Number),
  };
  let found: Record<string, number | undefined> = {};
  await until(async () => {
    found = await scrape();
    return Object.entries(expected).every(
      ([name, value]) => typeof value !== 'number' || found[name] === value,
    );
  }, 'The figures did not come out.').catch(() => {});
  expect(found).toEqual(expected);
});

test('events are counted as committed when they are new and on disk, as many as are listed', async () => {
  const seed = await seedOrganisation(flow.service.engine);
  const committed = async () => (await read()).get('sluice_events_committed_total') ?? 0;
  const listed = async () => (await storedEvents(flow.service.engine, seed.orgId)).length;
  const before = await committed();
  const ingest = ingestWith(flow.service.url, seed.apiKey);
  const batch = (type: string) => ({ events: [{ type }, { type, id: 'sender-1' }, { type }] });
  const key = { 'X-Ingest-Idempotency-Key': 'once' };
  expect((await ingest(batch('new'), key)).status).toBe(202);
  expect((await ingest(batch('new'), key)).status).toBe(202);
  expect((await ingest(batch('another body'), key)).status).toBe(409);
  // One of these was taken before.
  expect((await ingest(batch('new'))).status).toBe(202);
  await until(async () => (await committed()) - before >= 5, 'What was stored is not counted.');
  expect([(await committed()) - before, await listed()]).toEqual([5, 5]);
});
