import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { EventHistogram } from '@sluice/contract/dashboard-events';
import type { Page } from 'playwright-core';
import { newJob } from '../../src/core/jobs/new-job.ts';
import { type BrowsedShop, openBrowsedShop } from '../support/browsed-shop.ts';
import { accessibilityFaults, answerTo, inColours, leave, rowOf } from '../support/browser-page.ts';
import { type Browser, dataOf, join, listOf } from '../support/dashboard.ts';
import { until } from '../support/until.ts';

/** The list of events shows what is asked for, keeps the question as a view, and exports the answer. */

let shop: BrowsedShop;
let viewer: Browser;
beforeAll(async () => {
  shop = await openBrowsedShop();
  viewer = await join(shop.service.url, shop.owner, 'viewer@example.com', 'viewer');
});
afterAll(() => shop.stop());

const searchOf = (page: Page) => new URL(page.url()).search;

describe('the list of events', () => {
  test('keeps its filters in the address, through an event and back', async () => {
    const { page } = await shop.open('/events');
    await rowOf(page, 'page.viewed').waitFor();

    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'processed' }).click();
    await rowOf(page, 'page.viewed').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Source' }).click();
    await page.getByRole('option', { name: 'Shop' }).click();
    await page.getByRole('combobox', { name: 'Type' }).fill('order.refunded');
    await page.waitForURL(/type=order\.refunded/);
    await rowOf(page, 'order.paid').waitFor({ state: 'detached' });
    expect(searchOf(page)).toBe(`?state=processed&source=${shop.source}&type=order.refunded`);

    await page.getByRole('link', { name: 'order.refunded' }).click();
    await page.waitForURL(/\/events\/evt_/);
    await page.goBack();
    await rowOf(page, 'order.refunded').waitFor();
    expect(searchOf(page)).toBe(`?state=processed&source=${shop.source}&type=order.refunded`);
    await page.getByRole('combobox', { name: 'Type' }).fill('nothing.like.it');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rowOf(page, 'page.viewed').waitFor();
    expect(searchOf(page)).toBe('');
    await leave(page);
  });

  test('marks what is chosen in a list of choices that arrow keys open, and says that it is open, each time', async () => {
    const { page } = await shop.open('/events?within=24h');
    await rowOf(page, 'page.viewed').waitFor();
    const time = page.getByRole('combobox', { name: 'Time' });
    const said = () =>
      time.evaluate(input => ({
        isOpen: input.getAttribute('aria-expanded'),
        isListThere: document.getElementById(input.getAttribute('aria-controls') ?? '') !== null,
        marked: document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent,
      }));
    const marks = (choice: string) =>
      until(async () => {
        const { isOpen, isListThere, marked } = await said();
        return isOpen === 'true' && isListThere && marked === choice;
      }, `“${choice}” is not marked in an open list.`);
    for (const _ of ['first', 'second']) {
      await time.focus();
      await page.keyboard.press('ArrowDown');
      await marks('Last 24 hours');
      await page.keyboard.press('Escape');
      await page.getByRole('option').first().waitFor({ state: 'hidden' });
      // What was marked is forgotten by a timer, which a busy browser lets wait behind a key.
      await page.evaluate(() => new Promise(done => setTimeout(done)));
    }
    await page.keyboard.press('ArrowDown');
    await marks('Last 24 hours');
    await page.keyboard.press('ArrowDown');
    await marks('Last 7 days');
    await page.keyboard.press('Enter');
    await page.waitForURL(/within=7d/);
    await leave(page);
  });

  test('finds a text in payloads, and narrows by time, pipeline, destination and entity', async () => {
    const { page } = await shop.open('/events');
    await rowOf(page, 'page.viewed').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Needle');
    await page.waitForURL(/text=Needle/);
    await rowOf(page, 'page.viewed').waitFor({ state: 'detached' });
    await rowOf(page, 'order.refunded').waitFor({ state: 'detached' });
    expect(await rowOf(page, 'order.').count()).toBe(1);
    await page.getByRole('textbox', { name: 'Text in the payload' }).fill('');
    await rowOf(page, 'page.viewed').waitFor();

    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('combobox', { name: 'Pipeline' }).click();
    await page.getByRole('option', { name: 'All' }).click();
    await rowOf(page, 'page.viewed').waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Destination' }).click();
    await page.getByRole('option', { name: 'Inbox' }).click();
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Last hour' }).click();
    await page.waitForURL(/within=1h/);
    expect(await rowOf(page, 'order.').count()).toBe(2);
    await page.getByRole('textbox', { name: 'Entity' }).fill('customer:nobody');
    await page.getByText('No events match').waitFor();
    await page.getByRole('textbox', { name: 'Entity' }).fill('no colon');
    await page.getByRole('alert').getByText('entity').first().waitFor();
    await leave(page);
  });

  test('says how far back a search came, and goes on when it is told to', async () => {
    const { page } = await shop.open('/login');
    await page.route(/\/dashboard\/api\/o\/[^/]+\/events\?.*text=/, async route => {
      // As the server answers where its time was up before it had found anything.
      if (route.request().url().includes('cursor='))
        return route.continue({ url: `${shop.service.url}/dashboard/api/events` });
      const searched_to = new Date(Date.now() - 3 * 3_600_000).toISOString();
      return route.fulfill({ json: { data: [], next_cursor: 'further', searched_to } });
    });
    await page.goto(`${shop.service.url}/events?text=needle`);
    await page.getByText('Nothing found yet. Searched back to 3h ago.').waitFor();
    await page.getByRole('button', { name: 'Search further back' }).click();
    await rowOf(page, 'order.paid').waitFor();
    await leave(page);
  });

  test('counts once more what ran out of time, as in a busy moment', async () => {
    const { page, faults } = await shop.open('/login');
    let counted = 0;
    await page.route(/\/events\/histogram\?/, async route => {
      if (++counted > 1) return route.continue();
      // As the server answers where its time was up before it had found all of them.
      const { data } = (await (await answerTo(route)).json()) as { data: EventHistogram };
      const counted_from = new Date(Date.now() - 60_000).toISOString();
      return route.fulfill({ json: { data: { ...data, total: { count: 1, more: true }, counted_from } } });
    });
    await page.goto(`${shop.service.url}/events?source=${shop.source}`);
    const chart = page.getByRole('figure', { name: 'Events over time' });
    await chart.getByText('counted back to', { exact: false }).waitFor();
    await chart.getByText('2 events', { exact: true }).waitFor();
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('says how many match and when they came, and narrows to what is drawn over', async () => {
    const { page, faults } = await shop.open(`/events?source=${shop.source}`);
    const chart = page.getByRole('figure', { name: 'Events over time' });
    await chart.getByText('2 events', { exact: true }).waitFor();
    const plot = page.getByTestId('histogram');
    const { width = 0, height = 0 } = (await plot.boundingBox()) ?? {};
    const draw = async (to: number, beforeItEnds = async () => {}) => {
      await plot.hover({ position: { x: 1, y: height / 2 } });
      await page.mouse.down();
      await plot.hover({ position: { x: to, y: height / 2 } });
      await beforeItEnds();
      await page.mouse.up();
    };
    // A press is only a press, and Escape gives up what is being drawn.
    await draw(4);
    const mark = page.getByTestId('brushed');
    await draw(90, async () => {
      await mark.waitFor();
      await page.keyboard.press('Escape');
      await mark.waitFor({ state: 'detached' });
    });
    // What was chosen would be in the address by the next frame but one.
    await page.evaluate(
      () => new Promise<void>(done => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    );
    expect(searchOf(page)).toBe(`?source=${shop.source}`);
    // The first event has the first bar to itself, or shares it with the second.
    await draw(7);
    await page.waitForURL(/after=.*before=/);
    const { after = '', before = '' } = Object.fromEntries(new URL(page.url()).searchParams);
    const query = new URLSearchParams({ source: shop.source, after, before });
    const matching = listOf<{ id: string }>(await shop.owner.get(`/events?${query}`)).data.length;
    expect(matching).toBeGreaterThan(0);
    await chart.getByText(matching === 1 ? '1 event' : `${matching} events`, { exact: true }).waitFor();
    await rowOf(page, 'order.paid').waitFor();
    await until(
      async () => (await rowOf(page, 'order.').count()) === matching,
      'The list and the histogram differ.',
    );
    await page.getByRole('button', { name: 'Reset time' }).click();
    await page.waitForURL(url => url.search === `?source=${shop.source}`);
    await chart.getByText('2 events', { exact: true }).waitFor();
    expect(width).toBeGreaterThan(300);
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('marks what was found in payloads, offers types, and keeps filters and columns as a view', async () => {
    const { page, faults } = await shop.open('/events');
    await page.getByRole('combobox', { name: 'Type' }).fill('paid');
    await page.getByRole('option', { name: 'order.paid' }).click();
    await page.waitForURL(/type=order\.paid/);
    await page.getByRole('textbox', { name: 'Text in the payload' }).fill('NEEDLE');
    await page.getByRole('row').locator('mark', { hasText: 'needle' }).waitFor();
    await inColours(page, 'dark');
    expect(await accessibilityFaults(page, 'colours')).toEqual([]);
    await inColours(page, 'light');
    expect(await accessibilityFaults(page, 'colours')).toEqual([]);

    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Entity' }).uncheck();
    await page.getByRole('columnheader', { name: 'Entity' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as a view' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Needles');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Needles' }).waitFor();

    // Applied in a browser that has never seen it.
    const other = await shop.open('/events');
    await other.page.getByRole('columnheader', { name: 'Entity' }).waitFor();
    await other.page.getByRole('button', { name: 'Views' }).click();
    await other.page.getByRole('menuitem', { name: 'Needles' }).click();
    await other.page.waitForURL(/type=order\.paid/);
    await other.page.getByRole('row').locator('mark', { hasText: 'needle' }).waitFor();
    expect(await other.page.getByRole('columnheader', { name: 'Entity' }).count()).toBe(0);
    await leave(other.page);

    await page.getByRole('button', { name: 'Needles' }).click();
    await page.getByRole('menuitem', { name: 'Manage views' }).click();
    await page.getByRole('textbox', { name: 'Name of Needles' }).fill('Found');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Delete Found' }).click();
    await page.getByText('No views yet.').waitFor();
    expect(faults).toEqual([]);
    // It can be taken back until the page is left.
    await page.goto('about:blank');
    await until(
      async () => listOf(await shop.owner.get('/views')).data.length === 0,
      'The view is not deleted.',
    );
    await leave(page);
  });

  test('exports what is filtered: little at once, much as a job with a file', async () => {
    const { page } = await shop.open(`/events?source=${shop.source}`, viewer);
    await page.getByText('2 events', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [direct] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ]);
    expect(direct.suggestedFilename()).toBe('events.csv');
    expect((await Bun.file(await direct.path()).text()).split('\r\n')).toHaveLength(4);

    await page.route(/\/events\/histogram/, async route => {
      const answer = (await (await answerTo(route)).json()) as { data: object };
      // As the server answers where there are more than it counts.
      return route.fulfill({ json: { data: { ...answer.data, total: { count: 10_000, more: true } } } });
    });
    await page.reload();
    await page.getByText('10,000+ events').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByText('as a job').waitFor();
    await page.getByRole('menuitem', { name: 'NDJSON' }).click();
    await page.waitForURL(/\/jobs\/job_/);
    await page.getByText('2 of 2 done').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^events-job_.*\.ndjson$/);
    const lines = (await Bun.file(await file.path()).text()).trim().split('\n');
    expect(lines.map(line => (JSON.parse(line) as { type: string }).type)).toEqual([
      'order.refunded',
      'order.paid',
    ]);
    await leave(page);
  });

  test('lets a viewer cancel a job that he has asked for, and nobody else’s', async () => {
    const { organisation } = dataOf<WhoAmI>(await shop.owner.get('/session'));
    const askedBy = async (createdBy: string) => {
      const asked = { orgId: organisation.id, kind: 'none', request: '{}', total: 0, createdBy };
      const job = newJob({ ...asked, createdAt: Date.now() });
      await shop.service.engine.jobs.createJob(job);
      return `/jobs/${job.id}`;
    };
    const { page } = await shop.open(await askedBy('owner@example.com'), viewer);
    await page.getByText('running').first().waitFor();
    expect(await page.getByRole('button', { name: 'Cancel job' }).count()).toBe(0);
    await page.goto(`${shop.service.url}${await askedBy('viewer@example.com')}`);
    const cancel = page.getByRole('button', { name: 'Cancel job' });
    const dialog = page.getByRole('dialog');
    await cancel.click();
    await dialog.getByRole('button', { name: 'Keep running' }).click();
    await dialog.waitFor({ state: 'detached' });
    await cancel.click();
    await dialog.getByRole('button', { name: 'Cancel job' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('cancelled').first().waitFor();
    await leave(page);
  });
});
