import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser as Chromium, Page } from 'playwright-core';
import { launchChromium, leave, visit } from '../support/browser-page.ts';
import { dataOf, join, listOf } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { makePipeline, makeWebhook } from '../support/pipelines.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

let flow: Flow;
let receiver: Receiver;
let chromium: Chromium;
let status = 500;
let warehouse = '';
let pipeline = '';
let shop = '';
beforeAll(async () => {
  receiver = startReceiver(() => new Response('', { status }));
  [flow, chromium] = await Promise.all([startFlow(), launchChromium()]);
  const policy = { attempts: 1, schedule_s: [0], timeout_s: 30 };
  const config = { url: receiver.url };
  warehouse = (await flow.destination({ kind: 'webhook', name: 'Warehouse', config, policy })).id;
  await flow.routeTo({ id: warehouse });
  shop = (await makeWebhook(flow.service.url, flow.browser, 'Shop')).id;
  pipeline = (await makePipeline(flow.browser, { name: 'Invoices', sources: [shop] })).id;
  for (const external_id of ['cust_17', 'cust_18', 'other_17'])
    dataOf(await flow.browser.post('/entities', { kind: 'customer', external_id, traits: {} }));
});
afterAll(async () => {
  await chromium.close();
  await flow.stop();
  await receiver.stop();
});

const open = (path = '/jobs', as = flow.browser) => visit(chromium, flow.service.url, path, { as });
const entries = (page: Page) => page.locator('[data-palette] [data-action]');

/** Types this into the palette, and waits for a hit. Case matters, so that “Search events for …” is not taken for it. */
async function find(page: Page, text: string, hit: string) {
  await page.getByRole('button', { name: 'Find anything Ctrl K' }).click();
  await page.getByRole('textbox', { name: 'Find anything' }).fill(text);
  await entries(page)
    .filter({ hasText: new RegExp(hit) })
    .first()
    .waitFor();
}

async function pick(page: Page, text: string, hit: string) {
  await find(page, text, hit);
  await entries(page)
    .filter({ hasText: new RegExp(hit) })
    .first()
    .click();
}

test('dead letters of a destination are counted, and retried by a job once that is confirmed', async () => {
  for (let n = 0; n < 2; n++) await flow.settled(await flow.send({ n }), 'dead');
  const { page, faults } = await open();
  await pick(page, 'retry', 'Retry dead letters of Warehouse');
  const dialog = page.getByRole('dialog', { name: 'Retry all that match' });
  await dialog.getByText('This retries 2 deliveries.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.waitForURL(/\/dead-letters\?destination=dst_\w+$/);
  // Asked for again on the page itself.
  status = 200;
  await pick(page, 'retry dead', 'Retry dead letters of Warehouse');
  await dialog.getByText('This retries 2 deliveries.').waitFor();
  await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText('2 of 2 done').waitFor();
  await page.getByText('No dead letters match').waitFor();
  await until(
    async () => (await flow.deliveries(`destination=${warehouse}&state=delivered`)).length === 2,
    'They were not delivered.',
  );
  // By its id, under the name that it has on its own page.
  const [job] = listOf<{ id: string }>(await flow.browser.get('/jobs')).data;
  await pick(page, job?.id ?? '', '^Retry dead letters\\s*Job');
  await page.getByRole('heading', { level: 1, name: 'Retry dead letters' }).waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('everything that can be made is made from here', async () => {
  const { page, faults } = await open();
  await pick(page, 'new ent', 'New entity');
  await page.getByRole('dialog', { name: 'New entity' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'New entity' }).waitFor({ state: 'hidden' });
  // On the page itself, too.
  await pick(page, 'new ent', 'New entity');
  await page.getByRole('dialog', { name: 'New entity' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'New entity' }).waitFor({ state: 'hidden' });
  await pick(page, 'new key', 'New key');
  await page.getByLabel('Name of the key').waitFor();
  await pick(page, 'invite', 'Invite member');
  await page.getByRole('heading', { name: 'Invite member' }).waitFor();
  await pick(page, 'new so', 'New source');
  await page.getByRole('heading', { level: 1, name: 'New source' }).waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('a pipeline and a source are disabled and enabled, and a destination paused and resumed', async () => {
  const { page } = await open();
  for (const [name, path] of [
    ['Invoices', `/pipelines/${pipeline}`],
    ['Shop', `/sources/${shop}`],
  ] as const) {
    const isEnabled = async () => dataOf<{ enabled: boolean }>(await flow.browser.get(path)).enabled;
    await pick(page, `disable ${name}`, `Disable ${name}`);
    await until(async () => !(await isEnabled()), `${name} was not disabled.`);
    await pick(page, `enable ${name}`, `Enable ${name}`);
    await until(isEnabled, `${name} was not enabled.`);
  }
  await pick(page, 'pause', 'Pause Warehouse');
  const isPaused = async () =>
    dataOf<{ paused: boolean }>(await flow.browser.get(`/destinations/${warehouse}`)).paused;
  await until(isPaused, 'It was not paused.');
  await pick(page, 'resume', 'Resume Warehouse');
  await until(async () => !(await isPaused()), 'It was not resumed.');
  await leave(page);
});

test('settings are found by name, entities by how they begin, and events by a text as the last line', async () => {
  const { page } = await open();
  await find(page, 'reten', 'Retention');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/settings\/retention$/);
  await find(page, 'cust_1', 'cust_18');
  expect(await entries(page).filter({ hasText: 'customer:' }).allInnerTexts()).toHaveLength(2);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'cust_17' }).waitFor();
  await find(page, 'forty two', 'Search events for “forty two”');
  expect(await entries(page).last().innerText()).toContain('Search events for “forty two”');
  await entries(page).last().click();
  await page.waitForURL(/\/events\?text=forty(\+|%20)two$/);
  await leave(page);
});

test('what was done is offered again where it makes sense: a theme and a form, but not to log out', async () => {
  const { page } = await open();
  await pick(page, 'theme', 'Theme: dark');
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await pick(page, 'new pip', 'New pipeline');
  await page.getByRole('heading', { level: 1, name: 'New pipeline' }).waitFor();
  await page.keyboard.press('Control+k');
  await entries(page).filter({ hasText: 'Theme: dark' }).waitFor();
  expect((await entries(page).allInnerTexts()).slice(0, 2).map(text => text.split('\n')[0])).toEqual([
    'New pipeline',
    'Theme: dark',
  ]);
  expect(await entries(page).filter({ hasText: 'Log out' }).count()).toBe(0);
  await leave(page);
});

test('asked for again while it fades away, it begins anew', async () => {
  const { page } = await open();
  await find(page, 'theme', 'Theme: dark');
  await page.evaluate(async () => {
    document.querySelector<HTMLElement>('[data-palette] [data-action]')?.click();
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    document.body.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true }),
    );
  });
  await entries(page).filter({ hasText: 'Overview' }).first().waitFor();
  expect(await page.getByRole('textbox', { name: 'Find anything' }).inputValue()).toBe('');
  await leave(page);
});

test('a viewer is offered nothing that would be refused', async () => {
  const viewer = await join(flow.service.url, flow.browser, 'viewer@example.com', 'viewer');
  const { page } = await open('/jobs', viewer);
  // What could be paused, disabled or retried is read when it is first opened.
  const read = ['destinations', 'pipelines'].map(what =>
    page.waitForResponse(response => new URL(response.url()).pathname.endsWith(`/${what}`)),
  );
  await find(page, 'jobs', 'Search events for “jobs”');
  await page.keyboard.press('Escape');
  for (const response of await Promise.all(read)) expect(response.status()).toBe(200);
  for (const text of ['new', 'pause', 'disable', 'retry']) {
    await find(page, text, `Search events for “${text}”`);
    expect(await entries(page).filter({ hasText: 'Action' }).count(), text).toBe(0);
    await page.keyboard.press('Escape');
  }
  await leave(page);
});
