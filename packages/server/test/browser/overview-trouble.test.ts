import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import type { Browser as Chromium } from 'playwright-core';
import { accessibilityFaults, launchChromium, leave, visit } from '../support/browser-page.ts';
import { type Browser, dataOf, setUp } from '../support/dashboard.ts';
import { followEveryFigure } from '../support/overview-figures.ts';
import { makePipeline, makeWebhook } from '../support/pipelines.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** What is shown of a destination that is down, and after it has recovered. */

const EVENTS = 15;

let service: TestService;
let chromium: Chromium;
let owner: Browser;
let receiver: Receiver;
let sick = '';
let status = 503;

const read = async () => dataOf<DestinationRecord>(await owner.get(`/destinations/${sick}`));

beforeAll(async () => {
  receiver = startReceiver(() => new Response('', { status }));
  [service, chromium] = await Promise.all([
    startTestService({ settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' } }),
    launchChromium(),
  ]);
  owner = await setUp(service);
  const shop = await makeWebhook(service.url, owner, 'Shop');
  sick = dataOf<{ id: string }>(
    await owner.post('/destinations', {
      kind: 'webhook',
      name: 'Sick',
      config: { url: receiver.url, auth: { mode: 'none' } },
      policy: { attempts: 50, schedule_s: [0, 0.2] },
    }),
  ).id;
  await makePipeline(owner, { name: 'Orders', sources: [shop.id], destinations: [{ id: sick }] });
  for (let n = 0; n < EVENTS; n++) await shop.send({ n });
  await until(async () => (await read()).state === 'down', 'It is not down.');
});

afterAll(async () => {
  await chromium.close();
  await service.stop();
  await receiver.stop();
});

test('a destination that is paused while it is down says both, and can be tried', async () => {
  await owner.post(`/destinations/${sick}/pause`);
  const { page, faults } = await visit(chromium, service.url, `/destinations/${sick}`, { as: owner });
  await page.getByText('Deliveries are held, and sent when it is resumed.').waitFor();
  await page.getByText('Circuit open since').waitFor();
  await page.getByText('No probe is sent while it is paused.', { exact: false }).waitFor();
  await page.getByText(/Last error: .*503/).waitFor();
  await page.getByText('Sends a test event. A success closes the circuit.').waitFor();
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByText('status 503 · bad_status', { exact: false }).waitFor();
  await owner.post(`/destinations/${sick}/resume`);
  await page.getByText('Deliveries are held, and sent when it is resumed.').waitFor({ state: 'detached' });
  await page.getByText('Circuit open since').waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('with a destination down, the strip, the badge and every figure are as long as the lists behind them', async () => {
  const { page, faults } = await visit(chromium, service.url, '/', { as: owner });
  const strip = page.getByRole('status').filter({ hasText: 'Open' });
  await strip.getByText(`1 destination down · ${EVENTS} waiting`).waitFor();
  await page.getByRole('link', { name: 'Destinations 1 destination down' }).waitFor();
  await page.getByRole('row', { name: new RegExp(`^Sick webhook down .* ${EVENTS} 0 0$`) }).waitFor();
  // Nothing has arrived, and nothing is lost.
  const cards = page.getByRole('navigation', { name: 'Key figures' });
  await cards.getByRole('link', { name: /^Delivered 0%/ }).waitFor();
  await cards.getByRole('link', { name: /^Undelivered 0/ }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  // A probe that is being sent is among those that wait.
  const clicked = await followEveryFigure(page, 'some', [
    new RegExp(`^Retrying ${EVENTS}`),
    new RegExp(`^Sick bad_status 503 .*retrying ${EVENTS}$`),
  ]);
  expect(clicked).toContain('1 destination down: 1');
  expect(clicked).toContain(`${EVENTS} waiting: ${EVENTS}`);
  await strip.getByRole('link', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sick' }).waitFor();
  await page.getByRole('link', { name: 'Destinations 1 destination down' }).click();
  const rows = page.getByRole('table', { name: 'Destinations' }).getByRole('row');
  await rows.filter({ hasText: 'Sick' }).waitFor();
  expect(await rows.filter({ hasText: 'down' }).count()).toBe(1);
  expect(faults).toEqual([]);
  await leave(page);
});

test('after a full recovery nothing is wrong any more, and all of it has arrived', async () => {
  const { page, faults } = await visit(chromium, service.url, '/', { as: owner });
  const strip = page.getByRole('status').filter({ hasText: 'Open' });
  await strip.waitFor();
  status = 200;
  await owner.post(`/destinations/${sick}/probe`);
  await strip.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Destinations', exact: true }).waitFor();
  const cards = page.getByRole('navigation', { name: 'Key figures' });
  await cards.getByRole('link', { name: /^Delivered 100%/ }).waitFor();
  await cards.getByRole('link', { name: /^Undelivered 0/ }).waitFor();
  await page.getByRole('row', { name: new RegExp(`^Sick webhook recovered \\d+ 0 0 ${EVENTS}$`) }).waitFor();
  await page.getByRole('heading', { name: 'Backlog' }).scrollIntoViewIfNeeded();
  await page.getByText('No errors', { exact: true }).waitFor();
  await followEveryFigure(page, 'some');
  expect(faults).toEqual([]);
  await leave(page);
});
