import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser as Chromium, chromium as engine } from 'playwright-core';
import { accessibilityFaults, leave, scrollsSideways, visit } from '../support/browser-page.ts';
import { type Browser, setUp } from '../support/dashboard.ts';
import { workspace } from '../support/markdown-blocks.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
let chromium: Chromium;
beforeAll(async () => {
  // No name is found, and no proxy asked: all that this browser can reach is the loopback, by its number.
  const cutOff = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--no-proxy-server'];
  [service, chromium] = await Promise.all([
    startTestService(),
    engine.launch({
      executablePath: '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--disable-dev-shm-usage', ...cutOff],
    }),
  ]);
  owner = await setUp(service);
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

test('with the network cut off every page of the guide is reached from the dashboard, by links alone', async () => {
  const { page, faults, strangers } = await visit(chromium, service.url, '/pipelines', { as: owner });
  const docs = page.getByRole('link', { name: 'Docs' });
  expect(await docs.getAttribute('href')).toBe('/docs/guide/pipelines');
  const [guide] = await Promise.all([page.context().waitForEvent('page'), docs.click()]);
  guide.on('pageerror', error => faults.push(String(error)));
  guide.on('console', message => message.type() === 'error' && faults.push(message.text()));
  await guide.getByRole('heading', { level: 1, name: 'Pipelines' }).waitFor();

  const seen = new Set<string>();
  const next = [new URL(guide.url()).pathname];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const answer = await guide.goto(`${service.url}${path}`, { waitUntil: 'load' });
    expect([path, answer?.status()]).toEqual([path, 200]);
    const found = await guide.evaluate(() => ({
      links: Array.from(document.querySelectorAll('a'), ({ pathname, origin }) => ({ pathname, origin })),
      unseen: Array.from(document.images, ({ src, naturalWidth }) => (naturalWidth > 0 ? '' : src)).filter(
        Boolean,
      ),
    }));
    expect([path, found.unseen]).toEqual([path, []]);
    for (const { pathname, origin } of found.links)
      if (origin === service.url && pathname.startsWith('/docs/guide/')) next.push(pathname);
  }
  const files = readdirSync(join(workspace, 'docs'), { recursive: true, encoding: 'utf8' });
  const wanted = files.filter(file => file.endsWith('.md')).map(file => `/docs/guide/${file.slice(0, -3)}`);
  expect([...seen].sort()).toEqual([...wanted, '/docs/guide/'].sort());
  expect([...faults, ...strangers]).toEqual([]);
  await leave(page);
});

test('a page of the guide is readable by anybody: light, dark, on a phone, and found by its search', async () => {
  const { page, faults, strangers } = await visit(chromium, service.url, '/docs/guide/concepts');
  const found = await accessibilityFaults(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await accessibilityFaults(page, 'colours')));
  await page.goto(`${service.url}/docs`);
  found.push(...(await accessibilityFaults(page)));
  await page.goto(`${service.url}/docs/guide/concepts`);
  expect(await page.getByRole('button', { name: 'Menu' }).isVisible()).toBe(false);
  await page.getByRole('navigation').getByRole('link', { name: 'Pipelines', exact: true }).waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  const title = await page.getByRole('heading', { level: 1 }).boundingBox();
  expect(title?.y).toBeLessThan(300);
  const entry = page.getByRole('navigation').getByRole('link', { name: 'Pipelines', exact: true });
  expect(await entry.isVisible()).toBe(false);
  found.push(...(await accessibilityFaults(page)));
  await page.getByRole('button', { name: 'Menu' }).click();
  await entry.waitFor();
  found.push(...(await accessibilityFaults(page)));
  await page.keyboard.press('Escape');
  await entry.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Menu' }).click();
  await entry.click();
  await page.getByRole('heading', { level: 1, name: 'Pipelines' }).waitFor();
  expect(await entry.isVisible()).toBe(false);

  for (const path of ['concepts', 'reference/cel', 'cookbook/stripe-to-slack']) {
    await page.goto(`${service.url}/docs/guide/${path}`);
    if (await scrollsSideways(page)) found.push(`${path} scrolls sideways on a phone`);
  }
  expect(found).toEqual([]);
  await page.getByRole('searchbox').fill('dead letters');
  await page.getByRole('searchbox').press('Enter');
  await page.getByRole('main').getByRole('link', { name: 'Deliveries and dead letters' }).click();
  await page.waitForURL('**/destinations#deliveries-and-dead-letters');
  // What stands in the text alone, with the words around it.
  await page.getByRole('searchbox').fill('standby quorum');
  await page.getByRole('searchbox').press('Enter');
  await page
    .getByRole('main')
    .getByText(/quorum/i)
    .first()
    .waitFor();
  if (await scrollsSideways(page)) found.push('the search scrolls sideways on a phone');
  found.push(...(await accessibilityFaults(page)));
  expect(found).toEqual([]);
  expect([...faults, ...strangers]).toEqual([]);
  await leave(page);
});

test('on a phone the API reference begins with its text, and its contents are folded up above it', async () => {
  const { page, faults } = await visit(chromium, service.url, '/docs');
  const entry = page.getByRole('navigation').getByRole('link', { name: 'Errors', exact: true });
  await entry.waitFor();
  expect(await page.getByText('Contents', { exact: true }).isVisible()).toBe(false);
  await page.setViewportSize({ width: 390, height: 844 });
  const title = await page.getByRole('heading', { level: 1 }).boundingBox();
  expect(title?.y).toBeLessThan(200);
  expect(await entry.isVisible()).toBe(false);
  const found = await accessibilityFaults(page);
  await page.getByText('Contents', { exact: true }).click();
  await entry.waitFor();
  found.push(...(await accessibilityFaults(page)));
  if (await scrollsSideways(page)) found.push('it scrolls sideways on a phone');
  await entry.click();
  await page.waitForURL('**/docs#errors');
  await page.getByRole('heading', { level: 2, name: 'Errors' }).waitFor();
  expect([...found, ...faults]).toEqual([]);
  await leave(page);
});

test('who is not logged in has the guide too', async () => {
  const { page } = await visit(chromium, service.url, '/login');
  const docs = page.getByRole('link', { name: 'Docs' });
  expect(await docs.getAttribute('href')).toBe('/docs/guide/accounts');
  await leave(page);
});
