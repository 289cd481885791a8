import type { Browser as Chromium, Page } from 'playwright-core';
import { launchChromium } from '../support/browser-page.ts';
import { pagesOf } from '../support/dashboard-pages.ts';
import { filesLoaded, sumOf, timeToOpen, watchLoading } from '../support/page-load.ts';
import { until } from '../support/until.ts';
import { ingestLoad } from './endpoints.ts';
import { atMost, type Figure, type Section, thousands } from './figure.ts';
import { liveFigures } from './live-page.ts';
import { type MeasuredSluice, startSluice } from './servers.ts';
import { drive, median } from './wrk.ts';

const STORED_EVENTS = 1_000_000;
const ROUNDS = 3;

/** How quickly every page opens in Chromium with a million events behind it, and how smoothly the live page moves. */
export const dashboardSection: Section = {
  name: 'dashboard',
  about: `The dashboard in Chromium, with ${thousands(STORED_EVENTS)} events stored on embedded SQLite`,
  minutes: 4,
  async run() {
    const sluice = await startSluice();
    const chromium = await launchChromium();
    try {
      const fresh = await medianOf(async () => {
        const context = await chromium.newContext();
        const page = await context.newPage();
        await watchLoading(page);
        const { first } = await timeToOpen(page, `${sluice.url}/login`);
        await context.close();
        return first;
      });
      const paths = await fill(sluice);
      return [
        atMost('first load of the login with an empty cache, until it can be typed into, ms', fresh, 1_500),
        ...(await loadFigures(await loggedIn(chromium, sluice), sluice)),
        ...(await pageFigures(await loggedIn(chromium, sluice), sluice, paths)),
        ...(await liveFigures(await loggedIn(chromium, sluice), sluice)),
      ];
    } finally {
      await chromium.close();
      await sluice.stop();
    }
  },
};

async function loggedIn(chromium: Chromium, { url, cookie }: MeasuredSluice): Promise<Page> {
  const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url }]);
  return context.newPage();
}

async function loadFigures(page: Page, { url }: MeasuredSluice): Promise<Figure[]> {
  await watchLoading(page);
  const { first, all } = await filesLoaded(page, url);
  await page.context().close();
  return [
    atMost(
      'compressed scripts, styles and fonts until the overview has its heading, KB',
      sumOf(first) / 1_024,
      300,
    ),
    atMost('what it loads unasked after that, KB', (sumOf(all) - sumOf(first)) / 1_024, 450),
  ];
}

async function pageFigures(
  page: Page,
  { url }: MeasuredSluice,
  paths: Readonly<Record<string, string>>,
): Promise<Figure[]> {
  await watchLoading(page);
  const opened: { name: string; first: number; all: number }[] = [];
  for (const [name, path] of Object.entries(paths)) {
    await timeToOpen(page, `${url}${path}`);
    const times = { first: [] as number[], all: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      const { first, all } = await timeToOpen(page, `${url}${path}`);
      times.first.push(first);
      times.all.push(all);
    }
    opened.push({ name, first: median(times.first), all: median(times.all) });
  }
  await page.context().close();
  opened.sort((a, b) => b.first - a.first);
  return opened.map(({ name, first, all }) =>
    atMost(
      `until the page “${name}” has its first contents, ms`,
      first,
      500,
      ` (${thousands(all)} until all of it is there)`,
    ),
  );
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await measure());
  return median(times);
}

/**
 * Through the ingest endpoint: most of it goes nowhere, the rest through a pipeline to the inbox, and some to somebody
 * who is away. Answers the pages to open, one of everything.
 */
async function fill(sluice: MeasuredSluice): Promise<Readonly<Record<string, string>>> {
  const all = await sluice.post<{ id: string }>('/sources', { kind: 'sdk', name: 'All', match: 'order.*' });
  const inbox = await sluice.post<{ id: string }>('/destinations', { kind: 'inbox', name: 'Inbox' });
  const away = await sluice.post<{ id: string }>('/destinations', {
    kind: 'webhook',
    name: 'Away',
    config: { url: 'http://127.0.0.1:1/', auth: { mode: 'none' } },
    policy: { attempts: 1 },
  });
  let stored = 0;
  while (stored < STORED_EVENTS) {
    const { requestsPerSecond } = await drive(ingestLoad(sluice, 100, 5));
    stored += requestsPerSecond * 5 * 100;
  }
  await atRest(sluice);
  const pipeline = await sluice.post<{ id: string }>('/pipelines', {
    name: 'All',
    sources: [all.id],
    destinations: [{ id: inbox.id }, { id: away.id, when: 'event.type == "order.refused"' }],
  });
  await drive(ingestLoad(sluice, 100, 2));
  await send(sluice, 'order.refused', 40);
  await atRest(sluice);
  const event = await first(sluice, '/events?state=processed&type=order.created');
  const { id: job } = await sluice.post<{ id: string }>(`/events/${event}/replay`, {});
  await sluice.post('/entities', { kind: 'customer', external_id: 'c_0', traits: { name: 'Ada' } });
  await until(
    async () => (await first(sluice, '/deliveries?state=dead')) !== '',
    'Nothing has died.',
    60_000,
  );
  const ids = {
    source: all.id,
    pipeline: pipeline.id,
    destination: inbox.id,
    event,
    dead: await first(sluice, '/deliveries?state=dead'),
    job,
    auditEntry: await first(sluice, '/audit'),
  };
  return {
    ...pagesOf({ ids }),
    'overview of 24 h': '/?range=24h',
    'overview of 30 d': '/?range=30d',
    'events by state': '/events?state=processed',
    'events by type': '/events?type=order.created',
    'deliveries by state': '/deliveries?state=delivered',
  };
}

async function send({ url, apiKey }: MeasuredSluice, type: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => ({ type, payload: {} }));
  const response = await fetch(`${url}/v1/ingest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ events }),
  });
  if (!response.ok) throw new Error(`The events were refused with ${response.status}.`);
}

/** The first row of a list; empty where there is none. */
async function first({ url, cookie }: MeasuredSluice, list: string): Promise<string> {
  const response = await fetch(`${url}/dashboard/api${list}${list.includes('?') ? '&' : '?'}limit=1`, {
    headers: { Cookie: cookie },
  });
  return ((await response.json()) as { data: { id: string }[] }).data[0]?.id ?? '';
}

const atRest = (sluice: MeasuredSluice) =>
  until(
    async () => (await first(sluice, '/events?state=accepted')) === '',
    'It does not come to rest.',
    600_000,
  );
