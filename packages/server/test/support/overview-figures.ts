import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from './until.ts';

/** The figures of the overview that lead somewhere, followed one by one: each is as long as the list behind it. */

/** By the last part of their addresses. */
const lists: Readonly<Record<string, string>> = {
  events: 'Events',
  deliveries: 'Deliveries',
  'dead-letters': 'Dead letters',
  destinations: 'Destinations',
};

interface FigureLink {
  readonly address: string;
  /** Its own text, and that of what it stands in, line by line. */
  readonly lines: readonly string[];
  readonly around: readonly string[];
}

/** Below what is drawn when somebody comes to it. */
const comeTo = (page: Page) => page.getByRole('heading', { name: 'Backlog' }).scrollIntoViewIfNeeded();

async function openOverview(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await comeTo(page);
  for (const name of ['Top event types', 'Top errors'])
    await page.getByRole('list', { name }).waitFor({ state: 'attached' });
}

/**
 * Answers what was followed, each as `what it says: how many`; `some`: those that lead to a list of nothing are left out.
 * In a tab beside it, since drawing the overview again after each takes longer than everything else.
 */
export async function followEveryFigure(
  page: Page,
  which: 'all' | 'some' = 'all',
  /** What links say when nothing is under way that would be elsewhere a moment later. */
  atRest: readonly RegExp[] = [],
): Promise<string[]> {
  await openOverview(page);
  let found: FigureLink[] = [];
  // Read at once: a figure that was at rest may have moved on while another one is waited for.
  await until(async () => {
    found = await readLinks(page);
    return atRest.every(figure => found.some(({ lines }) => figure.test(lines.join(' '))));
  }, 'The figures do not come to rest.');
  const figures = found.flatMap(one => {
    const list = lists[listIn(one)];
    return list === undefined ? [] : [{ ...one, list }];
  });
  const delivered = figures.find(({ lines }) => lines[0] === 'Delivered' && !isShare(lines));
  const beside = await page.context().newPage();
  beside.setDefaultTimeout(120_000);
  await beside.goto(new URL('/account', page.url()).href);
  const followed: string[] = [];
  const seen = new Set<string>();
  for (const figure of figures) {
    const { address, lines, list } = figure;
    // A share and a latency are those of what was delivered.
    const count = figureOf(isShare(lines) && delivered ? delivered : figure);
    const label = `${lines.join(' ')}: ${count}`;
    expect(count, label).not.toBeNull();
    if (which === 'some' && count === 0) continue;
    followed.push(label);
    // Several may count the same and lead to the same list.
    const way = `${address} ${count}`;
    if (seen.has(way)) continue;
    seen.add(way);
    await follow(beside, address);
    await expectListed(beside, list, count ?? 0, label);
  }
  await beside.close();
  return followed;
}

/** The links of the page as they are at one moment. */
function readLinks(page: Page): Promise<FigureLink[]> {
  return page.locator('main a').evaluateAll(links => {
    const linesOf = (element: HTMLElement | null) =>
      (element?.innerText ?? '')
        .split('\n')
        .map(line => line.trim())
        .filter(line => line !== '');
    return links.map(link => ({
      address: link.getAttribute('href') ?? '',
      lines: linesOf(link as HTMLElement),
      around: linesOf(link.closest('div')),
    }));
  });
}

/** Goes from address to address as the dashboard's own links do, by way of a page that lists nothing. */
async function follow(beside: Page, address: string): Promise<void> {
  const go = (to: string) => beside.evaluate(path => history.pushState(null, '', path), to);
  await go(address.replace(/[\w-]+\?.*/, 'account'));
  await beside.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  await go(address);
}

/** Whether the page that a link led to lists so many; a list of nothing has no head either. */
export async function expectListed(page: Page, name: string, count: number, label: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const rows = page.getByRole('table', { name, exact: true }).getByRole('row');
  if (count === 0) await page.getByText(/^No .* (match|yet)/).waitFor();
  const shown = count === 0 ? 0 : count + 1;
  await until(async () => (await rows.count()) === shown, `${label}, and the list has others.`);
  // What stands above it says the same.
  if (name !== 'Deliveries' || count === 0) return;
  await page.getByText(`${count} ${count === 1 ? 'delivery' : 'deliveries'}`, { exact: true }).waitFor();
}

/** Only what has a query is narrowed to a figure. */
const listIn = ({ address }: FigureLink): string => /([\w-]+)\?/.exec(address)?.[1] ?? '';

/** Of several lines none counts anything. */
const isShare = (lines: readonly string[]): boolean => lines.length > 1 && !lines.some(isCount);

const isCount = (line: string): boolean => /^[\d,]+( waiting| (destinations? )?(down|failing))?$/.test(line);

function figureOf({ lines, around }: FigureLink): number | null {
  const line = lines.findLast(isCount) ?? around.findLast(isCount);
  return line === undefined ? null : Number(line.replaceAll(/\D/g, ''));
}
