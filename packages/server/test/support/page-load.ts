import type { Page, Request } from 'playwright-core';
import { until } from './until.ts';

/** How a page of the dashboard is loaded, as the page itself knows it: from outside all of it is known too late. */

const HEADING = 'heading';
const CONTENTS = 'contents';
/** A page that has asked for nothing for so long is all there. */
const AT_REST_MS = 700;
/** Longer than a page waits for an idle moment before it asks for what lies further down. */
const IDLE_MS = 1_500;

/** For a page that is not open yet: marks when its heading stands, and each time when nothing of it is loading any more. */
export const watchLoading = (page: Page): Promise<unknown> =>
  page.addInitScript(
    ([heading, contents]) => {
      let isThere = false;
      const look = () => {
        const hasHeading = document.querySelector('h1') !== null;
        if (hasHeading && performance.getEntriesByName(heading).length === 0) performance.mark(heading);
        const isLoading = document.querySelector('[aria-label="Loading"], [aria-busy="true"]') !== null;
        const isNow = hasHeading && !isLoading;
        if (isNow && !isThere) performance.mark(contents);
        isThere = isNow;
      };
      new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
    },
    [HEADING, CONTENTS] as const,
  );

/**
 * Opens it, and says after how many milliseconds its contents stood. What stands at first is what somebody came for; what
 * lies further down, such as charts and a map, comes once the browser has time for it.
 */
export async function timeToOpen(
  page: Page,
  url: string,
  atRestMs = AT_REST_MS,
): Promise<{ first: number; all: number }> {
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForFunction(
    ([contents, restMs]) => {
      const marked = performance.getEntriesByName(contents).at(-1)?.startTime;
      const asked = performance.getEntriesByType('resource').at(-1)?.startTime ?? 0;
      return marked !== undefined && performance.now() - Math.max(marked, asked) > restMs;
    },
    [CONTENTS, atRestMs] as const,
  );
  return page.evaluate(contents => {
    const marks = performance.getEntriesByName(contents);
    return { first: marks[0]?.startTime ?? 0, all: marks.at(-1)?.startTime ?? 0 };
  }, CONTENTS);
}

/** The bytes of each script, style and font, compressed as it came. */
type Files = Readonly<Record<string, number>>;

/** Opens it with nothing loaded before: what it had asked for when its heading stood, and what it has asked for in all. */
export async function filesLoaded(page: Page, url: string): Promise<{ first: Files; all: Files }> {
  const underWay = new Set<Request>();
  const isFile = (request: Request) => !request.url().includes('/dashboard/api/');
  page.on('request', request => isFile(request) && underWay.add(request));
  page.on('requestfinished', request => underWay.delete(request));
  page.on('requestfailed', request => underWay.delete(request));
  await timeToOpen(page, url, IDLE_MS);
  await until(() => underWay.size === 0, 'Something is loaded without end.');
  return page.evaluate(async heading => {
    await document.fonts.ready;
    const until = performance.getEntriesByName(heading)[0]?.startTime ?? 0;
    const files = (
      [
        ...performance.getEntriesByType('navigation'),
        ...performance.getEntriesByType('resource'),
      ] as PerformanceResourceTiming[]
    ).filter(({ name }) => !name.includes('/dashboard/api/'));
    // What is asked for again comes from the cache, with no bytes.
    const bytesOf = (some: typeof files) => {
      const bytes: Record<string, number> = {};
      for (const { name, transferSize } of some) bytes[name] = (bytes[name] ?? 0) + transferSize;
      return bytes;
    };
    return { first: bytesOf(files.filter(({ startTime }) => startTime <= until)), all: bytesOf(files) };
  }, HEADING);
}

export const sumOf = (files: Files): number => Object.values(files).reduce((sum, bytes) => sum + bytes, 0);
