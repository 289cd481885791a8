import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser as Chromium, Page } from 'playwright-core';
import { accessibilityFaults, launchChromium, leave, visit } from '../support/browser-page.ts';
import { listOf } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

/** Settings → Alerts, from the address of a chat to the message in it. */

let flow: Flow;
let chromium: Chromium;
let slack: Receiver;
beforeAll(async () => {
  slack = startReceiver();
  [flow, chromium] = await Promise.all([startFlow({ alertsEveryMs: 50 }), launchChromium()]);
});
afterAll(async () => {
  await chromium.close();
  await flow.stop();
  await slack.stop();
});

const told = () => slack.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text);

async function open(size?: { width: number; height: number }, colours: 'light' | 'dark' = 'light') {
  const visited = await visit(chromium, flow.service.url, '/settings/alerts', {
    as: flow.browser,
    colours,
    ...(size ? { size } : {}),
  });
  await visited.page.getByRole('heading', { name: 'System events' }).waitFor();
  return visited;
}

const channel = (page: Page) => page.getByRole('group', { name: 'Alerts to Slack' });

test('one click has Slack told when something fails; a test, a switch and other events are one more each', async () => {
  const { page, faults } = await open();
  const tell = page.getByRole('button', { name: 'Tell me in Slack when something fails' });
  await tell.click();
  await page.getByText('Must be', { exact: false }).or(page.getByRole('alert')).first().waitFor();
  await page.getByRole('textbox', { name: 'Incoming webhook URL' }).fill(`${slack.url}/services/T0/B0/x`);
  await tell.click();
  await channel(page).getByText('Slack alerts (slack)').waitFor();
  expect(await channel(page).innerText()).not.toContain('Job finished');

  await channel(page).getByRole('button', { name: 'Send a test' }).click();
  await channel(page).getByText('The test was delivered.').waitFor();
  expect(told()).toEqual([expect.stringContaining('🧪 A test of the destination “Slack alerts”.')]);

  await channel(page).locator('summary').click();
  await channel(page).getByRole('checkbox', { name: 'Job finished' }).check();
  await channel(page).getByRole('button', { name: 'Save' }).click();
  await channel(page).locator('summary').getByText('Job finished').waitFor();
  await flow.browser.post('/dead-letters/retry', {});
  await until(() => told().length > 1, 'Slack was not told of the job.');
  expect(told()[1]).toMatch(/^ℹ️ Job job_\w+ \(.+\) is done/);
  // As it happens, without a reload.
  const row = page.getByRole('row').filter({ hasText: 'sluice.job.finished' });
  await row.getByText('never').waitFor({ state: 'detached' });

  await channel(page).getByRole('switch').press('Space');
  await until(
    async () =>
      listOf<{ name: string; enabled: boolean }>(await flow.browser.get('/pipelines')).data.some(
        ({ name, enabled }) => name === 'Alerts to Slack' && !enabled,
      ),
    'It was not turned off.',
  );
  await channel(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Nobody is notified yet when something fails.').waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('a destination that is there can be chosen, and everything fits on a phone in both colours', async () => {
  await flow.destination({ kind: 'inbox', name: 'Our inbox' });
  for (const colours of ['light', 'dark'] as const) {
    const { page, faults } = await open({ width: 390, height: 844 }, colours);
    await page.getByText('Existing destination', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Destination' }).click();
    await page.getByRole('option', { name: 'Our inbox' }).click();
    await page.getByRole('button', { name: 'Tell me through that destination when something fails' }).click();
    const made = page.getByRole('group', { name: 'Alerts to Our inbox' }).first();
    await made.getByText('Our inbox (inbox)').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(faults).toEqual([]);
    await leave(page);
  }
});

test('a source says what is expected of it, and the source of system events that nobody can send to it', async () => {
  const { page, faults } = await visit(chromium, flow.service.url, '/sources', { as: flow.browser });
  const row = page.getByRole('row').filter({ hasText: 'system events' });
  await row.getByRole('link', { name: 'System', exact: true }).click();
  await page.getByText('Nobody can send to this source.', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  await page.goto(`${flow.service.url}/sources`);
  await page.getByRole('link', { name: 'Everything' }).click();
  await page.getByRole('textbox', { name: 'Expected at least every' }).fill('90');
  await page.getByRole('button', { name: 'Save' }).click();
  await until(
    async () =>
      listOf<{ expect_every_minutes?: number | null }>(await flow.browser.get('/sources')).data.some(
        ({ expect_every_minutes }) => expect_every_minutes === 90,
      ),
    'It was not saved.',
  );
  expect(faults).toEqual([]);
  await leave(page);
});
