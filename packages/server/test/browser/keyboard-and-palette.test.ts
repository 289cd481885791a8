import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type BrowsedShop, openBrowsedShop } from '../support/browsed-shop.ts';
import { leave, rowOf } from '../support/browser-page.ts';
import { listOf } from '../support/dashboard.ts';
import { until } from '../support/until.ts';

/** The dashboard without a mouse: its keys, and the palette that finds anything, at the example of events. */

let shop: BrowsedShop;
beforeAll(async () => {
  shop = await openBrowsedShop();
});
afterAll(() => shop.stop());

describe('the list of events', () => {
  test('is gone through by keys, and what is marked opens', async () => {
    const { page } = await shop.open('/events');
    await rowOf(page, 'page.viewed').waitFor();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    const [, second] = listOf<{ id: string }>(await shop.owner.get('/events')).data;
    await page.waitForURL(`**/events/${second?.id}`);
    await leave(page);
  });

  test('ignores keys while a dialog or a menu is open', async () => {
    const { page } = await shop.open('/events?type=order.paid');
    await page.getByRole('checkbox', { name: /order\.paid/ }).check();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    for (const key of ['g', 'o', 'j', 'x']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('1 event selected').waitFor();
    await page.getByRole('button', { name: /Acme/ }).click();
    await page.getByRole('menu').waitFor();
    for (const key of ['g', 'o', 'j', 'x']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByText('1 event selected').waitFor();
    expect(new URL(page.url()).pathname).toBe('/o/acme/events');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.waitForURL(`${shop.service.url}/o/acme`);
    await leave(page);
  });

  test('counts its heading among its rows, and says which keys there are on this system', async () => {
    const { page } = await shop.open('/events?type=order.paid');
    await rowOf(page, 'order.paid').waitFor();
    expect(await rowOf(page, 'order.paid').getAttribute('aria-rowindex')).toBe('2');
    expect(await page.getByRole('row').first().getAttribute('aria-rowindex')).toBe('1');
    expect(await page.getByRole('table', { name: 'Events' }).getAttribute('aria-rowcount')).toBe('2');
    await page.getByRole('button', { name: 'Find anything Ctrl K' }).waitFor();
    await leave(page);
    const mac = await shop.open('/login');
    await mac.page.addInitScript(() =>
      Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }),
    );
    await mac.page.goto(`${shop.service.url}/events`);
    await mac.page.getByRole('button', { name: 'Find anything ⌘ K' }).waitFor();
    await leave(mac.page);
  });

  test('is found by a type in the palette, as the first hit and among what was picked last', async () => {
    const { page, faults } = await shop.open('/sources');
    const find = page.getByRole('button', { name: 'Find anything Ctrl K' });
    await find.click();
    const field = page.getByRole('textbox', { name: 'Find anything' });
    await field.fill('order.pa');
    await page.getByRole('button', { name: 'order.paid Event type' }).waitFor();
    await field.press('Enter');
    await page.waitForURL(/\/events\?type=order\.paid$/);
    await rowOf(page, 'order.paid').waitFor();
    await page.goto(`${shop.service.url}/sources`);
    await find.click();
    await page.getByRole('button', { name: 'order.paid Event type' }).click();
    await page.waitForURL(/\/events\?type=order\.paid$/);
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('is reached from the palette by arrows, and by Enter also where what was chosen is gone', async () => {
    const { page, faults } = await shop.open('/sources');
    const held = Promise.withResolvers<void>();
    const hit = (name: string) => ({
      kind: 'source',
      id: `src_${name}`,
      label: name,
      to: `/events?text=${name}`,
    });
    await page.route(/\/search\?text=/, async route => {
      const isLonger = route.request().url().endsWith('=zedd');
      if (isLonger) await held.promise;
      return route.fulfill({ json: { data: isLonger ? [hit('third')] : [hit('first'), hit('second')] } });
    });
    await page.getByRole('button', { name: 'Find anything Ctrl K' }).click();
    const field = page.getByRole('textbox', { name: 'Find anything' });
    const entries = page.locator('[data-palette] [data-action]');
    const marked = () =>
      entries.evaluateAll(all => all.flatMap((one, n) => (one.hasAttribute('data-selected') ? [n] : [])));
    const isMarked = (n: number) =>
      until(async () => (await marked()).join() === String(n), `Not ${n} is marked.`);
    // The first is marked as soon as it is seen, and an arrow goes on from there.
    await isMarked(0);
    await field.press('ArrowDown');
    await isMarked(1);
    await field.fill('zed');
    await entries.filter({ hasText: 'second' }).waitFor();
    await field.fill('zedd');
    await isMarked(0);
    await field.press('ArrowDown');
    await isMarked(1);
    held.resolve();
    await entries.filter({ hasText: 'third' }).waitFor();
    await isMarked(0);
    await field.press('Enter');
    await page.waitForURL(/\/events\?text=third$/);
    expect(faults).toEqual([]);
    await leave(page);
  });
});
