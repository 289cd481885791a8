import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser as Chromium, Page } from 'playwright-core';
import {
  accessibilityFaults,
  answerTo,
  faultsForAnybody,
  launchChromium,
  leave,
  scrollsSideways,
  type VisitOptions,
  visit,
} from '../support/browser-page.ts';
import { type Browser, cookieOf, join, readAll } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { makePipeline, makeWebhook } from '../support/pipelines.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

let flow: Flow;
let chromium: Chromium;
let viewer: Browser;
let receiver: Receiver;
/** What the receiver answers with, which is also the model. */
let status = 500;

/** Three deliveries that died and one event that failed. */
beforeAll(async () => {
  [flow, chromium] = await Promise.all([startFlow(), launchChromium()]);
  receiver = startReceiver(({ path }) =>
    path.endsWith('/chat/completions') && status === 200
      ? Response.json({ choices: [{ message: { content: '{"mood":"fine"}' } }] })
      : new Response('the shelf is full', { status }),
  );
  const policy = { attempts: 1, schedule_s: [0] };
  const [shop, crm] = await Promise.all(
    ['Warehouse', 'CRM'].map(name =>
      flow.destination({ kind: 'webhook', name, config: { url: `${receiver.url}/${name}` }, policy }),
    ),
  );
  const orders = await makeWebhook(flow.service.url, flow.browser, 'Shop');
  const tickets = await makeWebhook(flow.service.url, flow.browser, 'Desk');
  await makePipeline(flow.browser, {
    name: 'Orders',
    sources: [orders.id],
    destinations: [{ id: shop?.id ?? '' }, { id: crm?.id ?? '', when: 'payload.n == 1' }],
  });
  await makePipeline(flow.browser, {
    name: 'Tickets',
    sources: [tickets.id],
    steps: [
      {
        kind: 'classify',
        config: {
          label: 'mood',
          labels: ['fine', 'bad'],
          prompt: 'Which mood?',
          model: { provider: 'openai-compatible', base_url: receiver.url, name: 'm' },
          retry_s: [],
        },
      },
    ],
    destinations: [{ id: shop?.id ?? '' }],
  });
  viewer = await join(flow.service.url, flow.browser, 'viewer@example.com', 'viewer');
  for (const n of [1, 2]) await orders.send({ type: 'order.paid', n });
  await tickets.send({ type: 'ticket.opened' });
  await until(async () => (await letters()).length === 4, 'They did not all die.');
});
afterAll(async () => {
  await chromium.close();
  await flow.stop();
  await receiver.stop();
});

const letters = () => readAll<{ id: string; kind: string }>(flow.browser, '/dead-letters?');
const open = (path: string, options: VisitOptions = {}) =>
  visit(chromium, flow.service.url, path, { as: flow.browser, ...options });
const table = (page: Page) => page.getByRole('table', { name: 'Dead letters' });
/** Without the heading. */
const rowsOf = (page: Page) => table(page).getByRole('rowgroup').getByRole('row');
const hasRows = (page: Page, count: number) =>
  until(async () => (await rowsOf(page).count()) === count, `Not ${count} rows.`);

test('each has the time by which they are sorted and narrowed: when it was created, not when it died', async () => {
  const { page } = await open('/dead-letters');
  await hasRows(page, 4);
  const shown = await rowsOf(page)
    .locator('time')
    .evaluateAll(times => times.map(time => (time as HTMLTimeElement).dateTime));
  const listed = await readAll<{ created_at?: string; received_at?: string }>(flow.browser, '/dead-letters?');
  expect(shown).toEqual(listed.map(({ created_at, received_at }) => created_at ?? received_at ?? ''));
  await leave(page);
});

test('they are grouped by destination and error, narrowed with a press, and opened by keys', async () => {
  const { page, faults } = await open('/dead-letters');
  await hasRows(page, 4);
  const groups = page.getByRole('list', { name: 'By destination and error' });
  await groups.getByRole('button', { name: 'Warehouse bad_status 500 the shelf is full 2' }).click();
  await hasRows(page, 2);
  expect(page.url()).toContain('code=bad_status&status=500');
  await groups
    .getByRole('button', { name: 'Tickets failed at step 1 The model answered with status 500. 1' })
    .click();
  await hasRows(page, 1);
  expect(await rowsOf(page).innerText()).toContain('step 1');
  await page.getByRole('button', { name: 'Clear' }).click();
  await hasRows(page, 4);
  await groups.getByRole('button', { name: 'CRM bad_status 500 the shelf is full 1' }).click();
  await hasRows(page, 1);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'order.paid to CRM' }).waitFor();
  await page.getByText('Exhausted after 1 attempt (bad_status). Responded with 500.').waitFor();
  await page.getByText('the shelf is full').waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('they leave as one JSON a line, those that match alone', async () => {
  const { page } = await open('/dead-letters?kind=event');
  const href = (await page.getByRole('link', { name: 'Export' }).getAttribute('href')) ?? '';
  const response = await fetch(`${flow.service.url}${href}`, { headers: { Cookie: cookieOf(flow.browser) } });
  expect(response.headers.get('content-disposition')).toContain('dead-letters.ndjson');
  const lines = (await response.text()).trim().split('\n');
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{ kind: 'event', event_type: 'ticket.opened' }]);
  await leave(page);
});

test('where there are many within the time they leave as a job, those that match alone', async () => {
  const { page } = await open('/dead-letters?kind=event', { as: viewer });
  await page.route(/\/dead-letters\/summary/, async route => {
    const answer = (await (await answerTo(route)).json()) as { data: object };
    // As the server answers where there are more than it counts.
    return route.fulfill({ json: { data: { ...answer.data, deliveries: 10_000 } } });
  });
  // What is followed comes in a stream of its own.
  const streams = /\/dashboard\/api\/.*\/live\?/;
  await page.route(streams, route => route.abort());
  await page.reload();
  await page.getByRole('button', { name: 'Export as a job' }).click();
  await page.waitForURL(/\/jobs\/job_/);
  await page.unroute(streams);
  await page.getByText('Exports all dead letters with kind event as NDJSON').waitFor();
  await page.getByText('1 of 1 done').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^dead-letters-job_.*\.ndjson$/);
  const lines = (await Bun.file(await file.path()).text()).trim().split('\n');
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{ kind: 'event', event_type: 'ticket.opened' }]);
  await leave(page);
});

test('while they cannot be counted they leave as a job, and nobody is asked about an old count', async () => {
  const { page } = await open('/dead-letters');
  // A new count would come in a stream of its own.
  await page.route(/\/dashboard\/api\/.*\/live\?/, route => route.abort());
  await page.reload();
  await hasRows(page, 4);
  await page.getByRole('link', { name: 'Export' }).waitFor();
  await page.route(/\/dead-letters\/summary/, route =>
    route.fulfill({ status: 500, json: { error: { code: 'internal_error', message: 'No count today.' } } }),
  );
  await page.getByRole('button', { name: 'Retry all', exact: true }).click();
  await until(async () => {
    // Whoever comes back to a tab has it counted again.
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    return (await page.getByRole('dialog').getByText('No count today.').count()) === 1;
  }, 'The old count is still there.');
  expect(await page.getByRole('dialog').getByText('This retries').count()).toBe(0);
  await page.reload();
  await hasRows(page, 4);
  await page.getByRole('button', { name: 'Export as a job' }).waitFor();
  await leave(page);
});

describe('a viewer', () => {
  test('may look and export, and sees nothing that would be refused', async () => {
    const { page } = await open('/dead-letters', { as: viewer });
    await hasRows(page, 4);
    await page.getByRole('link', { name: 'Export' }).waitFor();
    expect(await page.getByRole('button', { name: /Retry|Discard/ }).count()).toBe(0);
    await rowsOf(page).first().click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: /Retry|Discard|Replay/ }).count()).toBe(0);
    await leave(page);
  });
});

describe('the list', () => {
  test('and what asks before all are retried are sound for everybody in light and dark, on a phone too', async () => {
    const { page, faults } = await open('/dead-letters');
    await hasRows(page, 4);
    expect(await faultsForAnybody(page)).toEqual([]);
    await page.getByRole('button', { name: 'Retry all', exact: true }).click();
    await page.getByRole('dialog').getByText('3 deliveries and 1 event').waitFor();
    expect(await faultsForAnybody(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('fits a phone, with its actions', async () => {
    const { page } = await open('/dead-letters', { size: { width: 390, height: 844 } });
    await hasRows(page, 4);
    expect(await scrollsSideways(page)).toBe(false);
    const button = await rowsOf(page)
      .first()
      .getByRole('button', { name: /^Retry/ })
      .boundingBox();
    expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThan(390);
    await leave(page);
  });
});

test('all that match are counted before they are discarded, and it is said what stays', async () => {
  const { page, faults } = await open('/dead-letters?kind=event');
  await hasRows(page, 1);
  await page.getByRole('button', { name: 'Discard all that match' }).click();
  await page.getByRole('dialog').getByText('1 event').waitFor();
  await page.getByRole('dialog').getByText('Events stay as they are').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(faults).toEqual([]);
  await leave(page);
});

const undo = (page: Page) => page.getByRole('region', { name: 'Undo' });

test('what is discarded is gone at once, and can be taken back on any page until its time is over', async () => {
  const { page, faults } = await open('/dead-letters');
  await hasRows(page, 4);
  await page.getByRole('button', { name: 'Discard all of Warehouse, bad_status 500' }).click();
  await hasRows(page, 2);
  await undo(page).getByText('2 of Warehouse, bad_status 500 discarded').waitFor();
  expect(await page.getByRole('button', { name: /^Warehouse bad_status/ }).count()).toBe(0);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Deliveries' }).click();
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
  await undo(page).getByRole('button', { name: /^Undo/ }).click();
  await undo(page).getByText('discarded').waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Dead letters' }).click();
  await hasRows(page, 4);
  expect(faults).toEqual([]);
  await leave(page);
  expect(await letters()).toHaveLength(4);
});

test('what is discarded on its own page is gone from every list at once', async () => {
  const { page, faults } = await open('/dead-letters');
  await rowsOf(page).getByRole('link', { name: 'CRM' }).click();
  await page.getByRole('heading', { name: 'order.paid to CRM' }).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('cancelled', { exact: true }).waitFor();
  const go = (name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  await go('Deliveries');
  const deliveries = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
  await deliveries.filter({ hasText: 'CRM' }).getByText('cancelled', { exact: true }).waitFor();
  await go('Dead letters');
  await hasRows(page, 3);
  expect(await page.getByRole('button', { name: /^CRM bad_status/ }).count()).toBe(0);
  await undo(page).getByRole('button', { name: /^Undo/ }).click();
  await hasRows(page, 4);
  await page.getByRole('button', { name: /^CRM bad_status/ }).waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('whoever discards by keys is on the next one afterwards, or else on the way back', async () => {
  const { page, faults } = await open('/dead-letters');
  await hasRows(page, 4);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  const buttons = rowsOf(page).getByRole('button', { name: /^Discard/ });
  const [, second] = await buttons.evaluateAll(all => all.map(button => button.getAttribute('aria-label')));
  await buttons.first().press('Enter');
  await hasRows(page, 3);
  expect(await focused()).toBe(second ?? '');
  await undo(page).getByRole('button', { name: /^Undo/ }).click();
  await hasRows(page, 4);
  await page.getByRole('button', { name: 'Discard all of Warehouse, bad_status 500' }).press('Enter');
  await hasRows(page, 2);
  expect(await focused()).toStartWith('Discard all of ');
  await undo(page).getByRole('button', { name: /^Undo/ }).click();
  await hasRows(page, 4);

  await page.getByRole('button', { name: /^CRM bad_status/ }).click();
  await hasRows(page, 1);
  const back = page.locator('[data-undo]:focus');
  await buttons.press('Enter');
  await back.press('Enter');
  await hasRows(page, 1);
  await rowsOf(page).getByRole('link', { name: 'CRM' }).click();
  await page.getByRole('button', { name: 'Discard', exact: true }).press('Enter');
  await back.press('Enter');
  await page.getByRole('button', { name: 'Discard', exact: true }).waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('where it cannot be carried out the row comes back, and it is said why', async () => {
  const { page } = await open('/dead-letters');
  await hasRows(page, 4);
  const error = { code: 'internal', message: 'The disk is full.' };
  await page.route('**/dead-letters/discard', route => route.fulfill({ status: 503, json: { error } }));
  await page.getByRole('button', { name: 'Discard all of Tickets, failed at step 1' }).click();
  await hasRows(page, 3);
  // As when the page is left, but it stays and can be looked at.
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await page.getByText('Not done: 1 of Tickets, failed at step 1 discarded. The disk is full.').waitFor();
  await hasRows(page, 4);
  await leave(page);
});

test('the last 15 minutes go on while the page is open, and what is selected stays so', async () => {
  const { page, faults } = await open('/dead-letters?within=15m');
  await hasRows(page, 4);
  const exported = page.getByRole('link', { name: 'Export' });
  const startOfExport = async () => {
    const address = new URL((await exported.getAttribute('href')) ?? '', flow.service.url);
    return Date.parse(address.searchParams.get('after') ?? '');
  };
  const start = await startOfExport();
  const opened = Date.now();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  const bar = page.getByRole('region', { name: 'Selected dead letters' });
  await bar.getByText('1 dead letter selected').waitFor();
  await page.clock.setFixedTime(opened + 2 * 60_000);
  await until(async () => (await startOfExport()) >= start + 2 * 60_000, 'The export begins where it did.');
  await hasRows(page, 4);
  await bar.getByText('1 dead letter selected').waitFor();
  await page.clock.setFixedTime(opened + 3_600_000);
  await page.getByText('No dead letters match').waitFor();
  expect(faults).toEqual([]);
  // The next visit is to have the right time again.
  await page.context().close();
});

// From here on the receiver is well again, and the dead letters grow fewer.

test('from the overview to what did not arrive in the last hour, why, and on its way again: in four clicks at the most', async () => {
  status = 200;
  const { page, faults } = await open('/');
  await page.evaluate(() => {
    let clicks = 0;
    document.addEventListener('click', () => document.body.setAttribute('data-clicks', `${++clicks}`), true);
  });
  await page
    .getByRole('navigation', { name: 'Key figures' })
    .getByRole('link', { name: /Undelivered/ })
    .click();
  await page.getByRole('button', { name: 'Warehouse bad_status 500 the shelf is full 2' }).waitFor();
  expect(page.url()).toContain('within=1h');
  await page.getByRole('button', { name: 'Retry all of Warehouse, bad_status 500' }).click();
  await page.getByText('2 of 2 done').waitFor();
  await hasRows(page, 2);
  expect(Number(await page.locator('body').getAttribute('data-clicks'))).toBeLessThanOrEqual(4);
  const arrived = () => readAll<unknown>(flow.browser, '/deliveries?state=delivered');
  await until(async () => (await arrived()).length === 2, 'They did not arrive.');
  expect(faults).toEqual([]);
  await leave(page);
});

test('rows are selected and discarded together, carried out when the page is left', async () => {
  const { page, faults } = await open('/dead-letters');
  await hasRows(page, 2);
  const all = page.getByRole('checkbox', { name: 'Select all shown' });
  const bar = page.getByRole('region', { name: 'Selected dead letters' });
  await all.check();
  await bar.getByText('2 dead letters selected').waitFor();
  await all.uncheck();
  await bar.waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await bar.getByText('1 dead letter selected').waitFor();
  expect(await all.evaluate(box => (box as HTMLInputElement).indeterminate)).toBe(true);
  await bar.getByRole('button', { name: 'Clear selection' }).click();
  const isFocused = () => all.evaluate(box => box === document.activeElement);
  expect(await isFocused()).toBe(true);
  await page.getByRole('checkbox', { name: /^Select order\.paid/ }).click();
  await bar.getByText('1 dead letter selected').waitFor();
  // A retry that is refused has not begun, and what is retried alone leaves the others selected.
  const error = { code: 'internal', message: 'The disk is full.' };
  await page.route('**/dead-letters/retry', route => route.fulfill({ status: 503, json: { error } }));
  await bar.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText('The disk is full.').waitFor();
  await bar.getByRole('button', { name: 'Retry', exact: true }).and(page.locator(':enabled')).waitFor();
  await bar.getByText('1 dead letter selected').waitFor();
  await page.evaluate(async () => {
    const { __TSR_ROUTER__: router } = globalThis as unknown as {
      __TSR_ROUTER__: { navigate(where: object): Promise<void> };
    };
    await router.navigate({ to: '/dead-letters', search: { job: 'job_none' } });
  });
  await page.getByRole('button', { name: 'Hide the job' }).click();
  await page.waitForURL(/\/dead-letters$/);
  await bar.getByText('1 dead letter selected').waitFor();
  // The notice closes by itself, perhaps in the middle of the check.
  await page.getByText('The disk is full.').waitFor({ state: 'detached' });
  expect(await accessibilityFaults(page)).toEqual([]);
  await bar.getByRole('button', { name: 'Discard' }).click();
  await hasRows(page, 1);
  await undo(page).getByText('1 dead letter discarded').waitFor();
  expect(await isFocused()).toBe(true);
  expect(await letters()).toHaveLength(2);
  await page.goto('about:blank');
  await until(async () => (await letters()).length === 1, 'It was not discarded.');
  const cancelled = await readAll<{ destination: { name: string } }>(
    flow.browser,
    '/deliveries?state=cancelled',
  );
  expect(cancelled).toMatchObject([{ destination: { name: 'CRM' } }]);
  expect(faults).toEqual([]);
  await leave(page);
});

test('all that are left are counted, retried by a job that shows how far it is, and the list empties by itself', async () => {
  const { page, faults } = await open('/dead-letters');
  await hasRows(page, 1);
  await page.getByRole('button', { name: 'Retry all', exact: true }).click();
  await page.getByRole('dialog').getByText('1 event').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText('1 of 1 done').waitFor();
  await page.getByText('No dead letters. Everything was delivered, or is still being retried.').waitFor();
  await page.getByRole('link', { name: 'View job' }).click();
  await page.getByRole('heading', { name: 'Retry dead letters' }).waitFor();
  await page.getByText('Retries all dead letters').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await letters()).toEqual([]);
  expect(faults).toEqual([]);
  await leave(page);
});
