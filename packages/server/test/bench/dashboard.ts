import type { Page } from 'playwright-core';
import { launchChromium } from '../support/browser-page.ts';
import { until } from '../support/until.ts';
import { ingestLoad } from './endpoints.ts';
import { atMost, type Section, thousands } from './figure.ts';
import { type MeasuredSluice, startSluice } from './servers.ts';
import { drive, median } from './wrk.ts';

const STORED_EVENTS = 1_000_000;
const ROUNDS = 5;

/** How quickly pages open in Chromium, with a million events behind them. */
export const dashboardSection: Section = {
  name: 'dashboard',
  about: `The dashboard in Chromium, with ${thousands(STORED_EVENTS)} events stored on embedded SQLite`,
  minutes: 3,
  async run() {
    const sluice = await startSluice();
    const chromium = await launchChromium();
    try {
      const fresh = await medianOf(async () => {
        const context = await chromium.newContext();
        const ms = await timeToOpen(await context.newPage(), `${sluice.url}/login`);
        await context.close();
        return ms;
      });
      const event = await fill(sluice);
      const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } });
      const [name = '', value = ''] = sluice.cookie.split('=');
      await context.addCookies([{ name, value, url: sluice.url }]);
      const page = await context.newPage();
      const opened: { path: string; ms: number }[] = [];
      for (const path of pages(event)) {
        await timeToOpen(page, `${sluice.url}${path}`);
        opened.push({ path, ms: await medianOf(() => timeToOpen(page, `${sluice.url}${path}`)) });
      }
      opened.sort((a, b) => b.ms - a.ms);
      const [slowest] = opened;
      if (!slowest) throw new Error('nothing was measured');
      return [
        atMost('first load of the login with an empty cache, until it can be typed into, ms', fresh, 1_500),
        atMost(
          'the page that takes longest to open, until what is on it is there, ms',
          slowest.ms,
          500,
          ` (${slowest.path.replace(event, '…')})`,
        ),
      ];
    } finally {
      await chromium.close();
      await sluice.stop();
    }
  },
};

const pages = (event: string): string[] => [
  '/',
  '/live',
  '/events',
  '/events?state=processed',
  '/events?type=order.created',
  `/events/${event}`,
  '/deliveries',
  '/dead-letters',
  '/sources',
  '/pipelines',
  '/destinations',
  '/entities',
  '/settings/health',
];

/** Until its heading is there and nothing on it is loading any more. */
async function timeToOpen(page: Page, url: string): Promise<number> {
  const started = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForFunction(
    () =>
      document.querySelector('h1') !== null &&
      document.querySelector('[aria-label="Loading"], [aria-busy="true"]') === null,
  );
  return performance.now() - started;
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await measure());
  return median(times);
}

/** Through the ingest endpoint and a pipeline to the inbox; answers one event's id. */
async function fill(sluice: MeasuredSluice): Promise<string> {
  const inbox = await sluice.post<{ id: string }>('/destinations', { kind: 'inbox', name: 'Inbox' });
  const source = await sluice.post<{ id: string }>('/sources', { kind: 'sdk', name: 'All', match: '*' });
  let stored = 0;
  while (stored < STORED_EVENTS) {
    const { requestsPerSecond } = await drive(ingestLoad(sluice, 100, 5));
    stored += requestsPerSecond * 5 * 100;
  }
  await until(
    async () => (await count(sluice, 'state=accepted')) === 0,
    'It does not come to rest.',
    600_000,
  );
  await sluice.post('/pipelines', { name: 'All', sources: [source.id], destinations: [{ id: inbox.id }] });
  await drive(ingestLoad(sluice, 1, 1));
  await until(
    async () => (await count(sluice, 'state=accepted')) === 0,
    'It does not come to rest.',
    600_000,
  );
  const response = await fetch(`${sluice.url}/dashboard/api/events?state=processed&limit=1`, {
    headers: { Cookie: sluice.cookie },
  });
  return ((await response.json()) as { data: { id: string }[] }).data[0]?.id ?? '';
}

async function count(sluice: MeasuredSluice, filter: string): Promise<number> {
  const response = await fetch(`${sluice.url}/dashboard/api/events?${filter}&limit=1`, {
    headers: { Cookie: sluice.cookie },
  });
  return ((await response.json()) as { data: unknown[] }).data.length;
}
