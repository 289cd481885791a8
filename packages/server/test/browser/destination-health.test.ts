import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, faultsForAnybody } from '../support/browser-page.ts';
import { type Browser, dataOf, listOf } from '../support/dashboard.ts';
import { type DestinationsTab, openDestinationsTab } from '../support/destinations-tab.ts';
import type { Receiver } from '../support/receiver.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** How destinations are doing: what each has got, what waits, and what came back. */

let tab: DestinationsTab;
let service: TestService;
let owner: Browser;
let receiver: Receiver;
let page: Page;
beforeAll(async () => {
  tab = await openDestinationsTab();
  ({ service, owner, receiver, page } = tab);
});
afterEach(() => expect(tab.faults.splice(0)).toEqual([]));
afterAll(() => tab.stop());

describe('a destination that exists', () => {
  test('that is down says since when, what waits and what came back, and is tried by hand', async () => {
    tab.down.add('/sick');
    const config = { url: `${receiver.url}/sick` };
    const id = await tab.makeDestination({ kind: 'webhook', name: 'Sick', config });
    const source = await tab.makeSource('To the sick');
    await owner.post('/pipelines', { name: 'Visits', sources: [source.id], destinations: [{ id }] });
    await tab.open(`/destinations/${id}`);
    const { organisation } = dataOf<{ organisation: { id: string } }>(await owner.get('/session'));
    const openedAt = Date.now();
    const opened = { openedAt, nextProbeAt: openedAt + 1_000, failure: 'It answered 502.' };
    await service.engine.configuration.openBreaker(organisation.id, id, opened);
    await page.getByText(/^Circuit open since \d\d:\d\d:\d\d \(50 consecutive failures\)$/).waitFor();
    await page.getByText('No deliveries are queued. The next delivery is the probe.').waitFor();
    await page.getByText('Last error: It answered 502.').waitFor();

    // With nothing waiting a test goes out, and its answer is shown.
    await tab.press('Try now');
    await page.getByText('status 503 · bad_status', { exact: false }).waitFor();
    await page.getByText('Circuit open since').waitFor();
    await fetch(source.url, { method: 'POST', body: '{}' });
    await page.getByText('1 delivery is queued.', { exact: false }).waitFor();
    await page.getByText(/Next probe in \d+s/).waitFor();
    await page.getByText(/Last probe .* Last error: .*503/).waitFor();
    await page.getByText('1 delivery waits for it. It keeps the longer schedule', { exact: false }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    const [delivery] = listOf<{ id: string }>(await owner.get(`/deliveries?destination=${id}`)).data;
    await tab.open(`/deliveries/${delivery?.id}`);
    await page
      .getByText(/Destination down since .*, last probe .* It is queued and uses no attempts\./)
      .waitFor();

    await tab.open(`/destinations/${id}`);
    await page.getByText('Sends a queued delivery.', { exact: false }).waitFor();
    // It is well from the moment it is asked for: a probe on its own time would close the circuit before.
    await page.route('**/probe', route => {
      tab.down.delete('/sick');
      return route.continue();
    });
    await tab.press('Try now');
    await page.getByText('Circuit open since').waitFor({ state: 'detached' });
    await page.unroute('**/probe');
    await page.getByRole('link', { name: /^Delivered 1$/ }).waitFor();
  });

  test('that is an inbox shows what it got, as text', async () => {
    const id = await tab.makeDestination({ kind: 'inbox', name: 'Inbox' });
    const source = await tab.makeSource('Open');
    await owner.post('/pipelines', { name: 'To the inbox', sources: [source.id], destinations: [{ id }] });
    await tab.open(`/destinations/${id}`);
    await page.getByText('Nothing yet. Add it to a pipeline', { exact: false }).waitFor();
    const body = JSON.stringify({ type: 'order.paid', note: '<script>alert(1)</script>' });
    await fetch(source.url, { method: 'POST', body });
    await page.getByText('<script>alert(1)</script>', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'order.paid' }).waitFor();
    await page.getByRole('link', { name: /^Delivered 1$/ }).waitFor();
    await page.getByText('100% delivered').waitFor();
  });
});

test('the list says how well each takes what it is sent, by every column and with the list behind each figure', async () => {
  const source = await tab.makeSource('Listed');
  const make = (name: string, path: string) =>
    tab.makeDestination({
      kind: 'webhook',
      name,
      config: { url: `${receiver.url}${path}` },
      policy: { attempts: 1, schedule_s: [0] },
    });
  const [good, bad, held] = [
    await make('Zeal', '/hook'),
    await make('Zilch', '/teapot'),
    await make('Zzz', '/hook'),
  ];
  await owner.post(`/destinations/${held}/pause`);
  await owner.post('/pipelines', {
    name: 'To all three',
    sources: [source.id],
    destinations: [good, bad, held].map(id => ({ id })),
  });
  for (let n = 0; n < 3; n++) await fetch(source.url, { method: 'POST', body: '{}' });
  await tab.open('/destinations?text=z');
  const row = (name: string) => page.getByRole('row', { name });
  const cell = (name: string, column: number) => row(name).getByRole('cell').nth(column);
  const shows = (name: string, column: number, text: string) =>
    until(async () => (await cell(name, column).innerText()) === text, `${name} does not show ${text}.`);
  const [delivered, success, p95, waiting, error] = [2, 3, 4, 5, 6];
  await shows('Zeal', delivered, '3');
  await shows('Zeal', success, '100%');
  await shows('Zilch', success, '0%');
  await shows('Zzz', waiting, '3');
  expect(await cell('Zeal', p95).innerText()).toMatch(/^[\d.]+ m?s$/);
  await until(async () => /418/.test(await cell('Zilch', error).innerText()), 'The last error is missing.');
  expect(await cell('Zeal', error).innerText()).toBe('none');
  for (const [name, state] of [
    ['Zeal', 'active'],
    ['Zilch', 'failing'],
    ['Zzz', 'paused'],
  ] as const) {
    await row(name).getByText(state, { exact: true }).waitFor();
  }
  // What died lately is told beside the pages, as many as their list has.
  const { dead_letters } = dataOf<{ dead_letters: { count: number } }>(await owner.get('/badges'));
  await page.getByRole('link', { name: `${dead_letters.count} dead letters` }).waitFor();

  const names = async () => {
    const all = await page.getByRole('row').getByRole('link', { name: /^Z/ }).allInnerTexts();
    return all.join(' ');
  };
  const header = (name: string) => page.getByRole('columnheader', { name });
  await header('Backlog').getByRole('button').click();
  await until(async () => (await names()).startsWith('Zzz'), 'It is not sorted by backlog.');
  expect(await header('Backlog').getAttribute('aria-sort')).toBe('descending');
  expect(page.url()).toContain('sort=-backlog');
  await header('Success').getByRole('button').click();
  await until(async () => (await names()).startsWith('Zeal'), 'It is not sorted by success.');
  await header('Success').getByRole('button').click();
  await until(async () => (await names()).endsWith('Zeal'), 'It is not sorted the other way.');
  await header('Name').getByRole('button').click();
  await until(async () => (await names()) === 'Zeal Zilch Zzz', 'It is not sorted by name.');
  await page.reload();
  expect(await header('Name').getAttribute('aria-sort')).toBe('ascending');
  expect(await faultsForAnybody(page)).toEqual([]);

  for (const [name, column] of [
    ['Zeal', delivered],
    ['Zzz', waiting],
  ] as const) {
    await tab.open('/destinations?text=z');
    await shows(name, column, '3');
    await cell(name, column).getByRole('link').click();
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
    // The heading is a row too.
    await until(async () => (await page.getByRole('row').count()) === 4, `It is not 3 of ${name}.`);
  }

  // Deliveries and attempts are never on one axis.
  await tab.open(`/destinations/${bad}`);
  const attempts = page.getByRole('figure', { name: 'Failed attempts over time' });
  await attempts.getByText('Failed attempts, by attempt time').waitFor();
  await page.getByRole('figure', { name: 'Delivered over time' }).waitFor();
  expect(await faultsForAnybody(page)).toEqual([]);
});
