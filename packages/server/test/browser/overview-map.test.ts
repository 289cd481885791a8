import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser as Chromium } from 'playwright-core';
import {
  accessibilityFaults,
  launchChromium,
  leave,
  scrollsSideways,
  visit,
} from '../support/browser-page.ts';
import { type Browser, setUp, stranger } from '../support/dashboard.ts';
import { OPEN_TO_LOOPBACK } from '../support/delivery-process.ts';
import { type MadeSource, makeInbox, makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
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

test('the map shows every part with its arrows, and leads to their pages by keyboard', async () => {
  // A recent event has the arrows show a rate per minute.
  await settled(owner, await shop.send({ skip: true }));
  const { page, faults, strangers } = await visit(chromium, service.url, '/', {
    as: owner,
    colours: 'dark',
  });
  await page.getByRole('heading', { name: 'Map' }).scrollIntoViewIfNeeded();
  const map = page.getByLabel('Map of sources, pipelines and destinations');
  for (const name of [/^Shop webhook/, /^Orders pipeline/, /^Inbox inbox/, /^Broken webhook/]) {
    await map.getByRole('link', { name }).waitFor();
  }
  await map
    .getByText(/^\d+(\.\d+)?\/min$/)
    .first()
    .waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect([faults, strangers]).toEqual([[], []]);
  await map.getByRole('link', { name: /^Shop/ }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/pipelines\/pipe_/);
  await leave(page);
});

test('the map keeps its arrows while it is brought up to date', async () => {
  const { page } = await visit(chromium, service.url, '/', { as: owner });
  await page.getByRole('heading', { name: 'Map' }).scrollIntoViewIfNeeded();
  const map = page.getByLabel('Map of sources, pipelines and destinations');
  const arrows = map.locator('.react-flow__edge');
  await arrows.first().waitFor({ state: 'attached' });
  await map.evaluate(element => {
    const isArrow = (node: Node) =>
      node instanceof Element &&
      [node, ...node.querySelectorAll('*')].some(one => one.matches('.react-flow__edge'));
    new MutationObserver(changes => {
      if (changes.some(({ removedNodes }) => [...removedNodes].some(isArrow))) element.dataset.taken = 'yes';
    }).observe(element, { childList: true, subtree: true });
  });
  const shopNode = map.getByRole('link', { name: /^Shop webhook/ });
  const before = await shopNode.innerText();
  await settled(owner, await shop.send({ skip: true }));
  await until(async () => (await shopNode.innerText()) !== before, 'The map stays as it was.');
  expect(await map.getAttribute('data-taken')).toBeNull();
  await leave(page);
});

test('the map stands still for whoever asks their system for less motion', async () => {
  await settled(owner, await shop.send({ skip: true }));
  const { page } = await visit(chromium, service.url, '/', { as: owner });
  await page.getByRole('heading', { name: 'Map' }).scrollIntoViewIfNeeded();
  const moves = () =>
    page
      .locator('.react-flow__edge-path')
      .evaluateAll(arrows => arrows.some(arrow => arrow.getAnimations().length > 0));
  await until(moves, 'No arrow moves.');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await until(async () => !(await moves()), 'Arrows go on moving.');
  await page.context().close();
});

test('a map with many parts is drawn in full size, and fits a phone', async () => {
  const crowd = await stranger(service.url, owner, 'crowd@example.com');
  const inboxes = await Promise.all(Array.from({ length: 12 }, (_, n) => makeInbox(crowd, `Inbox ${n}`)));
  for (let n = 0; n < 12; n++) {
    const { id } = await makeWebhook(service.url, crowd, `Source ${n}`);
    const to = [inboxes[n] ?? '', inboxes[(n + 5) % 12] ?? ''];
    await makePipeline(crowd, { name: `Pipe ${n}`, sources: [id], destinations: to.map(id => ({ id })) });
  }
  const { page } = await visit(chromium, service.url, '/', { as: crowd });
  await page.getByRole('heading', { name: 'Map' }).scrollIntoViewIfNeeded();
  await page.getByRole('link', { name: /^Inbox 11/ }).waitFor();
  const boxes = page.getByRole('link', { name: /^(Inbox|Source|Pipe) \d+ / });
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    const heights = (await Promise.all((await boxes.all()).map(box => box.boundingBox()))).map(
      box => box?.height ?? 0,
    );
    expect(heights).toHaveLength(36);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(28);
    expect(await scrollsSideways(page)).toBe(false);
  }
  await leave(page);
});

test('the map says what waits and what died at each part, with no number over another', async () => {
  const { page } = await visit(chromium, service.url, '/', { as: owner });
  await page.getByRole('heading', { name: 'Map' }).scrollIntoViewIfNeeded();
  const map = page.getByLabel('Map of sources, pipelines and destinations');
  await map.getByRole('link', { name: /^Broken webhook 1 dead/ }).waitFor();
  await map.locator('.react-flow__edge.dying').waitFor({ state: 'attached' });
  expect(await map.locator('.react-flow__edge.dying').count()).toBe(1);
  const numbers = map.getByText(/\/min$|in 1h$/);
  const boxes = await Promise.all((await numbers.all()).map(number => number.boundingBox()));
  expect(boxes.length).toBeGreaterThan(1);
  for (const [n, a] of boxes.entries()) {
    for (const b of boxes.slice(n + 1)) {
      const isApart =
        !a ||
        !b ||
        a.x + a.width <= b.x ||
        b.x + b.width <= a.x ||
        a.y + a.height <= b.y ||
        b.y + b.height <= a.y;
      expect(isApart).toBe(true);
    }
  }
  await leave(page);
});
