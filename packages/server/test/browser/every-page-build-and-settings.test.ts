import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leave, scrollsSideways, visit } from '../support/browser-page.ts';
import { dialogsOf } from '../support/dashboard-dialogs.ts';
import { workspace } from '../support/markdown-blocks.ts';
import { type PageInspection, startPageInspection } from '../support/page-inspection.ts';

/** Pages of the side bar's groups Build and Settings, and any that belongs to no group. */

let inspection: PageInspection;
beforeAll(async () => {
  inspection = await startPageInspection();
});
afterAll(() => inspection.stop());

describe('light and dark, on a screen, on a phone and at 200 %: no fault of accessibility or of a script, nothing that scrolls sideways', () => {
  test('on every page', async () => {
    expect(await inspection.pages('build and settings')).toEqual({});
  });

  test('in every dialog and menu, each of which has a name', async () => {
    expect(await inspection.dialogs('build and settings')).toEqual({});
  });

  test('with no dialog left out', () => {
    const source = join(workspace, 'packages/dashboard/src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
    const drawing = files.filter(
      name =>
        name.endsWith('.tsx') &&
        /<(?:Modal|Menu|Drawer|Popover|HoverCard|Spotlight\.Root)\b(?!\.)/.test(
          readFileSync(join(source, name), 'utf8'),
        ),
    );
    const dialogs = dialogsOf(inspection.company);
    expect(drawing.sort()).toEqual(Object.keys(dialogs).sort());
    const elsewhere = Object.values(dialogs).filter(one => typeof one === 'string');
    expect(elsewhere.filter(file => !existsSync(join(import.meta.dir, file)))).toEqual([]);
  });
});

describe('on a small laptop every figure of a list is there, and none is cut', () => {
  const figures = {
    destinations: ['Delivered/h', 'Success', 'p95', 'Backlog', 'Last error', 'Deliveries over time'],
    sources: ['Events/h', 'Rejected', 'Last event', 'Events over time'],
    pipelines: ['In', 'Dropped', 'Failed', 'p95', 'Events over time'],
  };
  test.each(Object.entries(figures))('of %s', async (list, columns) => {
    const { company, chromium } = inspection;
    const { page } = await visit(chromium, company.service.url, `/${list}`, { as: company.owner });
    await page.getByRole('table').getByRole('link').first().waitFor();
    // They come after the rows.
    await page.locator('[role=row] svg polyline').first().waitFor({ state: 'attached' });
    await page.waitForFunction(() =>
      [...document.querySelectorAll('[role=cell][data-number]')].every(cell => cell.textContent !== '…'),
    );
    for (const width of [1_280, 1_024]) {
      await page.setViewportSize({ width, height: 800 });
      for (const name of columns) {
        const header = page.getByRole('columnheader', { name, exact: true });
        expect((await header.boundingBox())?.width, `${name} at ${width}`).toBeGreaterThan(20);
      }
      const cut = await page
        .locator('[role=row], [role=columnheader], [role=cell][data-number]')
        .evaluateAll(all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.outerHTML));
      expect(cut, `at ${width}`).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
    }
    await leave(page);
  });
});
