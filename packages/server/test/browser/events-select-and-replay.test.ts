import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type BrowsedShop, openBrowsedShop } from '../support/browsed-shop.ts';
import { faultsForAnybody, leave, rowOf } from '../support/browser-page.ts';
import { join, listOf } from '../support/dashboard.ts';

/** Events are selected in their list, and what is selected is replayed. */

let shop: BrowsedShop;
beforeAll(async () => {
  shop = await openBrowsedShop();
});
afterAll(() => shop.stop());

describe('the list of events', () => {
  test('replays what is selected, and all that match', async () => {
    const { page } = await shop.open('/events?type=order.paid');
    await rowOf(page, 'order.paid').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const bar = page.getByRole('region', { name: 'Selected events' });
    await bar.getByText('1 event selected').waitFor();
    await bar.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.waitForURL(/\/jobs\/job_/);

    await page.goBack();
    await page.getByRole('checkbox', { name: /order\.paid/ }).check();
    await bar.getByRole('button', { name: 'Replay all that match' }).click();
    await page.getByText('Original versions').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.waitForURL(/\/jobs\/job_/);
    const [job] = listOf<{ request: unknown }>(await shop.owner.get('/jobs')).data;
    expect(job?.request).toEqual({ filter: { type: 'order.paid' }, version: 'original' });
    await leave(page);
  });

  test('lets go of what is selected when its filters change, and shows that its rows are those of before', async () => {
    const { page } = await shop.open('/events?type=order.paid');
    await page.getByRole('checkbox', { name: /order\.paid/ }).check();
    const bar = page.getByRole('region', { name: 'Selected events' });
    await bar.waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/api\/.*events\?.*type=order\.refunded/, async route => {
      await held.promise;
      return route.continue();
    });
    await page.getByRole('combobox', { name: 'Type' }).fill('order.refunded');
    const list = page.getByRole('table', { name: 'Events' });
    await list.and(page.locator('[aria-busy="true"]')).waitFor();
    expect(await bar.count()).toBe(0);
    await page.getByRole('combobox', { name: 'Type' }).blur();
    // Neither a key nor a press reaches what is no longer asked for.
    for (const key of ['j', 'x', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('checkbox', { name: /order\.paid/ }).click({ force: true });
    await rowOf(page, 'order.paid').getByRole('link').click({ force: true });
    expect(await bar.count()).toBe(0);
    held.resolve();
    await rowOf(page, 'order.refunded').waitFor();
    expect(await list.getAttribute('aria-busy')).toBeNull();
    await page.getByRole('combobox', { name: 'Type' }).fill('order.paid');
    await rowOf(page, 'order.paid').waitFor();
    expect(await page.getByRole('checkbox', { name: /order\.paid/ }).isChecked()).toBe(false);
    expect(await bar.count()).toBe(0);
    await leave(page);
  });

  test('selects all that are shown, and none of them again', async () => {
    const { page } = await shop.open(`/events?source=${shop.source}`);
    await rowOf(page, 'order.paid').waitFor();
    const all = page.getByRole('checkbox', { name: 'Select all shown' });
    await page.getByRole('checkbox', { name: /Select order\.paid/ }).check();
    expect(await all.evaluate(box => (box as HTMLInputElement).indeterminate)).toBe(true);
    await all.check();
    await page.getByText('2 events selected').waitFor();
    await all.uncheck();
    await page.getByText('2 events selected').waitFor({ state: 'detached' });
    // What says how many is there before any is, so that the first is announced too.
    await page.getByRole('status').evaluateAll(all => {
      for (const region of all) region.setAttribute('data-before', '');
    });
    await all.check();
    await page.locator('[role=status][data-before]').getByText('2 events selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).press('Enter');
    await page.getByText('2 events selected').waitFor({ state: 'detached' });
    expect(await all.evaluate(box => box === document.activeElement)).toBe(true);
    await leave(page);
  });

  test('offers a viewer nothing that would be refused', async () => {
    const viewer = await join(shop.service.url, shop.owner, 'viewer@example.com', 'viewer');
    const { page } = await shop.open('/events', viewer);
    await rowOf(page, 'page.viewed').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Replay/ }).count()).toBe(0);
    await leave(page);
  });

  test('selects no more than a replay takes, says so, and lets that be replayed', async () => {
    await Promise.all(Array.from({ length: 60 }, () => shop.send('crowd.came')));
    const { page, faults } = await shop.open('/events?type=crowd.came');
    await page.getByText('60 events', { exact: true }).waitFor();
    const all = page.getByRole('checkbox', { name: 'Select first 50' });
    const isMixed = () => all.evaluate(box => (box as HTMLInputElement).indeterminate);
    const bar = page.getByRole('region', { name: 'Selected events' });
    await all.click();
    await bar.getByText('50 of 60 events selected').waitFor();
    await bar.getByText('Up to 50 at a time; to include more, replay all that match.').waitFor();
    expect(await isMixed()).toBe(true);
    expect(await faultsForAnybody(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await bar.getByText('49 events selected').waitFor();
    expect(await bar.getByText('at a time').count()).toBe(0);
    await page.keyboard.press('x');
    await bar.getByText('50 of 60 events selected').waitFor();
    await bar.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('dialog').getByText('50 events run again', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await all.click();
    await bar.waitFor({ state: 'detached' });
    expect(await isMixed()).toBe(false);
    expect(faults).toEqual([]);
    await leave(page);
  });
});
