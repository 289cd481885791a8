import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser as Chromium } from 'playwright-core';
import { eventSummaryOf } from '../../src/core/event/summary.ts';
import { newId } from '../../src/core/ids.ts';
import { launchChromium, rowOf, visit } from '../support/browser-page.ts';
import { dataOf, setUp } from '../support/dashboard.ts';
import { everyStore } from '../support/every-store.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let quiet: TestService;
let chromium: Chromium;
beforeAll(async () => {
  // Nobody works on these events, so that all there is to do is to show them.
  const settings = { SLUICE_ROLES: 'ingest,dashboard' };
  [quiet, chromium] = await Promise.all([startTestService({ settings }), launchChromium()]);
});
afterAll(async () => {
  await chromium.close();
  await quiet.stop();
});

describe('a list of 100,000 events', () => {
  const EVENTS = 100_000;
  const CHUNK = 10_000;

  test('is scrolled anywhere as easily as a tenth of it', async () => {
    const reader = await setUp(quiet);
    const storage = everyStore(quiet.engine);
    const orgId = dataOf<{ organisation: { id: string } }>(await reader.get('/session')).organisation.id;
    for (let first = 0; first < EVENTS; first += CHUNK) await fill(quiet, orgId, first, CHUNK);

    const { page, faults } = await visit(chromium, quiet.url, '/login', { as: reader });
    // By the hundred, as the server sends them, it would take a minute to come to the end.
    let furtherRead = 0;
    await page.route(/\/dashboard\/api\/o\/[^/]+\/events\?/, async route => {
      const below = new URL(route.request().url()).searchParams.get('cursor');
      const read = await storage.listEvents(orgId, {}, { limit: CHUNK, below, budgetMs: 10_000 });
      if (below !== null) furtherRead++;
      await route.fulfill({ json: { data: read.events.map(eventSummaryOf), next_cursor: read.next } });
    });
    await page.goto(`${quiet.url}/events`);
    await rowOf(page, `n.${EVENTS - 1}`).waitFor();
    const scroller = page.getByRole('rowgroup');
    const rows = () => page.getByRole('table').getAttribute('aria-rowcount').then(Number);
    const inspector = await page.context().newCDPSession(page);
    // In time of the processor, since other tests may want it too.
    await inspector.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => {
      const { metrics } = await inspector.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
    };
    /** All over the list, forth and back, and a little further each time; not to its end, where more is read. */
    const longestOfScrolling = async () => {
      let longest = 0;
      for (let part = 1; part <= 40; part++) {
        const before = await spent();
        await scroller.evaluate(async (element, part) => {
          element.scrollTo({ top: (element.scrollHeight * ((part * 17) % 40)) / 50 });
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
        }, part);
        longest = Math.max(longest, (await spent()) - before);
      }
      return longest;
    };
    // What is done for the first time takes longer.
    await longestOfScrolling();
    // Otherwise earlier garbage may be collected during the measurement.
    const collect = () => inspector.send('HeapProfiler.collectGarbage');
    await collect();
    const longestOfFew = await longestOfScrolling();
    expect(furtherRead).toBe(0);

    const toEnd = () => scroller.evaluate(element => element.scrollTo({ top: element.scrollHeight }));
    const isAtEnd = async () => {
      await toEnd();
      // With the heading.
      return (await rows()) === EVENTS + 1;
    };
    await until(isAtEnd, 'the end of the list was not reached');
    await toEnd();
    await rowOf(page, 'n.0').last().waitFor();
    await collect();

    expect(await longestOfScrolling()).toBeLessThan(3 * longestOfFew + 20);
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    expect(faults).toEqual([]);
  });
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
