import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, faultsForAnybody } from '../support/browser-page.ts';
import { type Browser, dataOf } from '../support/dashboard.ts';
import { type DestinationsTab, openDestinationsTab } from '../support/destinations-tab.ts';
import { ingestWith } from '../support/endpoints.ts';
import type { Receiver } from '../support/receiver.ts';

/** What a destination sends is seen before anything is delivered: in a preview, and by sending a test. */

let tab: DestinationsTab;
let owner: Browser;
let receiver: Receiver;
let page: Page;
beforeAll(async () => {
  tab = await openDestinationsTab();
  ({ owner, receiver, page } = tab);
});
afterEach(() => expect(tab.faults.splice(0)).toEqual([]));
afterAll(() => tab.stop());

const sendEvents = async (...events: object[]) => {
  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
  await ingestWith(tab.service.url, secret)({ events });
};

describe('a test', () => {
  test('shows what was sent and the real answer', async () => {
    const config = { url: `${receiver.url}/teapot` };
    await tab.open(`/destinations/${await tab.makeDestination({ kind: 'webhook', name: 'Teapot', config })}`);
    await tab.press('Send a test');
    await page.getByText('status 418 · bad_status', { exact: false }).waitFor();
    await page.getByText(`POST ${receiver.url}/teapot`).waitFor();
    await page.getByText('short and stout', { exact: false }).waitFor();
    await page.getByText('sluice.test', { exact: false }).waitFor();
    expect(receiver.requests.at(-1)).toMatchObject({ method: 'POST', path: '/teapot' });
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('that arrives says so', async () => {
    const config = { url: `${receiver.url}/fine`, auth: { mode: 'bearer', secret: 'hush' } };
    await tab.open(`/destinations/${await tab.makeDestination({ kind: 'webhook', name: 'Fine', config })}`);
    await tab.press('Send a test');
    await page.getByText('status 200', { exact: false }).waitFor();
    await page.getByText('thanks').waitFor();
    expect(receiver.requests.at(-1)?.headers.get('authorization')).toBe('Bearer hush');
    expect(await page.content()).not.toContain('hush');
  });
});

test('is tried with any event: a recent one, one that is written, a saved one', async () => {
  const id = await tab.makeDestination({
    kind: 'webhook',
    name: 'Tried',
    config: { url: `${receiver.url}/tried` },
  });
  await sendEvents({ type: 'order.recent', payload: { note: 'as it came' } });
  await tab.open(`/destinations/${id}`);
  const dialog = page.getByRole('dialog');
  const tryWith = async (choose: () => Promise<void>, note: string) => {
    await tab.press('More tests');
    await page.getByRole('menuitem', { name: 'Test with an event…' }).click();
    await choose();
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('status 200', { exact: false }).waitFor();
    expect(receiver.requests.at(-1)?.body).toContain(note);
  };
  const recent = dialog.getByRole('combobox', { name: 'Recent event' });
  await tryWith(async () => {
    await recent.click();
    await page.getByRole('option', { name: /order\.recent/ }).click();
  }, 'as it came');
  await tryWith(async () => {
    await recent.click();
    await page.getByRole('option', { name: /order\.recent/ }).click();
    await dialog.getByRole('button', { name: 'Edit a copy' }).click();
    const text = dialog.getByRole('textbox', { name: 'Event' });
    await text.fill((await text.inputValue()).replace('as it came', 'as it was written'));
    await dialog.getByRole('button', { name: 'Save as test event' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Recent, changed');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Saved event' }).waitFor();
  }, 'as it was written');
});

describe('a message is seen before it is sent', () => {
  const hostile = '<img src=x onerror=alert(1)> <https://evil.test|here> [here](https://evil.test) @everyone';
  const preview = () => page.getByRole('group', { name: 'Preview' });

  test('while its text is written, as Slack, Discord and Telegram draw it', async () => {
    await sendEvents({ type: 'order.paid', icon: '🧾', payload: { id: 42, note: hostile } });
    for (const kind of ['slack', 'discord', 'telegram']) {
      await tab.open(`/destinations/new?kind=${kind}`);
      await preview().getByText('🧾 order.paid').waitFor();
      await preview().getByRole('link', { name: 'Open in Sluice' }).waitFor();
      // What an event holds is shown as it is: neither markup nor a link to somewhere else comes of it.
      await preview().getByText('<img src=x onerror=alert(1)>', { exact: false }).first().waitFor();
      expect(await preview().locator('img, script').count()).toBe(0);
      if (kind !== 'telegram') expect(await preview().locator('a[href*="evil.test"]').count()).toBe(0);
      await page.getByRole('textbox', { name: 'Text' }).fill('*{{payload.id}}* paid {{event.link}}');
      if (kind === 'telegram') await preview().getByText('*42* paid', { exact: false }).waitFor();
      else
        await preview()
          .locator(kind === 'slack' ? 'strong' : 'em')
          .getByText('42')
          .waitFor();
      await preview().locator('a[href*="/o/acme/events/evt_"]').waitFor();
      await page.getByRole('textbox', { name: 'Text' }).fill('{{payload.');
      await preview().getByRole('alert').waitFor();
      await page.getByRole('textbox', { name: 'Text' }).fill('');
    }
  });

  test('as a mail: with its HTML in a frame that runs and loads nothing, and as plain text', async () => {
    await tab.open('/destinations/new?kind=email');
    const mail = page.frameLocator('iframe[title="Email"]');
    await mail.getByRole('heading', { name: '🧾 order.paid' }).waitFor();
    await mail.getByText('<img src=x onerror=alert(1)>', { exact: false }).waitFor();
    expect(await page.locator('iframe[title="Email"]').getAttribute('sandbox')).toBe('');
    const box = mail.getByText('note', { exact: true });
    expect(await box.evaluate(cell => getComputedStyle(cell).color)).toBe('rgb(102, 112, 133)');
    await preview().getByText('Plain text').click();
    await preview()
      .getByText('Open in Sluice: http://sluice.example.com/o/acme/events/', { exact: false })
      .waitFor();
    await page.getByRole('textbox', { name: 'Subject' }).fill('Order {{payload.id}}');
    await preview().getByText('Order 42').waitFor();
    await preview().getByText('HTML', { exact: true }).click();
    expect(await faultsForAnybody(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Subject' }).fill('');
  });
});
