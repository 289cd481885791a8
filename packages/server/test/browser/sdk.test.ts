import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/browser-page.ts';
import { until } from '../support/until.ts';

/** A site whose page has the SDK, and which hands on to Sluice what the page sends. */
const received: { type: string }[] = [];
let site: ReturnType<typeof Bun.serve>;
let browser: Browser;

beforeAll(async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../../sdk/src/index.ts')],
    target: 'browser',
  });
  const [script = new Blob()] = outputs;
  site = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/sdk.js': () => new Response(script, { headers: { 'content-type': 'text/javascript' } }),
      '/v1/ingest': async request => {
        const { events } = (await request.json()) as { events: { type: string }[] };
        received.push(...events);
        return Response.json({ data: { events: [] } }, { status: 202 });
      },
    },
    fetch: () =>
      new Response('<!doctype html><title>A shop</title>', { headers: { 'content-type': 'text/html' } }),
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await site.stop(true);
});

/** In the page. No batch is due for an hour, so that only `flush` or the end of the page sends it. */
const trackInPage = `async type => {
  const { createClient } = await import('/sdk.js');
  window.client = createClient({ url: location.origin, key: 'k', batchMs: 3_600_000 });
  return window.client.track(type, { path: location.pathname });
}`;

const arrives = (type: string) =>
  until(() => received.some(event => event.type === type), `${type} never arrived.`);

test('a page sends what it tracks', async () => {
  const page = await browser.newPage();
  await page.goto(site.url.href);
  expect(await page.evaluate(`(${trackInPage})('page.viewed')`)).toBe(true);
  await page.evaluate('window.client.flush()');
  await arrives('page.viewed');
  await page.close();
});

test('a page that is put away sends what it has, also in a browser that says only that', async () => {
  const page = await browser.newPage();
  await page.goto(site.url.href);
  await page.evaluate(`(${trackInPage})('page.hidden')`);
  await page.evaluate("window.dispatchEvent(new Event('pagehide'))");
  await arrives('page.hidden');
  await page.close();
});

test('a page that is left sends what it has on its way out', async () => {
  const page = await browser.newPage();
  await page.goto(site.url.href);
  await page.evaluate(`(${trackInPage})('page.left')`);
  await page.goto('about:blank');
  await arrives('page.left');
  await page.close();
  expect(received.filter(({ type }) => type === 'page.left')).toHaveLength(1);
});
