import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import type { Browser as Chromium } from 'playwright-core';
import {
  accessibilityFaults,
  answerTo,
  inColours,
  launchChromium,
  leave,
  visit,
} from '../support/browser-page.ts';
import { type Browser, dataOf, join, setUp, stranger } from '../support/dashboard.ts';
import { OPEN_TO_LOOPBACK } from '../support/delivery-process.ts';
import { expectListed, followEveryFigure } from '../support/overview-figures.ts';
import {
  type MadeSource,
  makeInbox,
  makePipeline,
  makeRefusing,
  makeWebhook,
  settled,
} from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { makeTroubledShop } from '../support/troubled-shop.ts';
import { until } from '../support/until.ts';

let service: TestService;
let chromium: Chromium;
let owner: Browser;
let shop: MadeSource;

beforeAll(async () => {
  [service, chromium] = await Promise.all([
    startTestService({ settings: OPEN_TO_LOOPBACK }),
    launchChromium(),
  ]);
  owner = await setUp(service);
  shop = await makeTroubledShop(service.url, owner);
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

describe('the overview', () => {
  /** With these figures in place of what the server has. */
  async function visitWith(figuresOf: (record: OverviewRecord) => object) {
    const visited = await visit(chromium, service.url, '/settings/appearance', { as: owner });
    await visited.page.route(/\/dashboard\/api\/.*overview\?/, async route => {
      const response = await answerTo(route);
      const { data } = (await response.json()) as { data: OverviewRecord };
      await route.fulfill({ response, json: { data: { ...data, ...figuresOf(data) } } });
    });
    // It would bring what the server really has.
    await visited.page.route(/\/dashboard\/api\/.*live/, route => route.abort());
    await visited.page.goto(service.url);
    return visited;
  }

  test('says that there are more dead letters where not all of them were counted', async () => {
    const dead = { count: 10_000, more: true };
    const { page, faults } = await visitWith(({ totals, present }) => ({
      totals: { ...totals, dead: dead.count },
      present: { ...present, dead },
      more_dead: true,
    }));
    const funnel = page.getByRole('navigation', { name: 'What became of events' });
    await funnel.getByRole('link', { name: /^Dead 10,000\+$/ }).waitFor();
    await page.getByText('only the latest 10,000 dead letters are counted').waitFor();
    await leave(page);
    expect(faults).toEqual([]);
  });

  test('says what is better and what is worse than before in colours that anybody can read', async () => {
    const none = { count: 0, more: false };
    const { page } = await visitWith(({ totals, present, latency }) => ({
      before: {
        received: totals.received * 2,
        p95_ms: (latency.p95_ms ?? 0) * 2 + 100,
        present: { ...present, delivered: present.delivered + 10, dead: none },
        failed_events: none,
      },
    }));
    const cards = page.getByRole('navigation', { name: 'Key figures' });
    await cards.getByRole('link', { name: /^Received .*−(49|50)%$/ }).waitFor();
    await cards.getByRole('link', { name: /^p95 latency .*−\d+%$/ }).waitFor();
    await cards.getByRole('link', { name: /^Undelivered 1 \+1$/ }).waitFor();
    for (const colours of ['light', 'dark'] as const) {
      await inColours(page, colours);
      expect(await accessibilityFaults(page, 'colours'), colours).toEqual([]);
    }
    await leave(page);
  });

  test('shows what became of events, moves by itself, and keeps how far back it looks in the address', async () => {
    const { page, faults, strangers } = await visit(chromium, service.url, '/', { as: owner });
    const funnel = page.getByRole('navigation', { name: 'What became of events' });
    await funnel.getByRole('link', { name: /^Received 4/ }).waitFor();
    await funnel.getByRole('link', { name: /^Dropped 1/ }).waitFor();
    await funnel.getByRole('link', { name: /^Delivered 3/ }).waitFor();
    await funnel.getByRole('link', { name: /^Dead 1/ }).waitFor();
    const parts = [
      page.getByRole('navigation', { name: 'Key figures' }),
      page.getByRole('heading', { name: 'Map' }),
      funnel,
    ];
    const tops = await Promise.all(parts.map(async part => (await part.boundingBox())?.y ?? 0));
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    await page.getByText('p99', { exact: true }).first().waitFor();
    await page.getByRole('row', { name: /Broken webhook failing 1 0 1 0/ }).waitFor();
    // The minute that is not over yet would look like a drop.
    const line = page.getByRole('navigation', { name: 'Key figures' }).locator('polyline').first();
    expect((await line.getAttribute('points'))?.split(' ')).toHaveLength(59);
    const chart = page.getByRole('img', { name: /^Received 4 in the last/ });
    await chart.scrollIntoViewIfNeeded();
    await chart.locator('svg').first().waitFor();
    const ticks = page.getByRole('img', { name: /^p95 / }).locator('svg text').filter({ hasText: /s$/ });
    await ticks.first().waitFor();
    // Each in one line.
    for (const tick of await ticks.allTextContents()) expect(tick).toMatch(/^[\d.]+\u00a0m?s$/);

    await shop.send({ skip: true });
    await funnel.getByRole('link', { name: /^Received 5/ }).waitFor();
    await funnel.getByRole('link', { name: /^Dropped 2/ }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('link', { name: '7 d' }).click();
    await page.waitForURL(/\?range=7d$/);
    await page.getByText('In each 2 hours').first().waitFor();
    await page.reload();
    await page.getByText('In each 2 hours').first().waitFor();
    expect(await page.getByRole('link', { name: '7 d' }).getAttribute('aria-current')).toBe('page');
    expect(await page.locator('[aria-label="How far back"] [aria-current]').count()).toBe(1);

    const time = page.getByRole('combobox', { name: 'Time' });
    await funnel.getByRole('link', { name: /^Delivered 3/ }).click();
    await page.waitForURL(/\/deliveries\?state=delivered&within=7d$/);
    expect(await time.inputValue()).toBe('Last 7 days');
    // Nothing was made in a year to come, so that the list shows that it heeds the time.
    await page.goto(`${service.url}/deliveries?after=2100-01-01T00:00:00Z`);
    await page.getByText('No deliveries match').waitFor();
    expect(await time.inputValue()).toBe('From … to …');
    expect([faults, strangers]).toEqual([[], []]);
    await leave(page);
  });

  test('every figure is as long as the list behind it, and badges and the map say the same', async () => {
    const keeper = await stranger(service.url, owner, 'figures@example.com');
    const till = await makeWebhook(service.url, keeper, 'Till');
    const later = await makeInbox(keeper, 'Later');
    await keeper.post(`/destinations/${later}/pause`);
    const refuses = await makeRefusing(keeper, 'Refuses');
    const destinations = [{ id: await makeInbox(keeper) }, { id: later }, { id: refuses }];
    await makePipeline(keeper, { name: 'All', sources: [till.id], destinations });
    const fails = { kind: 'transform', config: { set: { 'a.b': 1 } } };
    await makePipeline(keeper, { name: 'Fails', sources: [till.id], steps: [fails] });
    for (const body of [{ n: 1 }, { a: 'a text' }]) await settled(keeper, await till.send(body));
    await until(async () => {
      const { totals, present, failed_events, wrong } = dataOf<OverviewRecord>(await keeper.get('/overview'));
      const { delivered, held, dead } = present;
      const counts = [totals.processed, failed_events, delivered, held, dead].map(one =>
        typeof one === 'number' ? one : one.count,
      );
      return [...counts, wrong.length].join(' ') === '2 1 2 2 2 1';
    }, 'Not everything was counted.');

    const { page, faults } = await visit(chromium, service.url, '/', { as: keeper });
    const clicked = await followEveryFigure(page);
    const cards = ['Received 2: 2', 'Delivered 33%: 2', 'Undelivered 3: 3'];
    const funnel = ['Processed 2 100%: 2', 'Failed 1 50%: 1', 'Held 2 33%: 2', 'Dead 2 33%: 2'];
    const backlog = ['Unprocessed: 0', 'Pending: 0', 'Retrying: 0', 'Held: 2'];
    const undelivered = ['Dead deliveries: 2', 'Failed events: 1'];
    const strip = ['1 destination failing: 1'];
    for (const one of [...cards, ...funnel, ...backlog, ...undelivered, ...strip])
      expect(clicked).toContain(one);

    // Beside the pages of the side bar.
    await page.getByRole('link', { name: 'Dead letters 3 dead letters' }).click();
    await expectListed(page, 'Dead letters', 3, 'The badge of dead letters');
    // Each part of the map leads to its page, which has the same figures.
    for (const [part, column, figure] of [
      ['Till', 'webhook · 2 events', null],
      ['All', 'pipeline · 2 events', null],
      ['Fails', 'pipeline · 2 events 1 failed', null],
      ['Inbox', 'inbox · 2 delivered', 'Delivered 2'],
      ['Later', 'inbox 2 held', 'Held 2'],
      ['Refuses', 'webhook 2 dead', 'Dead 2'],
    ] as const) {
      await page.goto(service.url);
      await page.getByRole('heading', { name: 'Map' }).scrollIntoViewIfNeeded();
      const map = page.getByLabel('Map of sources, pipelines and destinations');
      await map.getByRole('link', { name: `${part} ${column}`, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: part, exact: true }).waitFor();
      if (figure === null) continue;
      const [label = '', count = ''] = figure.split(/ (?=\d)/);
      const link = page.getByRole('link', { name: new RegExp(`^${label} ${count}( |$)`) });
      await link.first().click();
      await expectListed(page, 'Deliveries', Number(count), `${figure} of ${part}`);
    }
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('what is drawn over is zoomed into, in the address, with a way back; fields do the same by keyboard', async () => {
    const { page, faults } = await visit(chromium, service.url, '/?range=24h', { as: owner });
    const draw = async (label: RegExp, from: number, to: number) => {
      const chart = page.getByRole('img', { name: label });
      const plot = chart.locator('.recharts-cartesian-grid').first();
      await plot.waitFor({ state: 'attached' });
      await chart.scrollIntoViewIfNeeded();
      const box = await plot.boundingBox();
      if (!box) throw new Error('There is no chart.');
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + from * box.width, y);
      await page.mouse.down();
      await page.mouse.move(box.x + ((from + to) / 2) * box.width, y);
      await page.mouse.move(box.x + to * box.width, y);
      await page.mouse.up();
    };
    const lengthOf = () => {
      const { searchParams } = new URL(page.url());
      const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? ''];
      return Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
    };
    await page.getByRole('heading', { name: 'Event throughput' }).scrollIntoViewIfNeeded();
    await draw(/^Received \d+ in the last 24 hours/, 0.5, 0.99);
    await page.waitForURL(/range=24h&from=.*&to=/);
    // Half of a day, give or take a step at each end.
    expect(lengthOf()).toBeGreaterThan(11 * 60);
    expect(lengthOf()).toBeLessThan(13 * 60);
    const funnel = page.getByRole('navigation', { name: 'What became of events' });
    await funnel.getByRole('link', { name: /^Received \d/ }).waitFor();
    await page.getByText('In each 10 minutes').first().waitFor();

    await draw(/^p95 .* \d+ \w+, \d\d:\d\d to/, 0.2, 0.6);
    await until(() => lengthOf() < 7 * 60, 'It was not zoomed into again.');
    await page.reload();
    await page.getByRole('link', { name: 'Reset zoom' }).waitFor();
    await page.goBack();
    await until(() => lengthOf() > 11 * 60, 'Back does not go back.');
    await page.getByRole('link', { name: 'Reset zoom' }).click();
    await page.waitForURL(/\?range=24h$/);
    await page.getByRole('link', { name: 'Reset zoom' }).waitFor({ state: 'detached' });

    // Escape gives up what is being drawn.
    await page.getByRole('heading', { name: 'Event throughput' }).scrollIntoViewIfNeeded();
    const box = await page.locator('.recharts-cartesian-grid').first().boundingBox();
    await page.mouse.move((box?.x ?? 0) + 50, (box?.y ?? 0) + 50);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 150, (box?.y ?? 0) + 50);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(page.url()).toMatch(/\?range=24h$/);

    await page.getByRole('button', { name: 'Custom' }).press('Enter');
    const fields = page.getByRole('dialog', { name: 'Custom' });
    await fields.getByLabel('From').fill('2026-01-02T10:00');
    await fields.getByLabel('To').fill('2026-01-02T09:00');
    await fields.getByRole('button', { name: 'Apply' }).press('Enter');
    await fields.getByText('The end must be later than the start.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const [earlier = '', later = ''] = await page.evaluate(() =>
      [-120, 2].map(minutes => {
        const at = Date.now() + minutes * 60_000;
        return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
      }),
    );
    await fields.getByLabel('From').fill(earlier);
    await fields.getByLabel('To').fill(later);
    await fields.getByLabel('To').press('Enter');
    await page.waitForURL(/from=.*&to=/);

    // As many are listed as the figure says, of these two moments too.
    const received = funnel.getByRole('link', { name: /^Received \d/ });
    await page.getByText(/^Events received \d+ \w+, \d\d:\d\d to/).waitFor();
    const figure = Number(/\d+/.exec(await received.innerText())?.[0]);
    await received.click();
    await page.waitForURL(/after=.*&before=/);
    await until(
      async () => (await page.getByRole('table').getByRole('row').count()) === figure + 1,
      `Not ${figure} events are listed.`,
    );
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('no time is cut on a phone, of today or of another day', async () => {
    const { page } = await visit(chromium, service.url, '/events', {
      as: owner,
      size: { width: 390, height: 844 },
    });
    for (const days of [0, 40]) {
      await page.clock.setFixedTime(Date.now() + days * 86_400_000);
      for (const path of ['/events', '/live', '/deliveries']) {
        await page.goto(`${service.url}${path}`);
        await page.locator('[role="row"] time').first().waitFor();
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll('[role="row"] time')].flatMap(time => {
            const cell = time.closest('[role="cell"]');
            const isCut =
              cell === null ||
              cell.scrollWidth > cell.clientWidth ||
              time.getBoundingClientRect().bottom > (cell.parentElement?.getBoundingClientRect().bottom ?? 0);
            return isCut ? [time.textContent] : [];
          }),
        );
        expect(cut, path).toEqual([]);
      }
    }
    // The next visit is to have the right time again.
    await page.context().close();
  });

  test('leads a newcomer to the first event, and asks nothing of those who may not', async () => {
    const fresh = await stranger(service.url, owner, 'new@example.com');
    const { page } = await visit(chromium, service.url, '/', { as: fresh });
    await page.getByRole('link', { name: 'Send a first event' }).click();
    await page.waitForURL(/\/welcome/);
    await leave(page);
    const viewer = await join(service.url, fresh, 'looker@example.com', 'viewer');
    const seen = await visit(chromium, service.url, '/', { as: viewer });
    await seen.page.getByText('A member of this organisation can create the first source.').waitFor();
    expect(await seen.page.getByRole('link', { name: 'Send a first event' }).count()).toBe(0);
    await leave(seen.page);
  });
});

describe('the time of figures', () => {
  test.each([
    ['/sources', 'Shop'],
    ['/pipelines', 'Orders'],
    ['/destinations', 'Inbox'],
  ])(
    'of %s is the last hour unless another is chosen, and goes along to the page of a row',
    async (list, name) => {
      const { page, faults } = await visit(chromium, service.url, list, { as: owner });
      const time = page.getByRole('radiogroup', { name: 'Time range' });
      const isOf = (span: string) =>
        time.getByRole('radio', { name: span, exact: true, checked: true }).waitFor({ state: 'attached' });
      await isOf('1 h');
      expect(await time.getByRole('radio').count()).toBe(2);
      await time.getByText('24 h').click();
      await page.waitForURL(/\?within=24h$/);
      await isOf('24 h');
      await page.getByRole('table').getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await isOf('24 h');
      expect(new URL(page.url()).search).toBe('?within=24h');
      expect(await time.getByRole('radio').count()).toBe(4);
      await time.getByText('30 d').click();
      await page.waitForURL(/\?within=30d$/);
      await page.reload();
      await isOf('30 d');
      await time.getByText('1 h').click();
      await page.waitForURL(url => url.search === '');

      await page.goBack();
      await page.waitForURL(new RegExp(`${list}\\?within=24h$`));
      await isOf('24 h');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`${list}/\\w+\\?within=24h$`));
      expect(faults).toEqual([]);
      await leave(page);
    },
  );
});
