import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { Browser as Chromium, Page } from 'playwright-core';
import { eventSummaryOf } from '../../src/core/event/summary.ts';
import { newId } from '../../src/core/ids.ts';
import { newJob } from '../../src/core/jobs/new-job.ts';
import { faultsForAnybody, launchChromium, leave, visit } from '../support/browser-page.ts';
import { type Browser, dataOf, join, listOf, setUp, stranger } from '../support/dashboard.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { everyStore } from '../support/every-store.ts';
import { makeInbox, makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

let service: TestService;
let chromium: Chromium;
let owner: Browser;
let viewer: Browser;
let shop: string;
let send: (type: string) => Promise<string>;
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), launchChromium()]);
  owner = await setUp(service);
  viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  send = await senderOf(owner);
  const source = await makeWebhook(service.url, owner, 'Shop');
  shop = source.id;
  const inbox = await makeInbox(owner);
  await makePipeline(owner, { name: 'All', sources: [shop], destinations: [{ id: inbox }] });
  await settled(owner, await source.send({ type: 'order.paid', note: 'a needle in hay' }));
  await settled(owner, await source.send({ type: 'order.refunded' }));
  await settled(owner, await send('page.viewed'));
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

async function senderOf(browser: Browser): Promise<(type: string) => Promise<string>> {
  const { secret } = dataOf<{ secret: string }>(await browser.post('/keys', { name: 'k' }));
  return async type => acceptedIds(await ingestWith(service.url, secret)({ events: [{ type }] }))[0] ?? '';
}

/** Does what somebody does who pastes the command that is shown, and types what it asks for. */
async function paste(page: Page, typed: string): Promise<void> {
  const command = await page.locator('pre').filter({ hasText: 'curl' }).innerText();
  const shell = Bun.spawn(['sh', '-c', command], { stdin: Buffer.from(`${typed}\n`), stderr: 'ignore' });
  expect(JSON.parse((await new Response(shell.stdout).text()).replace(/^.*?: (?={)/, ''))).toHaveProperty(
    'data',
  );
}

const open = (path: string, as = owner) => visit(chromium, service.url, path, { as });
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const searchOf = (page: Page) => new URL(page.url()).search;

describe('the list of events', () => {
  test('says how to send the first one, and shows it by itself when it has come', async () => {
    const newcomer = await stranger(service.url, owner, 'newcomer@example.com');
    const { page, faults } = await open('/events', newcomer);
    await page.getByText('No events yet.').waitFor();
    const { secret: key } = dataOf<{ secret: string }>(await newcomer.post('/keys', { name: 'k' }));
    await paste(page, key);
    await rowOf(page, 'order.paid').getByText('unrouted').waitFor();
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('keeps its filters in the address, through an event and back', async () => {
    const { page } = await open('/events');
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
    expect(searchOf(page)).toBe(`?state=processed&source=${shop}&type=order.refunded`);

    await page.getByRole('link', { name: 'order.refunded' }).click();
    await page.waitForURL(/\/events\/evt_/);
    await page.goBack();
    await rowOf(page, 'order.refunded').waitFor();
    expect(searchOf(page)).toBe(`?state=processed&source=${shop}&type=order.refunded`);
    await page.getByRole('combobox', { name: 'Type' }).fill('nothing.like.it');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rowOf(page, 'page.viewed').waitFor();
    expect(searchOf(page)).toBe('');
    await leave(page);
  });

  test('finds a text in payloads, and narrows by time, pipeline, destination and entity', async () => {
    const { page } = await open('/events');
    await rowOf(page, 'page.viewed').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Needle');
    await rowOf(page, 'page.viewed').waitFor({ state: 'detached' });
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
    const { page } = await open('/login');
    await page.route(/\/dashboard\/api\/o\/[^/]+\/events\?.*text=/, async route => {
      // As the server answers where its time was up before it had found anything.
      if (route.request().url().includes('cursor='))
        return route.continue({ url: `${service.url}/dashboard/api/events` });
      const searched_to = new Date(Date.now() - 3 * 3_600_000).toISOString();
      return route.fulfill({ json: { data: [], next_cursor: 'further', searched_to } });
    });
    await page.goto(`${service.url}/events?text=needle`);
    await page.getByText('Nothing found yet. Searched back to 3h ago.').waitFor();
    await page.getByRole('button', { name: 'Search further back' }).click();
    await rowOf(page, 'order.paid').waitFor();
    await leave(page);
  });

  test('is gone through by keys, and what is marked opens', async () => {
    const { page } = await open('/events');
    await rowOf(page, 'page.viewed').waitFor();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    const [, second] = listOf<{ id: string }>(await owner.get('/events')).data;
    await page.waitForURL(`**/events/${second?.id}`);
    await leave(page);
  });

  test('replays what is selected, and all that match', async () => {
    const { page } = await open('/events?type=order.paid');
    await rowOf(page, 'order.paid').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const bar = page.getByRole('region', { name: 'Selected events' });
    await bar.getByText('1 event selected').waitFor();
    await bar.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.waitForURL(/\/jobs\/job_/);

    await page.goBack();
    await page.getByRole('checkbox', { name: /order\.paid/ }).check();
    await bar.getByRole('button', { name: 'Replay all that match' }).click();
    await page.getByText('Original versions').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.waitForURL(/\/jobs\/job_/);
    const [job] = listOf<{ request: unknown }>(await owner.get('/jobs')).data;
    expect(job?.request).toEqual({ filter: { type: 'order.paid' }, version: 'original' });
    await leave(page);
  });

  test('lets go of what is selected when its filters change, and shows that its rows are those of before', async () => {
    const { page } = await open('/events?type=order.paid');
    await page.getByRole('checkbox', { name: /order\.paid/ }).check();
    const bar = page.getByRole('region', { name: 'Selected events' });
    await bar.waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/api\/.*events\?.*type=order\.refunded/, async route => {
      await held.promise;
      return route.continue();
    });
    await page.getByRole('combobox', { name: 'Type' }).fill('order.refunded');
    const list = page.getByRole('table', { name: 'Events' });
    await list.and(page.locator('[aria-busy="true"]')).waitFor();
    expect(await bar.count()).toBe(0);
    await page.getByRole('combobox', { name: 'Type' }).blur();
    // Neither a key nor a press reaches what is no longer asked for.
    for (const key of ['j', 'x', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('checkbox', { name: /order\.paid/ }).click({ force: true });
    await rowOf(page, 'order.paid').getByRole('link').click({ force: true });
    expect(await bar.count()).toBe(0);
    held.resolve();
    await rowOf(page, 'order.refunded').waitFor();
    expect(await list.getAttribute('aria-busy')).toBeNull();
    await page.getByRole('combobox', { name: 'Type' }).fill('order.paid');
    await rowOf(page, 'order.paid').waitFor();
    expect(await page.getByRole('checkbox', { name: /order\.paid/ }).isChecked()).toBe(false);
    expect(await bar.count()).toBe(0);
    await leave(page);
  });

  test('ignores keys while a dialog or a menu is open', async () => {
    const { page } = await open('/events?type=order.paid');
    await page.getByRole('checkbox', { name: /order\.paid/ }).check();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    for (const key of ['g', 'o', 'j', 'x']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('1 event selected').waitFor();
    await page.getByRole('button', { name: /Acme/ }).click();
    await page.getByRole('menu').waitFor();
    for (const key of ['g', 'o', 'j', 'x']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByText('1 event selected').waitFor();
    expect(new URL(page.url()).pathname).toBe('/o/acme/events');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.waitForURL(`${service.url}/o/acme`);
    await leave(page);
  });

  test('counts its heading among its rows, and says which keys there are on this system', async () => {
    const { page } = await open('/events?type=order.paid');
    await rowOf(page, 'order.paid').waitFor();
    expect(await rowOf(page, 'order.paid').getAttribute('aria-rowindex')).toBe('2');
    expect(await page.getByRole('row').first().getAttribute('aria-rowindex')).toBe('1');
    expect(await page.getByRole('table', { name: 'Events' }).getAttribute('aria-rowcount')).toBe('2');
    await page.getByRole('button', { name: 'Find anything Ctrl K' }).waitFor();
    await leave(page);
    const mac = await open('/login');
    await mac.page.addInitScript(() =>
      Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }),
    );
    await mac.page.goto(`${service.url}/events`);
    await mac.page.getByRole('button', { name: 'Find anything ⌘ K' }).waitFor();
    await leave(mac.page);
  });

  test('is found by a type in the palette, as the first hit and among what was picked last', async () => {
    const { page, faults } = await open('/sources');
    const find = page.getByRole('button', { name: 'Find anything Ctrl K' });
    await find.click();
    const field = page.getByRole('textbox', { name: 'Find anything' });
    await field.fill('order.pa');
    await page.getByRole('button', { name: 'order.paid Event type' }).waitFor();
    await field.press('Enter');
    await page.waitForURL(/\/events\?type=order\.paid$/);
    await rowOf(page, 'order.paid').waitFor();
    await page.goto(`${service.url}/sources`);
    await find.click();
    await page.getByRole('button', { name: 'order.paid Event type' }).click();
    await page.waitForURL(/\/events\?type=order\.paid$/);
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('is reached from the palette by arrows, and by Enter also where what was chosen is gone', async () => {
    const { page, faults } = await open('/sources');
    const held = Promise.withResolvers<void>();
    const hit = (name: string) => ({
      kind: 'source',
      id: `src_${name}`,
      label: name,
      to: `/events?text=${name}`,
    });
    await page.route(/\/search\?text=/, async route => {
      const isLonger = route.request().url().endsWith('=zedd');
      if (isLonger) await held.promise;
      return route.fulfill({ json: { data: isLonger ? [hit('third')] : [hit('first'), hit('second')] } });
    });
    await page.getByRole('button', { name: 'Find anything Ctrl K' }).click();
    const field = page.getByRole('textbox', { name: 'Find anything' });
    const entries = page.locator('[data-palette] [data-action]');
    const marked = () =>
      entries.evaluateAll(all => all.flatMap((one, n) => (one.hasAttribute('data-selected') ? [n] : [])));
    const isMarked = (n: number) =>
      until(async () => (await marked()).join() === String(n), `Not ${n} is marked.`);
    // The first is marked as soon as it is seen, and an arrow goes on from there.
    await isMarked(0);
    await field.press('ArrowDown');
    await isMarked(1);
    await field.fill('zed');
    await entries.filter({ hasText: 'second' }).waitFor();
    await field.fill('zedd');
    await isMarked(0);
    await field.press('ArrowDown');
    await isMarked(1);
    held.resolve();
    await entries.filter({ hasText: 'third' }).waitFor();
    await isMarked(0);
    await field.press('Enter');
    await page.waitForURL(/\/events\?text=third$/);
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('says how many match and when they came, and narrows to what is drawn over', async () => {
    const { page, faults } = await open(`/events?source=${shop}`);
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
    expect(searchOf(page)).toBe(`?source=${shop}`);
    // The first event has the first bar to itself, or shares it with the second.
    await draw(7);
    await page.waitForURL(/after=.*before=/);
    const { after = '', before = '' } = Object.fromEntries(new URL(page.url()).searchParams);
    const query = new URLSearchParams({ source: shop, after, before });
    const matching = listOf<{ id: string }>(await owner.get(`/events?${query}`)).data.length;
    expect(matching).toBeGreaterThan(0);
    await chart.getByText(matching === 1 ? '1 event' : `${matching} events`, { exact: true }).waitFor();
    await rowOf(page, 'order.paid').waitFor();
    expect(await rowOf(page, 'order.').count()).toBe(matching);
    await page.getByRole('button', { name: 'Reset time' }).click();
    await page.waitForURL(url => url.search === `?source=${shop}`);
    await chart.getByText('2 events', { exact: true }).waitFor();
    expect(width).toBeGreaterThan(300);
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('selects all that are shown, and none of them again', async () => {
    const { page } = await open(`/events?source=${shop}`);
    await rowOf(page, 'order.paid').waitFor();
    const all = page.getByRole('checkbox', { name: 'Select all shown' });
    await page.getByRole('checkbox', { name: /Select order\.paid/ }).check();
    expect(await all.evaluate(box => (box as HTMLInputElement).indeterminate)).toBe(true);
    await all.check();
    await page.getByText('2 events selected').waitFor();
    await all.uncheck();
    await page.getByText('2 events selected').waitFor({ state: 'detached' });
    // What says how many is there before any is, so that the first is announced too.
    await page.getByRole('status').evaluateAll(all => {
      for (const region of all) region.setAttribute('data-before', '');
    });
    await all.check();
    await page.locator('[role=status][data-before]').getByText('2 events selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).press('Enter');
    await page.getByText('2 events selected').waitFor({ state: 'detached' });
    expect(await all.evaluate(box => box === document.activeElement)).toBe(true);
    await leave(page);
  });

  test('marks what was found in payloads, offers types, and keeps filters and columns as a view', async () => {
    const { page, faults } = await open('/events');
    await page.getByRole('combobox', { name: 'Type' }).fill('paid');
    await page.getByRole('option', { name: 'order.paid' }).click();
    await page.waitForURL(/type=order\.paid/);
    await page.getByRole('textbox', { name: 'Text in the payload' }).fill('NEEDLE');
    await page.getByRole('row').locator('mark', { hasText: 'needle' }).waitFor();

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
    const other = await open('/events');
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
    await until(async () => listOf(await owner.get('/views')).data.length === 0, 'The view is not deleted.');
    await leave(page);
  });

  test('exports what is filtered: little at once, much as a job with a file', async () => {
    const { page } = await open(`/events?source=${shop}`, viewer);
    await page.getByText('2 events', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [direct] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ]);
    expect(direct.suggestedFilename()).toBe('events.csv');
    expect((await Bun.file(await direct.path()).text()).split('\r\n')).toHaveLength(4);

    await page.route(/\/events\/histogram/, async route => {
      const answer = (await (await route.fetch()).json()) as { data: object };
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
    const { organisation } = dataOf<WhoAmI>(await owner.get('/session'));
    const askedBy = async (createdBy: string) => {
      const asked = { orgId: organisation.id, kind: 'none', request: '{}', total: 0, createdBy };
      const job = newJob({ ...asked, createdAt: Date.now() });
      await service.engine.jobs.createJob(job);
      return `/jobs/${job.id}`;
    };
    const { page } = await open(await askedBy('owner@example.com'), viewer);
    await page.getByText('running').first().waitFor();
    expect(await page.getByRole('button', { name: 'Cancel job' }).count()).toBe(0);
    await page.goto(`${service.url}${await askedBy('viewer@example.com')}`);
    const cancel = page.getByRole('button', { name: 'Cancel job' });
    const dialog = page.getByRole('dialog');
    await cancel.click();
    await dialog.getByRole('button', { name: 'Keep running' }).click();
    await dialog.waitFor({ state: 'detached' });
    await cancel.click();
    await dialog.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByText('cancelled').first().waitFor();
    await leave(page);
  });

  test('offers a viewer nothing that would be refused', async () => {
    const { page } = await open('/events', viewer);
    await rowOf(page, 'page.viewed').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Replay/ }).count()).toBe(0);
    await leave(page);
  });

  test('selects no more than a replay takes, says so, and lets that be replayed', async () => {
    await Promise.all(Array.from({ length: 60 }, () => send('crowd.came')));
    const { page, faults } = await open('/events?type=crowd.came');
    await page.getByText('60 events', { exact: true }).waitFor();
    const all = page.getByRole('checkbox', { name: 'Select first 50' });
    const isMixed = () => all.evaluate(box => (box as HTMLInputElement).indeterminate);
    const bar = page.getByRole('region', { name: 'Selected events' });
    await all.click();
    await bar.getByText('50 of 60 events selected').waitFor();
    await bar.getByText('Up to 50 at a time; to include more, replay all that match.').waitFor();
    expect(await isMixed()).toBe(true);
    expect(await faultsForAnybody(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await bar.getByText('49 events selected').waitFor();
    expect(await bar.getByText('at a time').count()).toBe(0);
    await page.keyboard.press('x');
    await bar.getByText('50 of 60 events selected').waitFor();
    await bar.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('dialog').getByText('50 events run again', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await all.click();
    await bar.waitFor({ state: 'detached' });
    expect(await isMixed()).toBe(false);
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('refreshes itself at its top, and elsewhere offers what has come since', async () => {
    for (let n = 0; n < 120; n++) await send(`many.${n}`);
    const { page } = await open('/events');
    await rowOf(page, 'many.119').waitFor();
    await send('turned.by.itself');
    await rowOf(page, 'turned.by.itself').waitFor();
    await page.getByRole('table').hover();
    await page.mouse.wheel(0, 1_500);
    await rowOf(page, 'many.84').waitFor();
    await send('came.later');
    await page.getByRole('button', { name: 'Show new events' }).click();
    await rowOf(page, 'came.later').waitFor();
    await leave(page);
  });
});

test('what other empty pages give to be pasted works too', async () => {
  const newcomer = await stranger(service.url, owner, 'another@example.com');
  const { secret: key } = dataOf<{ secret: string }>(await newcomer.post('/keys', { name: 'k' }));
  const { id, secret } = dataOf<{ id: string; secret: string }>(
    await newcomer.post('/sources', { kind: 'webhook', name: 'Shop' }),
  );
  const inbox = await makeInbox(newcomer);
  await makePipeline(newcomer, { name: 'All', sources: [id], destinations: [{ id: inbox }] });
  const { page } = await open('/deliveries', newcomer);
  await page.getByText('Send something to “Shop”', { exact: false }).waitFor();
  await paste(page, secret);
  await rowOf(page, 'Inbox').getByText('delivered', { exact: true }).waitFor();
  await page.goto(`${service.url}/entities`);
  await page.getByText('No entities yet.', { exact: false }).waitFor();
  await paste(page, key);
  await page.getByRole('link', { name: 'c_42' }).click();
  await page.getByText('No events yet. An event names the entity', { exact: false }).waitFor();
  await paste(page, key);
  await page.getByRole('link', { name: 'customer.seen' }).waitFor();
  await leave(page);
});

describe('the tail', () => {
  test('shows what comes, pauses by hand and while it is scrolled, and says what has come meanwhile', async () => {
    // Enough that there is something to scroll.
    for (let n = 0; n < 40; n++) await send(`tail.before.${n}`);
    const { page, faults } = await open('/live');
    await page.getByRole('status').getByText('live').waitFor();
    await send('tail.first');
    await rowOf(page, 'tail.first').getByText('unrouted').waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await send('tail.second');
    await send('tail.third');
    const meanwhile = page.getByRole('button', { name: '2 new events' });
    await meanwhile.waitFor();
    expect(await rowOf(page, 'tail.second').count()).toBe(0);
    await meanwhile.click();
    await rowOf(page, 'tail.second').waitFor();

    await page.getByRole('table').hover();
    await page.mouse.wheel(0, 400);
    await page.getByRole('status').getByText('paused').waitFor();
    await send('tail.fourth');
    await page.getByRole('button', { name: '1 new event' }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await rowOf(page, 'tail.fourth').waitFor();
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('is narrowed like the list, and comes back after a break with what it missed', async () => {
    const line = await layLine(new URL(service.url).port);
    const { page } = await visit(chromium, line.url, '/live?type=broken', { as: owner });
    await page.getByText('No matching events yet.').waitFor();
    await send('broken');
    await rowOf(page, 'broken').waitFor();
    line.cut();
    await page.getByRole('status').getByText('connecting…').waitFor();
    const missed = await send('broken');
    await send('not.asked.for');
    line.restore();
    await page.getByText(missed).waitFor();
    await page.getByRole('status').getByText('live').waitFor();
    expect(await rowOf(page, 'not.asked.for').count()).toBe(0);
    await leave(page);
    line.close();
  });
});

describe('a list of 100,000 events', () => {
  const EVENTS = 100_000;
  const CHUNK = 10_000;
  /** What a person feels as a stall. In time of the processor, since other tests may want it too. */
  const STALL_MS = 200;

  test('is scrolled anywhere without a stall', async () => {
    // Nobody works on these events, so that all there is to do is to show them.
    const quiet = await startTestService({ settings: { SLUICE_ROLES: 'ingest,dashboard' } });
    const reader = await setUp(quiet);
    const storage = everyStore(quiet.engine);
    const orgId = dataOf<{ organisation: { id: string } }>(await reader.get('/session')).organisation.id;
    for (let first = 0; first < EVENTS; first += CHUNK) await fill(quiet, orgId, first, CHUNK);

    const { page, faults } = await visit(chromium, quiet.url, '/login', { as: reader });
    // By the hundred, as the server sends them, it would take a minute to come to the end.
    await page.route(/\/dashboard\/api\/o\/[^/]+\/events\?/, async route => {
      const below = new URL(route.request().url()).searchParams.get('cursor');
      const read = await storage.listEvents(orgId, {}, { limit: CHUNK, below, budgetMs: 10_000 });
      await route.fulfill({ json: { data: read.events.map(eventSummaryOf), next_cursor: read.next } });
    });
    await page.goto(`${quiet.url}/events`);
    await rowOf(page, `n.${EVENTS - 1}`).waitFor();
    const scroller = page.getByRole('rowgroup');
    const rows = () => page.getByRole('table').getAttribute('aria-rowcount').then(Number);
    const toEnd = () => scroller.evaluate(element => element.scrollTo({ top: element.scrollHeight }));
    const isAtEnd = async () => {
      await toEnd();
      // With the heading.
      return (await rows()) === EVENTS + 1;
    };
    await until(isAtEnd, 'the end of the list was not reached', 120_000);
    await toEnd();
    await rowOf(page, 'n.0').last().waitFor();

    const inspector = await page.context().newCDPSession(page);
    await inspector.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => {
      const { metrics } = await inspector.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
    };
    let longest = 0;
    for (let part = 1; part <= 40; part++) {
      const before = await spent();
      await scroller.evaluate(async (element, part) => {
        // All over the list, forth and back, and a little further each time.
        element.scrollTo({ top: (element.scrollHeight * ((part * 17) % 40)) / 40 });
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
      }, part);
      longest = Math.max(longest, (await spent()) - before);
    }
    expect(longest).toBeLessThan(STALL_MS);
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    expect(faults).toEqual([]);
    await leave(page);
    await quiet.stop();
  }, 240_000);
});

async function fill({ engine }: TestService, orgId: string, first: number, count: number): Promise<void> {
  const now = Date.now();
  const events = Array.from({ length: count }, (_, n) => ({
    id: newId('evt', now),
    type: `n.${first + n}`,
    icon: null,
    payload: '{}',
    senderId: null,
    entityKind: null,
    entityExternalId: null,
    happenedAt: now,
  }));
  await engine.journal.append([{ orgId, sourceId: null, receivedAt: now, events, idempotency: null }]);
}

/** A line to the server that can be cut: what is on it breaks off, and who calls again is hung up on. */
async function layLine(port: string) {
  const ends = new Set<Socket>();
  let isCut = false;
  const line = createServer(near => {
    if (isCut) return near.destroy();
    const far = connect(Number(port), '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end.pipe(other);
      end.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  await new Promise<void>(resolve => line.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    isCut = true;
    for (const end of ends) end.destroy();
  };
  return {
    url: `http://127.0.0.1:${(line.address() as AddressInfo).port}`,
    cut,
    restore() {
      isCut = false;
    },
    close() {
      cut();
      line.close();
    },
  };
}
