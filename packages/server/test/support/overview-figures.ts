import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from './until.ts';

/** The figures of the overview that lead somewhere, clicked one by one: each is as long as the list behind it. */

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

/** Answers what was clicked, each as `what it says: how many`; `some`: those that lead to a list of nothing are left out. */
export async function clickEveryFigure(page: Page, which: 'all' | 'some' = 'all'): Promise<string[]> {
  await openOverview(page);
  const found = await page.locator('main a').evaluateAll(links => {
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
  const figures = found.flatMap(one => {
    const list = lists[listIn(one)];
    return list === undefined ? [] : [{ ...one, list }];
  });
  const delivered = figures.find(({ lines }) => lines[0] === 'Delivered' && !isShare(lines));
  const clicked: string[] = [];
  for (const figure of figures) {
    const { address, lines, list } = figure;
    // A share and a latency are those of what was delivered.
    const count = figureOf(isShare(lines) && delivered ? delivered : figure);
    const label = `${lines.join(' ')}: ${count}`;
    expect(count, label).not.toBeNull();
    if (which === 'some' && count === 0) continue;
    const link = page.locator(`main a[href="${address}"]`).filter({ hasText: lines[0] ?? '' });
    await link.first().click();
    await expectListed(page, list, count ?? 0, label);
    clicked.push(label);
    await page.goBack();
    await openOverview(page);
  }
  return clicked;
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
