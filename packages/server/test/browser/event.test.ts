import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser as Chromium, Page } from 'playwright-core';
import {
  faultsForAnybody,
  launchChromium,
  leave,
  type VisitOptions,
  visit,
} from '../support/browser-page.ts';
import { type Browser, join } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { moodStep, startModel } from '../support/model.ts';
import { type MadeSource, makeInbox, makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

let flow: Flow;
let chromium: Chromium;
let receiver: Receiver;
let hook: MadeSource;
let viewer: Browser;
const events = { dropped: '', failing: '', hostile: '' };

const SCRIPT = '<script>window.ran = true</script><img src=x onerror="window.ran = true">';

beforeAll(async () => {
  [flow, chromium] = await Promise.all([startFlow(), launchChromium()]);
  receiver = startReceiver(
    () =>
      new Response('{"error":"<b>out of stock</b>"}', {
        status: 503,
        headers: { 'x-request-id': 'req-7', 'set-cookie': 'session=of-the-receiver' },
      }),
  );
  hook = await makeWebhook(flow.service.url, flow.browser, 'Shop');
  const shop = await flow.destination({
    kind: 'webhook',
    name: 'Warehouse',
    config: { url: `${receiver.url}/orders` },
    policy: { attempts: 5, schedule_s: [0, 600] },
  });
  const inbox = await makeInbox(flow.browser, 'Inbox');
  await makePipeline(flow.browser, {
    name: 'Orders',
    sources: [hook.id],
    steps: [
      { kind: 'transform', config: { set: { channel: 'web' }, remove: ['internal'] } },
      { kind: 'filter.match', config: { condition: 'payload.total > 5' } },
    ],
    destinations: [{ id: shop.id, when: 'payload.total < 100' }, { id: inbox }],
  });
  viewer = await join(flow.service.url, flow.browser, 'viewer@example.com', 'viewer');
  events.dropped = await hook.send({ type: 'order.paid', total: 3, internal: 'secret note' });
  events.failing = await hook.send({ type: 'order.paid', total: 30 });
  events.hostile = await hook.send(
    `{"type":"order.paid","total":500,"n":9007199254740993,"x":${JSON.stringify(SCRIPT)}}`,
  );
  for (const id of Object.values(events)) await settled(flow.browser, id);
});
afterAll(async () => {
  await chromium.close();
  await flow.stop();
  await receiver.stop();
});

const open = (path: string, options: VisitOptions = {}) =>
  visit(chromium, flow.service.url, path, { as: flow.browser, ...options });

const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

test('an event that was dropped names its pipeline, its step and the condition, and shows what steps changed', async () => {
  const { page, faults } = await open(`/events/${events.dropped}`);
  await says(page, 'Dropped by step 2 (Filter) of “Orders”: payload.total > 5 is false.');
  await page.getByRole('link', { name: 'Shop' }).waitFor();
  const steps = page.getByRole('list', { name: 'Steps of Orders' });
  await steps.getByText('The event as this step saw it').waitFor();
  await page.getByRole('button', { name: 'Show all changes' }).click();
  const change = page.getByRole('region', { name: 'What step 1 changed' });
  expect(await change.innerText()).toMatch(/removed:\s+"internal": "secret note"/);
  expect(await change.innerText()).toMatch(/added:\s+"channel": "web"/);
  expect(faults).toEqual([]);
  await leave(page);
});

test('a receiver that fails is shown with its code, its answer and the next try; and so by keyboard alone', async () => {
  const { page, faults } = await open(`/events/${events.failing}`);
  await says(page, /^Delivered to 1 of 2 destinations; “Warehouse” answered 503, next attempt in \d+m\.$/);
  const deliveries = page.getByRole('list', { name: 'Deliveries of Orders' });
  await deliveries.getByText('bad_status').waitFor();
  await deliveries.getByText('Response 503').waitFor();
  // Laid out over several lines.
  await deliveries.getByText(/^\{\s+"error": "<b>out of stock<\/b>"\s+\}$/).waitFor();
  const headers = deliveries.getByRole('region', { name: 'Response headers' });
  await headers.getByText('x-request-id: req-7').waitFor();
  expect(await headers.innerText()).not.toContain('of-the-receiver');
  await deliveries.getByText(/First byte [\d.]+ m?s · Body [\d.]+ m?s/).waitFor();
  const way = page.getByRole('list', { name: 'Waterfall' }).getByRole('listitem');
  const lines = (await way.allInnerTexts()).map(text => text.replace(/\s+/g, ' '));
  expect(lines[0]).toStartWith('Accepted Shop');
  expect(lines.filter(line => /^(Orders routed|[12]\. )/.test(line))).toHaveLength(3);
  expect(lines.find(line => line.startsWith('→ Warehouse 503 bad_status'))).toBeDefined();
  expect(lines.find(line => line.includes('→ Warehouse: next attempt'))).toMatch(
    /waited (8|9|10|11|12)[.\d]* min/,
  );
  for (const line of lines) expect(line).toMatch(/after \+?[\d.,]+ (ms|min)/);
  await deliveries.getByText('x-service-attempt:').first().waitFor();
  await deliveries.getByText(/1 attempt · next in \d+m/).waitFor();

  const step = page.locator('summary', { hasText: '1. transform' });
  await step.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'What step 1 changed' }).waitFor();
  await page.getByRole('button', { name: 'Copy as curl' }).last().click();
  let command = '';
  await until(async () => {
    command = await page.evaluate(() => navigator.clipboard.readText());
    return command.startsWith(`curl -X POST '${flow.service.url}/v1/ingest'`);
  }, 'The command was not copied.');
  expect(command).toContain('"total":30');
  expect(faults).toEqual([]);
  await leave(page);
});

test('a step that is retried is shown with its error, the model’s answer and the steps before it', async () => {
  const model = startModel();
  model.answer(() => new Response('{"error":"overloaded <b>now</b>"}', { status: 529 }));
  const moods = await makeWebhook(flow.service.url, flow.browser, 'Moods');
  await makePipeline(flow.browser, {
    name: 'Moods',
    sources: [moods.id],
    steps: [{ kind: 'transform', config: { set: { channel: 'web' } } }, moodStep(model, { retry_s: [600] })],
  });
  const id = await moods.send({ type: 'note.left' });
  const { page, faults } = await open(`/events/${id}`);
  await says(
    page,
    /^Retrying step 2 \(Classify\) of “Moods” after 1 attempt, next attempt in \d+m: The model answered with status 529\./,
  );
  await page.getByRole('list', { name: 'Attempts of step 2' }).getByText('overloaded <b>now</b>').waitFor();
  const change = page.getByRole('region', { name: 'What step 1 changed' });
  expect(await change.innerText()).toMatch(/added:\s+"channel": "web"/);
  expect(faults).toEqual([]);
  await leave(page);
  const doomed = await makeWebhook(flow.service.url, flow.browser, 'Doomed');
  await makePipeline(flow.browser, {
    name: 'Doomed',
    sources: [doomed.id],
    steps: [{ kind: 'transform', config: { set: { n: 1 } } }, moodStep(model, { retry_s: [0.1] })],
  });
  const failed = await open(`/events/${await doomed.send({ type: 'note.left' })}`);
  const tries = failed.page.getByRole('list', { name: 'Attempts of step 2' });
  await says(failed.page, /^Failed at step 2 \(Classify\) of “Doomed”/);
  await tries.getByText('Attempt 2').waitFor();
  await tries.getByText('Model response, status 529').nth(1).waitFor();
  await failed.page.getByRole('list', { name: 'Steps of Doomed' }).getByText('1. Transform').waitFor();
  await leave(failed.page);
  const list = await open('/events?outcome=retrying');
  await list.page
    .getByRole('row', { name: /note\.left/ })
    .getByText('retrying')
    .waitFor();
  await leave(list.page);
  await model.stop();
});

test('a payload with a script in it is read, never run, and its integers are exact', async () => {
  const { page, faults, strangers } = await open(`/events/${events.hostile}`);
  await says(page, 'Delivered to “Inbox”.');
  const missing = page.getByRole('list', { name: 'Where it did not go' });
  await missing.getByText('Not to Warehouse: payload.total < 100 is false').waitFor();
  await page.locator('summary', { hasText: 'Inbox' }).click();
  await page.getByText('9007199254740993').nth(1).waitFor();
  const text = await page.locator('main').innerText();
  expect(text).toContain(JSON.stringify(SCRIPT));
  expect(text.match(/9007199254740993/g)?.length).toBeGreaterThan(1);
  expect(await page.evaluate(() => 'ran' in window)).toBe(false);
  expect(await page.locator('main script, main img').count()).toBe(0);
  expect([...faults, ...strangers]).toEqual([]);
  await leave(page);
});

test('a replay is asked for here, and its run appears by itself', async () => {
  const { page, faults } = await open(`/events/${events.dropped}`);
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('menuitem', { name: /Original versions/ }).click();
  await says(page, '1 of 1 done');
  await page.getByRole('link', { name: 'a job' }).waitFor();
  expect(await page.getByRole('list', { name: 'Steps of Orders' }).count()).toBe(2);
  await page.getByRole('link', { name: 'a job' }).click();
  await page.getByRole('heading', { name: 'Replay', level: 1 }).waitFor();
  await says(page, 'owner@example.com');
  await says(page, 'Replays one event through the original versions');
  await page.getByRole('link', { name: 'All jobs' }).click();
  await page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name: 'Replay' }).waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('an event that comes in while its page is open turns from accepted to delivered', async () => {
  const slow = startReceiver(async () => {
    await gate.promise;
    return new Response('ok');
  });
  const gate = Promise.withResolvers<void>();
  const other = await makeWebhook(flow.service.url, flow.browser, 'Other');
  const { id } = await flow.destination({ kind: 'webhook', name: 'Slow', config: { url: slow.url } });
  await makePipeline(flow.browser, { name: 'Other', sources: [other.id], destinations: [{ id }] });
  const { page } = await open(`/events/${await other.send({ n: 1 })}`);
  await says(page, /sending to “Slow”/);
  gate.resolve();
  await says(page, 'Delivered to “Slow”.');
  await leave(page);
  await slow.stop();
});

describe('a viewer', () => {
  test('sees all of it, and no button that would be refused', async () => {
    const { page } = await open(`/events/${events.failing}`, { as: viewer });
    await page.getByText('Response 503').waitFor();
    for (const name of [/^Replay/, /^Retry/, /^Discard/])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await page.getByRole('link', { name: 'View delivery' }).first().click();
    await page.getByRole('heading', { name: 'order.paid to Warehouse' }).waitFor();
    await page.getByText('Response 503').waitFor();
    for (const name of [/^Retry/, /^Discard/])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await leave(page);
  });
});

test('the page with everything open is sound for everybody in light and dark, on a phone too', async () => {
  const { page, faults } = await open(`/events/${events.failing}`);
  await page.getByRole('button', { name: 'Show all changes' }).click();
  await page.getByText('Response 503').waitFor();
  expect(await faultsForAnybody(page)).toEqual([]);
  expect(faults).toEqual([]);
  await leave(page);
});

test('what is not there says so', async () => {
  const { page } = await open('/events/evt_00000000000000000000000000');
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await leave(page);
});
