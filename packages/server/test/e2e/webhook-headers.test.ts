import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { type Browser, dataOf, listOf, setUp } from '../support/dashboard.ts';
import { makePipeline } from '../support/pipelines.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService, temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Received headers on their way: in conditions, references and templates, from memory, from storage, in a replay. */

let service: TestService;
let owner: Browser;
let receiver: Receiver;
let source: { id: string; url: string };
let chat: string;
const directory = temporaryDirectory();
const start = (roles: string) =>
  startTestService({
    directory,
    settings: {
      SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8',
      SLUICE_ALLOW_HTTP: 'true',
      SLUICE_ROLES: roles,
    },
  });
const EVERY_ROLE = 'ingest,process,deliver,dashboard';
beforeAll(async () => {
  service = await start(EVERY_ROLE);
  owner = await setUp(service);
  receiver = startReceiver();
  source = dataOf(await owner.post('/sources', { kind: 'webhook', name: 'Hook', auth: 'none' }));
  const text = '{{ event.headers["x-kind"] }} {{ payload.by_reference }} {{ payload.by_template }}';
  chat = dataOf<{ id: string }>(
    await owner.post('/destinations', {
      kind: 'discord',
      name: 'Chat',
      config: { url: `${receiver.url}/hook`, text },
    }),
  ).id;
  await makePipeline(owner, {
    sources: [source.id],
    steps: [
      { kind: 'filter.match', config: { condition: 'event.headers["x-kind"].startsWith("order")' } },
      {
        kind: 'transform',
        config: {
          set: { by_reference: '$event.headers["x-kind"]', by_template: '{{ event.headers["x-kind"] }}!' },
        },
      },
    ],
    destinations: [{ id: chat, when: '"x-kind" in event.headers' }],
  });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function send(headers: Record<string, string>): Promise<string> {
  const { pathname } = new URL(source.url);
  const answer = await fetch(service.url + pathname, { method: 'POST', body: '{}', headers });
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

const sent = () => receiver.requests.map(({ body }) => JSON.parse(body).content as string);
const sentTimes = (text: string, times: number) =>
  until(() => sent().filter(content => content.includes(text)).length === times, `${text} was not sent`);

test('they are read by conditions, references and templates, and again in a replay', async () => {
  const id = await send({ 'X-Kind': 'order one' });
  await sentTimes('order one order one order one!', 1);
  const job = dataOf<JobRecord>(await owner.post(`/events/${id}/replay`, { version: 'current' }));
  await sentTimes('order one order one order one!', 2);
  await until(async () => dataOf<JobRecord>(await owner.get(`/jobs/${job.id}`)).state === 'done', 'no end');
});

test('they come with a delivery that waited in storage', async () => {
  await owner.post(`/destinations/${chat}/pause`);
  const id = await send({ 'X-Kind': 'order two' });
  const held = async () =>
    listOf<{ state: string }>(await owner.get(`/deliveries?event=${id}`)).data[0]?.state === 'held';
  await until(held, 'it is not held');
  await owner.post(`/destinations/${chat}/resume`);
  await sentTimes('order two order two order two!', 1);
});

test('an event without the header does not match, and one of /v1/ingest has none', async () => {
  const id = await send({});
  const state = async () => dataOf<{ state: string }>(await owner.get(`/events/${id}`)).state;
  await until(async () => (await state()) === 'dropped', 'it was not dropped');
  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
  const answer = await fetch(`${service.url}/v1/ingest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'X-Kind': 'order' },
    body: '{"events":[{"type":"x"}]}',
  });
  const { data } = (await answer.json()) as { data: { events: { id: string }[] } };
  expect(dataOf(await owner.get(`/events/${data.events[0]?.id}`))).not.toHaveProperty('headers');
});

test('an event that is tried out in a draft brings its headers', async () => {
  const id = await send({ 'X-Kind': 'order three' });
  const condition = 'event.headers["x-kind"] == "order three"';
  const pipeline = {
    name: 'Draft',
    sources: [source.id],
    steps: [{ kind: 'filter.match', config: { condition } }],
    destinations: [],
  };
  const report = dataOf<{ outcome: string }>(
    await owner.post('/pipelines/dry-run', { pipeline, event_id: id }),
  );
  expect(report.outcome).toBe('routed');
});

test('they outlive a restart before anything has run', async () => {
  await service.stop();
  service = await start('ingest,dashboard');
  await send({ 'X-Kind': 'order four' });
  await service.stop();
  service = await start(EVERY_ROLE);
  await sentTimes('order four order four order four!', 1);
});
