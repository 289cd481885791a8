import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type PageInspection, startPageInspection } from '../support/page-inspection.ts';
import { filesLoaded, sumOf, timeToOpen, watchLoading } from '../support/page-load.ts';

/** Pages of the side bar's groups Monitor and Data, and those for everybody; and how the dashboard is loaded. */

let inspection: PageInspection;
beforeAll(async () => {
  inspection = await startPageInspection();
});
afterAll(() => inspection.stop());

const FIRST_LOAD_BYTES = 300 * 1024;
const UNASKED_BYTES = 450 * 1024;
const MOST_FILES = 75;

describe('light and dark, on a screen, on a phone and at 200 %: no fault of accessibility or of a script, nothing that scrolls sideways', () => {
  test('on every page', async () => {
    expect(await inspection.pages('monitor and data')).toEqual({});
  });

  test('in every dialog and menu, each of which has a name', async () => {
    expect(await inspection.dialogs('monitor and data')).toEqual({});
  });

  test('on the pages for everybody', async () => {
    expect(await inspection.openPages()).toEqual({});
  });
});

describe('the first load', () => {
  let page: Page;
  beforeEach(async () => {
    page = await (await inspection.chromium.newContext()).newPage();
    await watchLoading(page);
  });
  afterEach(() => page.context().close());

  const logIn = async () => {
    const [name = '', value = ''] = inspection.company.owner.setCookie?.split(';')[0]?.split('=') ?? [];
    await page.context().addCookies([{ name, value, url: inspection.company.service.url }]);
  };

  for (const [name, path] of Object.entries({ login: '/login', overview: '/' })) {
    test(`of the ${name} is under 300 KB, fonts and styles included, and what comes unasked after it under 450 KB`, async () => {
      if (name === 'overview') await logIn();
      const { first, all } = await filesLoaded(page, `${inspection.company.service.url}${path}`);
      expect(Object.keys(first).length).toBeGreaterThan(2);
      expect(sumOf(first), JSON.stringify(first, null, 1)).toBeLessThan(FIRST_LOAD_BYTES);
      expect(sumOf(all) - sumOf(first), JSON.stringify(all, null, 1)).toBeLessThan(UNASKED_BYTES);
    });
  }

  test('comes in few files: each costs a browser time of its own, however small it is', async () => {
    await logIn();
    const { all } = await filesLoaded(page, `${inspection.company.service.url}/events`);
    expect(Object.keys(all).length, Object.keys(all).join('\n')).toBeLessThan(MOST_FILES);
  });

  test('asks who is logged in beside the scripts of the page, not after them', async () => {
    await logIn();
    await timeToOpen(page, `${inspection.company.service.url}/events`);
    const startOf = (part: string) =>
      page.evaluate(
        part =>
          performance.getEntriesByType('resource').find(({ name }) => name.includes(part))?.startTime ?? 0,
        part,
      );
    expect(await startOf('/dashboard/api/session')).toBeGreaterThan(0);
    expect(await startOf('/dashboard/api/session')).toBeLessThanOrEqual(await startOf('/assets/shell-'));
  });

  test('leaves the options of filters until somebody comes to them', async () => {
    await logIn();
    await timeToOpen(page, `${inspection.company.service.url}/events`);
    expect(await page.locator('[role="option"]').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Outcome' }).hover();
    await page.locator('[role="option"]').first().waitFor({ state: 'attached' });
  });

  test('has our styles behind those of the library, which would win over them: cards stand out from the page', async () => {
    await logIn();
    await timeToOpen(page, `${inspection.company.service.url}/account`);
    const [card, surface, ground] = await page.evaluate(() => {
      const colourOf = (background: string) => {
        const probe = document.body.appendChild(document.createElement('div'));
        probe.style.background = background;
        return getComputedStyle(probe).backgroundColor;
      };
      const card = document.querySelector('[class*="_card_"]');
      return [
        card && getComputedStyle(card).backgroundColor,
        colourOf('var(--surface)'),
        colourOf('var(--mantine-color-body)'),
      ];
    });
    expect(card).toBe(surface ?? 'no colour');
    expect(card).not.toBe(ground ?? 'no colour');
  });
});

test('the script and the style sheet of the document are served compressed', async () => {
  const { url } = inspection.company.service;
  const document = await (await fetch(url)).text();
  const files = document.match(/\/assets\/index-[\w-]+\.(?:js|css)/g) ?? [];
  expect(files).toHaveLength(2);
  for (const encoding of ['br', 'gzip']) {
    for (const file of files) {
      const answer = await fetch(`${url}${file}`, { headers: { 'Accept-Encoding': encoding } });
      expect([file, answer.headers.get('content-encoding')]).toEqual([file, encoding]);
    }
  }
});

test('the document is served for the pages only: what is unknown is a 404 in the envelope', async () => {
  const { url } = inspection.company.service;
  for (const path of ['/', '/events', '/events/evt_1', '/settings/keys']) {
    const answer = await fetch(`${url}${path}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toStartWith('text/html');
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  for (const path of [
    '/nothing',
    '/assets/nothing.js',
    '/assets/..%2fpackage.json',
    '/v1/nothing',
    '/eventsx',
  ]) {
    const answer = await fetch(`${url}${path}`);
    expect(answer.status, path).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
  }
});
