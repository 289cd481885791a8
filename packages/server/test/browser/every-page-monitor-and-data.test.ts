import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PageInspection, startPageInspection } from '../support/page-inspection.ts';
import { filesLoaded, sumOf, watchLoading } from '../support/page-load.ts';

/** Pages of the side bar's groups Monitor and Data, and those for everybody; and how the dashboard is loaded. */

let inspection: PageInspection;
beforeAll(async () => {
  inspection = await startPageInspection();
});
afterAll(() => inspection.stop());

const FIRST_LOAD_BYTES = 300 * 1024;
const UNASKED_BYTES = 450 * 1024;

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
  for (const [name, path] of Object.entries({ login: '/login', overview: '/' })) {
    test(`of the ${name} is under 300 KB, fonts and styles included, and what comes unasked after it under 450 KB`, async () => {
      const context = await inspection.chromium.newContext();
      const page = await context.newPage();
      if (name === 'overview') {
        const [cookie = '', value = ''] = inspection.company.owner.setCookie?.split(';')[0]?.split('=') ?? [];
        await context.addCookies([{ name: cookie, value, url: inspection.company.service.url }]);
      }
      await watchLoading(page);
      const { first, all } = await filesLoaded(page, `${inspection.company.service.url}${path}`);
      expect(Object.keys(first).length).toBeGreaterThan(2);
      expect(sumOf(first), JSON.stringify(first, null, 1)).toBeLessThan(FIRST_LOAD_BYTES);
      expect(sumOf(all) - sumOf(first), JSON.stringify(all, null, 1)).toBeLessThan(UNASKED_BYTES);
      await context.close();
    });
  }
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
