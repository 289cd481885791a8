import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
