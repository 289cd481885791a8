import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AlertsRecord } from '@sluice/contract/dashboard-alerts';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import {
  alertCondition,
  alertTemplates,
  type SystemEventPayload,
  type SystemEventType,
  systemEventPayload,
  systemEventTypes,
} from '@sluice/contract/system-events';
import { minutes, seconds } from '../../src/core/clock.ts';
import { type Browser, dataOf, join, listOf, openBrowser } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

/** System events over real HTTP, from what goes wrong to the chat that is told of it. */

let flow: Flow;
let receiver: Receiver;
/** Speaks as Slack's incoming webhooks do. */
let slack: Receiver;
let aheadMs = 0;
let isSlackDown = false;
const healthy = new Set<string>();
const clock = { now: () => Date.now() + aheadMs };

beforeAll(async () => {
  receiver = startReceiver(({ path }) => new Response('', { status: healthy.has(path) ? 200 : 503 }));
  slack = startReceiver(({ body }) => {
    const { text } = JSON.parse(body) as { text?: unknown };
    if (isSlackDown) return new Response('no_service', { status: 503 });
    return typeof text === 'string' ? new Response('ok') : new Response('no_text', { status: 400 });
  });
  flow = await startFlow({
    clock,
    alertsEveryMs: 50,
    settings: { SLUICE_BASE_URL: 'https://sluice.example.com' },
  });
});

afterAll(async () => {
  await flow.stop();
  await slack.stop();
  await receiver.stop();
});

const systemSource = async () =>
  listOf<SourceRecord>(await flow.browser.get('/sources')).data.find(({ kind }) => kind === 'system');

interface Alert {
  readonly id: string;
  readonly type: SystemEventType;
  readonly state: string;
}

/** The events of the system source, newest first. */
const alertsOf = async (type?: SystemEventType): Promise<Alert[]> =>
  listOf<Alert>(
    await flow.browser.get(
      `/events?source=${(await systemSource())?.id}${type ? `&type=${type}` : ''}&limit=100`,
    ),
  ).data;

const payloadOf = async (id: string): Promise<SystemEventPayload> =>
  systemEventPayload.parse(dataOf<{ payload: unknown }>(await flow.browser.get(`/events/${id}`)).payload);

/** Waits for an event of this type about this subject, and answers all there are of them. */
async function alertsAbout(type: SystemEventType, subjectId: string, least = 1) {
  let found: (SystemEventPayload & { eventId: string })[] = [];
  await until(async () => {
    const all = await Promise.all(
      (await alertsOf(type)).map(async ({ id }) => ({ ...(await payloadOf(id)), eventId: id })),
    );
    found = all.filter(({ subject }) => subject.id === subjectId);
    return found.length >= least;
  }, `No ${type} about ${subjectId}.`);
  return found;
}

/** A look that began after this moment has ended, as far as it can be seen. */
async function lookedAgain(): Promise<void> {
  const marker = await addJob();
  await alertsAbout('sluice.job.finished', marker);
}

/** A job that is over: the next look tells of it. */
async function addJob(): Promise<string> {
  const id = `job_${crypto.randomUUID()}`;
  const { jobs } = flow.service.engine;
  const now = clock.now();
  await jobs.createJob({
    id,
    orgId: flow.orgId,
    kind: 'replay',
    state: 'running',
    request: '{}',
    total: 3,
    done: 3,
    failed: 1,
    position: null,
    notes: [],
    createdBy: 'owner@example.com',
    createdAt: now,
    finishedAt: null,
  });
  await jobs.finishJob(flow.orgId, id, 'done', now);
  return id;
}

async function addDestination(name: string) {
  const { id } = await flow.destination({
    kind: 'webhook',
    name,
    config: { url: `${receiver.url}/${name}` },
    policy: { attempts: 2, schedule_s: [0, 1], timeout_s: 30 },
  });
  await flow.routeTo({ id, when: `event.type == "${name}"` });
  return id;
}

const openBreaker = (id: string) => {
  const openedAt = clock.now();
  const opened = { openedAt, nextProbeAt: openedAt + minutes(60), failure: 'It answered 503.' };
  return flow.service.engine.configuration.openBreaker(flow.orgId, id, opened);
};

/** As the page of the settings makes it. */
async function tellSlack(types: readonly SystemEventType[]) {
  const destination = dataOf<{ id: string }>(
    await flow.browser.post('/destinations', {
      kind: 'slack',
      name: 'Slack alerts',
      config: { url: `${slack.url}/services/T0/B0/x`, ...alertTemplates.slack },
    }),
  );
  const pipeline = dataOf<{ id: string }>(
    await flow.browser.post('/pipelines', {
      name: 'Alerts to Slack',
      sources: [(await systemSource())?.id],
      steps: [{ kind: 'filter.match', config: { condition: alertCondition(types) } }],
      destinations: [{ id: destination.id }],
    }),
  );
  return { destination, pipeline };
}

test('every organisation has a source of system events that nobody can send to, disable or delete', async () => {
  const source = await systemSource();
  expect(source).toEqual({
    kind: 'system',
    id: source?.id ?? '',
    name: 'System',
    enabled: true,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    last_event_at: null,
  });
  const at = `/sources/${source?.id}`;
  expect((await flow.browser.delete(at)).status).toBe(409);
  expect((await flow.browser.post(`${at}/rotate`)).status).toBe(409);
  expect((await flow.browser.patch(at, { enabled: false })).status).toBe(400);
  expect((await flow.browser.patch(at, { expect_every_minutes: 5 })).status).toBe(400);
  expect(dataOf(await flow.browser.patch(at, { name: 'Alarms' }))).toMatchObject({ name: 'Alarms' });
  expect((await fetch(`${flow.service.url}/whk/${source?.id}`, { method: 'POST' })).status).toBe(404);
  expect((await flow.browser.post('/sources', { kind: 'system', name: 'Another' })).status).toBe(400);
  const { id: second } = dataOf<{ id: string }>(
    await flow.browser.post('/organisations', { name: 'Second' }),
  );
  const sources = await flow.service.engine.configuration.listSources(second);
  expect(sources.map(({ kind, name }) => [kind, name])).toEqual([['system', 'System']]);
});

test('a destination that goes down is told to Slack once, and once when it is back', async () => {
  const { destination } = await tellSlack(['sluice.destination.down', 'sluice.destination.recovered']);
  const id = await addDestination('shop');
  const told = () => slack.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  await Promise.all(Array.from({ length: 80 }, () => flow.send({}, 'shop')));
  await until(() => told().length > 0, 'Slack was not told.');
  expect(told()).toEqual([expect.stringMatching(/^🔴 Destination “shop” has been down since .*503/s)]);
  expect(told()[0]).toContain(`https://sluice.example.com/o/acme/destinations/${id}`);
  const [down] = await alertsAbout('sluice.destination.down', id);
  expect(down).toMatchObject({
    subject: { kind: 'destination', id, name: 'shop', subtype: 'webhook' },
    reason: expect.stringContaining('503'),
    waiting: expect.any(Number),
  });
  await lookedAgain();

  healthy.add('/shop');
  expect((await flow.browser.post(`/destinations/${id}/test`)).status).toBe(200);
  await until(() => told().length > 1, 'Slack was not told of the recovery.');
  await lookedAgain();
  expect(told()).toHaveLength(2);
  expect(told()[1]).toStartWith('🟢 Destination “shop” accepts deliveries again.');
  expect(await alertsAbout('sluice.destination.recovered', id)).toEqual([
    expect.objectContaining({ since: down?.since, until: expect.any(String) }),
  ]);
  // An ordinary event: it was run, and delivered.
  const event = dataOf<{ deliveries: { state: string }[] }>(
    await flow.browser.get(`/events/${down?.eventId}`),
  );
  expect(event).toMatchObject({ state: 'processed', deliveries: [{ state: 'delivered' }] });
  await flow.browser.delete(`/destinations/${destination.id}`);
});

test('within ten minutes there is no second event of the same subject, and after that there is', async () => {
  const id = await addDestination('flapping');
  await openBreaker(id);
  await alertsAbout('sluice.destination.down', id);
  await flow.service.engine.configuration.closeBreaker(flow.orgId, id);
  await alertsAbout('sluice.destination.recovered', id);
  await openBreaker(id);
  await lookedAgain();
  expect(await alertsAbout('sluice.destination.down', id)).toHaveLength(1);
  aheadMs += minutes(11);
  expect(await alertsAbout('sluice.destination.down', id, 2)).toHaveLength(2);
  await flow.browser.delete(`/destinations/${id}`);
});

test('what happens to the deliveries of system events raises none', async () => {
  isSlackDown = true;
  const { destination, pipeline } = await tellSlack(systemEventTypes);
  await flow.browser.patch(`/destinations/${destination.id}`, {
    policy: { attempts: 1, schedule_s: [0] },
  });
  const jobs = await Promise.all(Array.from({ length: 12 }, addJob));
  for (const job of jobs) await alertsAbout('sluice.job.finished', job);
  const dead = async () =>
    flow.service.engine.deliveryQueue.countDeliveries(flow.orgId, {
      destination: destination.id,
      state: 'dead',
    });
  await until(async () => (await dead()) >= 12, 'The deliveries of system events did not die.');
  await openBreaker(destination.id);
  // They are counted within a second, and looked at after that.
  const counted = () =>
    flow.service.engine.counters.readCounters(flow.orgId, [destination.id], ['dead'], {
      from: Math.floor((clock.now() - minutes(5)) / minutes(1)) * minutes(1),
      stepMs: minutes(7),
      points: 1,
    });
  await until(async () => ((await counted())[0]?.amount ?? 0) >= 12, 'They were not counted.');
  await lookedAgain();
  const types = new Set((await alertsOf()).map(({ type }) => type));
  expect(types).not.toContain('sluice.dead_letters.growing');
  const downs = await Promise.all((await alertsOf('sluice.destination.down')).map(({ id }) => payloadOf(id)));
  expect(downs.map(({ subject }) => subject.id)).not.toContain(destination.id);
  await flow.browser.delete(`/pipelines/${pipeline.id}`);
  isSlackDown = false;
});

test('deliveries that die raise an event for the organisation', async () => {
  const { id } = await flow.destination({
    kind: 'webhook',
    name: 'grave',
    config: { url: `${receiver.url}/grave` },
    policy: { attempts: 1, schedule_s: [0] },
  });
  await flow.routeTo({ id, when: 'event.type == "grave"' });
  await Promise.all(Array.from({ length: 12 }, () => flow.send({}, 'grave')));
  const [growing] = await alertsAbout('sluice.dead_letters.growing', flow.orgId);
  expect(growing).toMatchObject({
    subject: { kind: 'organisation', name: 'Acme', subtype: null },
    reason: 'A delivery to grave is dead: bad_status.',
    waiting: null,
    url: 'https://sluice.example.com/o/acme/dead-letters',
  });
  expect(growing?.counts.deliveries).toBeGreaterThanOrEqual(10);
});

test('a source that rejects is told of, with the reason', async () => {
  const { id, url } = dataOf<{ id: string; url: string }>(
    await flow.browser.post('/sources', { kind: 'webhook', name: 'Signed', auth: 'hmac' }),
  );
  const path = new URL(url).pathname;
  for (let n = 0; n < 10; n++) await fetch(`${flow.service.url}${path}`, { method: 'POST', body: '{}' });
  const [rejecting] = await alertsAbout('sluice.source.rejecting', id);
  expect(rejecting).toMatchObject({
    subject: { kind: 'source', id, name: 'Signed', subtype: 'webhook' },
    counts: { rejected: 10 },
    reason: expect.stringContaining('unauthenticated'),
  });
});

test('a source that is quiet for longer than is expected of it is told of', async () => {
  const { id } = dataOf<{ id: string }>(
    await flow.browser.post('/sources', {
      kind: 'sdk',
      name: 'Hourly',
      match: 'hourly.*',
      expect_every_minutes: 60,
    }),
  );
  expect(dataOf(await flow.browser.get(`/sources/${id}`))).toMatchObject({ expect_every_minutes: 60 });
  aheadMs += minutes(59);
  await lookedAgain();
  expect(await alertsOf('sluice.source.quiet')).toEqual([]);
  aheadMs += minutes(2);
  expect(await alertsAbout('sluice.source.quiet', id)).toEqual([
    expect.objectContaining({ counts: { expect_every_minutes: 60, quiet_minutes: 61 } }),
  ]);
  dataOf(await flow.browser.patch(`/sources/${id}`, { expect_every_minutes: null }));
  expect(dataOf(await flow.browser.get(`/sources/${id}`))).toMatchObject({ expect_every_minutes: null });
});

test('a job that is finished is told of once', async () => {
  const { id } = dataOf<JobRecord>(await flow.browser.post('/dead-letters/retry', {}));
  const [finished] = await alertsAbout('sluice.job.finished', id);
  expect(finished).toMatchObject({
    state: 'done',
    reason: null,
    waiting: null,
    url: `https://sluice.example.com/o/acme/jobs/${id}`,
  });
  await lookedAgain();
  expect(await alertsAbout('sluice.job.finished', id)).toHaveLength(1);
});

test('an export that has ended is told of, unless a viewer started it', async () => {
  const start = async (browser: Browser) =>
    dataOf<JobRecord>(await browser.post('/exports', { filter: {}, format: 'csv' })).id;
  const isDone = async (id: string) =>
    (await flow.service.engine.jobs.findJob(flow.orgId, id))?.state === 'done';
  const viewer = await join(flow.service.url, flow.browser, 'viewer@example.com', 'viewer');
  const silent = await start(viewer);
  await until(() => isDone(silent), 'The export of the viewer does not end.');
  const id = await start(flow.browser);
  const [finished] = await alertsAbout('sluice.job.finished', id);
  expect(finished).toMatchObject({ subject: { kind: 'job', subtype: 'events.export' }, state: 'done' });
  const told = await Promise.all((await alertsOf('sluice.job.finished')).map(one => payloadOf(one.id)));
  expect(told.map(({ subject }) => subject.id)).not.toContain(silent);
});

test('somebody who guesses a password is told of, and nobody else is', async () => {
  const visitor = openBrowser(flow.service.url);
  for (let n = 0; n < 10; n++)
    await visitor.post('/session', { email: 'owner@example.com', password: `guess ${n}` });
  await until(
    async () => (await alertsOf('sluice.login.suspicious')).length > 0,
    'Nobody was told of the guesses.',
  );
  const [alert] = await alertsOf('sluice.login.suspicious');
  expect(await payloadOf(alert?.id ?? '')).toMatchObject({
    subject: { kind: 'member', name: 'owner@example.com', subtype: 'owner' },
    counts: { failed: 10 },
    address: '127.0.0.1',
  });
});

test('the settings say when each was last raised, and the first organisation alone hears of the machine', async () => {
  const { types, has_links, source_id } = dataOf<AlertsRecord>(await flow.browser.get('/alerts'));
  expect(types.map(({ type }) => type)).toEqual([...systemEventTypes]);
  expect([has_links, source_id]).toEqual([true, (await systemSource())?.id ?? '']);
  const raised = types.filter(({ last_raised_at }) => last_raised_at !== null).map(({ type }) => type);
  expect(raised).toContain('sluice.destination.recovered');
  expect(raised).not.toContain('sluice.node.lost');
  const { id } = dataOf<{ id: string }>(await flow.browser.post('/organisations', { name: 'Third' }));
  await flow.browser.put('/session/organisation', { id });
  const other = dataOf<AlertsRecord>(await flow.browser.get('/alerts'));
  expect(other.types.map(({ type }) => type)).not.toContain('sluice.disk.low');
  expect(other.types.every(({ last_raised_at }) => last_raised_at === null)).toBe(true);
  await flow.browser.put('/session/organisation', { id: flow.orgId });
});

test('what waits where it is held is no backlog', async () => {
  const { deliveryQueue } = flow.service.engine;
  const held = await addDestination('held');
  await flow.browser.post(`/destinations/${held}/pause`);
  await Promise.all(Array.from({ length: 110 }, () => flow.send({}, 'held')));
  await until(
    async () => (await deliveryQueue.readBacklogOf(flow.orgId, held, 1_000)).waiting === 110,
    'Nothing waits.',
  );
  aheadMs += minutes(6) + seconds(1);
  await lookedAgain();
  expect(await alertsOf('sluice.backlog.growing')).toEqual([]);
});
