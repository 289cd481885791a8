import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { MapRecord } from '@sluice/contract/dashboard-overview';
import { minutes } from '../../src/core/clock.ts';
import { type CountedShop, openCountedShop } from '../support/counted-shop.ts';
import { type Browser, dataOf, listOf, setUp } from '../support/dashboard.ts';
import { OPEN_TO_LOOPBACK } from '../support/delivery-process.ts';
import { ingestWith } from '../support/endpoints.ts';
import { moodStep, startModel } from '../support/model.ts';
import { makeInbox, makePipeline, makeWebhook } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let owner: Browser;
let made: CountedShop['made'];
beforeAll(async () => {
  ({ service, owner, made } = await openCountedShop());
});
afterAll(() => service.stop());

test('the map has everything, and how much went along each arrow', async () => {
  const { sources, pipelines, destinations, edges } = dataOf<MapRecord>(await owner.get('/map'));
  expect(sources.map(({ name, total }) => [name, total])).toEqual([
    ['App', 1],
    ['Shop', 4],
  ]);
  expect(pipelines.map(({ name }) => name)).toEqual(['Orders', 'Strict']);
  expect(destinations.map(({ name, state }) => [name, state === 'paused'])).toEqual([
    ['Broken', false],
    ['Inbox', false],
    ['Later', true],
  ]);
  expect(destinations.map(({ name, waiting }) => [name, waiting.count])).toEqual([
    ['Broken', 0],
    ['Inbox', 0],
    ['Later', 1],
  ]);
  const along = (from: string, to: string) => edges.find(edge => edge.from === from && edge.to === to)?.total;
  expect(edges).toHaveLength(6);
  expect(along(made.hook, made.pipeline)).toBe(4);
  expect(along(made.sdk, made.strict)).toBe(1);
  expect(along(made.pipeline, made.inbox)).toBe(3);
  expect(along(made.pipeline, made.broken)).toBe(1);
});

test('a rate of the map is of the time that it covers, though the last minute is not over', async () => {
  const minuteOf = (at: number) => Math.floor(at / minutes(1));
  let [asked, answered, rate] = [0, 0, 0];
  // Within one minute, in which nothing leaves the time that is covered.
  do {
    asked = Date.now();
    const { edges } = dataOf<MapRecord>(await owner.get('/map'));
    answered = Date.now();
    rate = edges.find(({ to }) => to === made.pipeline)?.per_minute ?? 0;
  } while (minuteOf(asked) !== minuteOf(answered));
  const covered = (at: number) => (at - (minuteOf(at) - 4) * minutes(1)) / minutes(1);
  expect(rate).toBeGreaterThanOrEqual(4 / covered(answered) - 1e-9);
  expect(rate).toBeLessThanOrEqual(4 / covered(asked) + 1e-9);
});

test('the map shows what waits for its pipelines at every source that it will belong to', async () => {
  const idle = await startTestService({ settings: { SLUICE_ROLES: 'ingest,dashboard' } });
  try {
    const browser = await setUp(idle);
    const sources: string[] = [];
    for (const [name, match] of [
      ['All', '*'],
      ['App', 'app.*'],
      ['Off', '*'],
      ['Other', 'other.*'],
    ] as const) {
      const source = await browser.post('/sources', { kind: 'sdk', name, match });
      sources.push(dataOf<{ id: string }>(source).id);
    }
    await browser.patch(`/sources/${sources[2]}`, { enabled: false });
    const hook = await makeWebhook(idle.url, browser, 'Shop');
    await makePipeline(browser, { sources: [...sources, hook.id], destinations: [] });
    const { secret } = dataOf<{ secret: string }>(await browser.post('/keys', { name: 'k' }));
    const events = ['app.started', 'app.started', 'app.stopped', 'site.seen'].map(type => ({ type }));
    expect((await ingestWith(idle.url, secret)({ events })).status).toBe(202);
    await hook.send({ n: 1 });
    const map = dataOf<MapRecord>(await browser.get('/map'));
    expect(map.sources.map(({ name, waiting }) => [name, waiting])).toEqual([
      ['All', { count: 4, more: false }],
      ['App', { count: 3, more: false }],
      ['Off', { count: 0, more: false }],
      ['Other', { count: 0, more: false }],
      ['Shop', { count: 1, more: false }],
    ]);
  } finally {
    await idle.stop();
  }
});

test('the map shows what a step will try again at its pipeline, and not where it came in', async () => {
  const model = startModel();
  const stuck = await startTestService({ settings: OPEN_TO_LOOPBACK });
  try {
    const browser = await setUp(stuck);
    const hook = await makeWebhook(stuck.url, browser, 'Shop');
    const inbox = await makeInbox(browser);
    const into = { sources: [hook.id], destinations: [{ id: inbox }] };
    await makePipeline(browser, { ...into, name: 'Moods', steps: [moodStep(model, { retry_s: [3_600] })] });
    await makePipeline(browser, { ...into, name: 'Plain' });
    for (let n = 0; n < 3; n++) await hook.send({ n });
    const retrying = async () => listOf(await browser.get('/events?outcome=retrying')).data.length;
    const delivered = async () => listOf(await browser.get('/deliveries?state=delivered')).data.length;
    await until(async () => (await delivered()) === 3, 'The other pipeline did not deliver.');
    await until(async () => (await retrying()) === 3, 'The step does not try again.');
    const { sources, pipelines } = dataOf<MapRecord>(await browser.get('/map'));
    expect([...sources, ...pipelines].map(({ name, waiting }) => [name, waiting])).toEqual([
      ['Shop', { count: 0, more: false }],
      ['Moods', { count: 3, more: false }],
      ['Plain', { count: 0, more: false }],
    ]);
  } finally {
    await stuck.stop();
    await model.stop();
  }
});
