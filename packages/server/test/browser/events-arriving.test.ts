import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { seconds } from '../../src/core/clock.ts';
import { type BrowsedShop, openBrowsedShop } from '../support/browsed-shop.ts';
import { leave, rowOf, visit } from '../support/browser-page.ts';
import { dataOf, stranger } from '../support/dashboard.ts';
import { startFlow } from '../support/flow.ts';
import { makeInbox, makePipeline } from '../support/pipelines.ts';
import { startReceiver } from '../support/receiver.ts';

/** Events as they come: the first of all, in their list, in the live tail, and on pages that were empty before. */

let shop: BrowsedShop;
beforeAll(async () => {
  shop = await openBrowsedShop();
});
afterAll(() => shop.stop());

/** Does what somebody does who pastes the command that is shown, and types what it asks for. */
async function paste(page: Page, typed: string): Promise<void> {
  const command = await page.locator('pre').filter({ hasText: 'curl' }).innerText();
  const shell = Bun.spawn(['sh', '-c', command], { stdin: Buffer.from(`${typed}\n`), stderr: 'ignore' });
  expect(JSON.parse((await new Response(shell.stdout).text()).replace(/^.*?: (?={)/, ''))).toHaveProperty(
    'data',
  );
}

describe('the list of events', () => {
  test('says how to send the first one, and shows it by itself when it has come', async () => {
    const newcomer = await stranger(shop.service.url, shop.owner, 'newcomer@example.com');
    const { page, faults } = await shop.open('/events', newcomer);
    await page.getByText('No events yet.').waitFor();
    const { secret: key } = dataOf<{ secret: string }>(await newcomer.post('/keys', { name: 'k' }));
    await paste(page, key);
    await rowOf(page, 'order.paid').getByText('unrouted').waitFor();
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('refreshes itself at its top, and elsewhere offers what has come since', async () => {
    for (let n = 0; n < 120; n++) await shop.send(`many.${n}`);
    const { page } = await shop.open('/events');
    await rowOf(page, 'many.119').waitFor();
    await shop.send('turned.by.itself');
    await rowOf(page, 'turned.by.itself').waitFor();
    await page.getByRole('table').hover();
    await page.mouse.wheel(0, 1_500);
    await rowOf(page, 'many.84').waitFor();
    await shop.send('came.later');
    await page.getByRole('button', { name: 'Show new events' }).click();
    await rowOf(page, 'came.later').waitFor();
    await leave(page);
  });

  test('shows that a retry has delivered what came long before', async () => {
    let [status, aheadMs] = [503, 0];
    const receiver = startReceiver(() => new Response('', { status }));
    const flow = await startFlow({ clock: { now: () => Date.now() + aheadMs } });
    const { id } = await flow.destination({
      kind: 'webhook',
      name: 'Fails at first',
      config: { url: receiver.url },
      policy: { attempts: 3, schedule_s: [0, 60], timeout_s: 30 },
    });
    await flow.routeTo({ id });
    const { page } = await visit(shop.chromium, flow.service.url, '/events', { as: flow.browser });
    await page.getByText('No events yet.').waitFor();
    await flow.send({}, 'retried.order');
    await rowOf(page, 'retried.order').getByText('failing').waitFor();
    status = 200;
    aheadMs += seconds(20);
    // With the second of these a look is over that goes back to before it came no more.
    for (const type of ['later.one', 'later.two']) {
      await flow.send({}, type);
      await rowOf(page, type).getByText('delivered', { exact: true }).waitFor();
    }
    await rowOf(page, 'retried.order').getByText('failing').waitFor();
    aheadMs += seconds(61);
    await rowOf(page, 'retried.order').getByText('delivered', { exact: true }).waitFor();
    await leave(page);
    await flow.stop();
    await receiver.stop();
  });
});

test('what other empty pages give to be pasted works too', async () => {
  const newcomer = await stranger(shop.service.url, shop.owner, 'another@example.com');
  const { secret: key } = dataOf<{ secret: string }>(await newcomer.post('/keys', { name: 'k' }));
  const { id, secret } = dataOf<{ id: string; secret: string }>(
    await newcomer.post('/sources', { kind: 'webhook', name: 'Shop' }),
  );
  const inbox = await makeInbox(newcomer);
  await makePipeline(newcomer, { name: 'All', sources: [id], destinations: [{ id: inbox }] });
  const { page } = await shop.open('/deliveries', newcomer);
  await page.getByText('Send something to “Shop”', { exact: false }).waitFor();
  await paste(page, secret);
  await rowOf(page, 'Inbox').getByText('delivered', { exact: true }).waitFor();
  await page.goto(`${shop.service.url}/entities`);
  await page.getByText('No entities yet.', { exact: false }).waitFor();
  await paste(page, key);
  await page.getByRole('link', { name: 'c_42' }).click();
  await page.getByText('No events yet. An event names the entity', { exact: false }).waitFor();
  await paste(page, key);
  await page.getByRole('link', { name: 'customer.seen' }).waitFor();
  await leave(page);
});

describe('the tail', () => {
  test('shows what comes, pauses by hand and while it is scrolled, and says what has come meanwhile', async () => {
    // Enough that there is something to scroll.
    for (let n = 0; n < 40; n++) await shop.send(`tail.before.${n}`);
    const { page, faults } = await shop.open('/live');
    await page.getByRole('status').getByText('live').waitFor();
    await shop.send('tail.first');
    await rowOf(page, 'tail.first').getByText('unrouted').waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await shop.send('tail.second');
    await shop.send('tail.third');
    const meanwhile = page.getByRole('button', { name: '2 new events' });
    await meanwhile.waitFor();
    expect(await rowOf(page, 'tail.second').count()).toBe(0);
    await meanwhile.click();
    await rowOf(page, 'tail.second').waitFor();

    await page.getByRole('table').hover();
    await page.mouse.wheel(0, 400);
    await page.getByRole('status').getByText('paused').waitFor();
    await shop.send('tail.fourth');
    await page.getByRole('button', { name: '1 new event' }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await rowOf(page, 'tail.fourth').waitFor();
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('is narrowed like the list, and comes back after a break with what it missed', async () => {
    const line = await layLine(new URL(shop.service.url).port);
    const { page } = await visit(shop.chromium, line.url, '/live?type=broken', { as: shop.owner });
    await page.getByText('No matching events yet.').waitFor();
    await shop.send('broken');
    await rowOf(page, 'broken').waitFor();
    line.cut();
    await page.getByRole('status').getByText('connecting…').waitFor();
    const missed = await shop.send('broken');
    await shop.send('not.asked.for');
    line.restore();
    await page.getByText(missed).waitFor();
    await page.getByRole('status').getByText('live').waitFor();
    expect(await rowOf(page, 'not.asked.for').count()).toBe(0);
    await leave(page);
    line.close();
  });
});

/** A line to the server that can be cut: what is on it breaks off, and who calls again is hung up on. */
async function layLine(port: string) {
  const ends = new Set<Socket>();
  let isCut = false;
  const line = createServer(near => {
    if (isCut) return near.destroy();
    const far = connect(Number(port), '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end.pipe(other);
      end.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  await new Promise<void>(resolve => line.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    isCut = true;
    for (const end of ends) end.destroy();
  };
  return {
    url: `http://127.0.0.1:${(line.address() as AddressInfo).port}`,
    cut,
    restore() {
      isCut = false;
    },
    close() {
      cut();
      line.close();
    },
  };
}
