import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser as Chromium, Page } from 'playwright-core';
import {
  accessibilityFaults,
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

setDefaultTimeout(60_000);

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

test('they are grouped by destination and error, narrowed with a press, and opened by keys', async () => {
  const { page, faults } = await open('/dead-letters');
  await hasRows(page, 4);
  const groups = page.getByRole('group', { name: 'By destination and error' });
  await groups.getByRole('button', { name: 'Warehouse bad_status 2' }).click();
  await hasRows(page, 2);
  expect(page.url()).toContain('code=bad_status');
  await groups.getByRole('button', { name: 'Tickets failed in the pipeline 1' }).click();
  await hasRows(page, 1);
  expect(await rowsOf(page).innerText()).toContain('step 1');
  await page.getByRole('button', { name: 'Clear' }).click();
  await hasRows(page, 4);
  await groups.getByRole('button', { name: 'CRM bad_status 1' }).click();
  await hasRows(page, 1);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'order.paid to CRM' }).waitFor();
  await page
    .getByText('Given up after 1 attempt (bad_status). The destination answered with status 500.')
    .waitFor();
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
    await page.getByRole('button', { name: 'Retry all' }).click();
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

test('an event that failed can be discarded too, and it is said what stays', async () => {
  const { page, faults } = await open('/dead-letters?kind=event');
  await hasRows(page, 1);
  await rowsOf(page)
    .getByRole('button', { name: /^Discard/ })
    .click();
  await page.getByRole('dialog').getByText('The event stays as it is').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(faults).toEqual([]);
  await leave(page);
});

// From here on the receiver is well again, and the dead letters grow fewer.

test('one is discarded, and one is retried and arrives', async () => {
  status = 200;
  const { page, faults } = await open('/dead-letters?code=bad_status');
  await hasRows(page, 3);
  await rowsOf(page)
    .first()
    .getByRole('button', { name: /^Discard/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await hasRows(page, 2);
  const retry = rowsOf(page)
    .first()
    .getByRole('button', { name: /^Retry/ });
  const id = (await retry.getAttribute('aria-label'))?.replace('Retry ', '');
  await retry.click();
  await hasRows(page, 1);
  await page.goto(`${flow.service.url}/deliveries/${id}`);
  await page.getByText('It arrived at the attempt number 2.').waitFor();
  await page.getByText('Answer 200').waitFor();
  await page.goto(`${flow.service.url}/deliveries?state=cancelled`);
  await until(
    async () => (await page.getByRole('table').getByRole('rowgroup').getByRole('row').count()) === 1,
    'No row.',
  );
  expect(faults).toEqual([]);
  await leave(page);
});

test('all that are left are counted, retried by a job that shows how far it is, and the list empties by itself', async () => {
  const { page, faults } = await open('/dead-letters');
  await hasRows(page, 2);
  await page.getByRole('button', { name: 'Retry all' }).click();
  await page.getByRole('dialog').getByText('1 delivery and 1 event').waitFor();
  await page.getByRole('button', { name: 'Retry them' }).click();
  await page.getByText('2 of 2 done').waitFor();
  await page.getByText('There are no dead letters: everything arrived, or is still being tried.').waitFor();
  await page.getByRole('link', { name: 'Open the job' }).click();
  await page.getByRole('heading', { name: 'Retry of dead letters' }).waitFor();
  await page.getByText('All dead letters, once more.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await letters()).toEqual([]);
  expect(faults).toEqual([]);
  await leave(page);
});
