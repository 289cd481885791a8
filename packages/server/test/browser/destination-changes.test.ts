import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { leave, visit } from '../support/browser-page.ts';
import { type Browser, dataOf, join } from '../support/dashboard.ts';
import { type DestinationsTab, openDestinationsTab } from '../support/destinations-tab.ts';
import type { Receiver } from '../support/receiver.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** A destination is changed: saved, paused, rotated and deleted, by those who may. */

let tab: DestinationsTab;
let service: TestService;
let owner: Browser;
let receiver: Receiver;
let page: Page;
beforeAll(async () => {
  tab = await openDestinationsTab();
  ({ service, owner, receiver, page } = tab);
});
afterEach(() => expect(tab.faults.splice(0)).toEqual([]));
afterAll(() => tab.stop());

describe('a destination that exists', () => {
  test('keeps its secret when something else is saved, and shows its policy in words', async () => {
    const config = { url: `${receiver.url}/kept`, auth: { mode: 'bearer', secret: 'kept-secret' } };
    const id = await tab.makeDestination({ kind: 'webhook', name: 'Kept', config });
    await tab.open(`/destinations/${id}`);
    await page.getByLabel('Token').fill('typed and taken away');
    await page.getByLabel('Token').fill('');
    // There and back again: what was set is still set.
    await page.getByText('none', { exact: true }).click();
    await page.getByText('bearer', { exact: true }).click();
    await page.getByLabel('Name').fill('Kept as it was');
    await page.getByLabel('Max attempts').fill('3');
    await page.getByLabel('Retry schedule').fill('0, 1m, 1h');
    await page.getByText('3 attempts over about 61 minutes').waitFor();
    await tab.press('Save');
    await page.getByRole('heading', { name: 'Kept as it was' }).waitFor();
    await tab.press('Send a test');
    await page.getByText('status 200', { exact: false }).waitFor();
    expect(receiver.requests.at(-1)?.headers.get('authorization')).toBe('Bearer kept-secret');
    expect(dataOf(await owner.get(`/destinations/${id}`))).toMatchObject({
      policy: { attempts: 3, schedule_s: [0, 60, 3_600] },
    });
  });

  test('keeps what is being typed when its secret is rotated, and saves it without ending the rotation', async () => {
    const config = { url: `${receiver.url}/rotated`, auth: { mode: 'hmac' } };
    const id = await tab.makeDestination({ kind: 'webhook', name: 'Rotating', config });
    await tab.open(`/destinations/${id}`);
    await page.getByLabel('URL').fill(`${receiver.url}/moved`);
    await owner.post(`/destinations/${id}/rotate`, {});
    await page.getByText('It has changed in the meantime.', { exact: false }).waitFor();
    expect(await page.getByLabel('URL').inputValue()).toBe(`${receiver.url}/moved`);
    await tab.press('Save');
    // The notice goes when it is being saved, which is before it is saved.
    const read = async () =>
      dataOf<{ config: { url: string }; rotation: object }>(await owner.get(`/destinations/${id}`));
    await until(async () => (await read()).config.url === `${receiver.url}/moved`, 'It was not saved.');
    expect((await read()).rotation).toEqual({ previous_secret_until: expect.any(String) });
    await page.getByText('It has changed in the meantime.', { exact: false }).waitFor({ state: 'hidden' });
  });

  test('is not saved with delays that cannot be read: that is reported at their field', async () => {
    const id = await tab.makeDestination({ kind: 'inbox', name: 'Patient', policy: { schedule_s: [0, 5] } });
    await tab.open(`/destinations/${id}`);
    const [name, delays] = [page.getByLabel('Name'), page.getByLabel('Retry schedule')];
    await name.fill('Impatient');
    await delays.fill('0, soon');
    await page.getByText('Use delays such as').waitFor();
    await tab.press('Save');
    expect(await delays.evaluate(field => field === document.activeElement)).toBe(true);
    expect(await delays.getAttribute('aria-invalid')).toBe('true');
    expect(dataOf(await owner.get(`/destinations/${id}`))).toMatchObject({ name: 'Patient' });
    await delays.fill('0, 1m');
    await tab.press('Save');
    await page.getByRole('heading', { name: 'Impatient' }).waitFor();
    expect(dataOf(await owner.get(`/destinations/${id}`))).toMatchObject({ policy: { schedule_s: [0, 60] } });
  });

  test('is paused and resumed, has its secret rotated, and is deleted once that is confirmed', async () => {
    const config = { url: `${receiver.url}/signed`, auth: { mode: 'hmac' } };
    const id = await tab.makeDestination({ kind: 'webhook', name: 'Signed', config });
    await owner.post('/pipelines', { name: 'Sending', destinations: [{ id }] });
    await tab.open(`/destinations/${id}`);
    await page.getByRole('link', { name: 'Sending' }).waitFor();
    await tab.press('Pause');
    await page.getByText('Deliveries are held, and sent when it is resumed.', { exact: false }).waitFor();
    await tab.press('Resume');
    await page.getByRole('button', { name: 'Pause' }).waitFor();

    await tab.press('Rotate secret');
    // Only while both are valid, and that is said only where there is such a time.
    const both = page.getByText('While both are valid, deliveries carry a signature of each.');
    const overlap = page.getByRole('combobox', { name: 'Current secret stays valid for' });
    await both.waitFor();
    await overlap.click();
    await page.getByRole('option', { name: 'Not at all' }).click();
    await both.waitFor({ state: 'detached' });
    await overlap.click();
    await page.getByRole('option', { name: '1 day' }).click();
    await both.waitFor();
    await tab.press('Create new secret');
    await page.getByText('Copy this secret now').waitFor();
    await page.getByText('The previous secret is still valid', { exact: false }).waitFor();
    // Saving something else must not end the rotation.
    await page.getByLabel('Name').fill('Signed twice');
    await tab.press('Save');
    await page.getByRole('heading', { name: 'Signed twice' }).waitFor();
    await tab.press('Send a test');
    await page.getByText('status 200', { exact: false }).waitFor();
    expect(receiver.requests.at(-1)?.headers.get('x-service-signature')).toMatch(/^t=\d+,v1=\w+,v1=\w+$/);

    await tab.press('Delete');
    await page.getByText('its queued deliveries are cancelled', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/destinations');
    // It can be taken back until the page is left.
    await page.goto('about:blank');
    await until(async () => (await owner.get(`/destinations/${id}`)).status === 404, 'It is not deleted.');
  });
});

test('a viewer reads all of it and is offered nothing that would be refused', async () => {
  const config = { url: `${receiver.url}/seen`, auth: { mode: 'hmac' } };
  const id = await tab.makeDestination({ kind: 'webhook', name: 'Looked at', config });
  const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  const { page, faults } = await visit(tab.chromium, service.url, `/destinations/${id}`, { as: viewer });
  await page.getByText('8 attempts over about 9 hours').first().waitFor();
  // As text, and in no field.
  await page.getByText(config.url, { exact: true }).waitFor();
  await page.getByRole('definition').getByText('hmac', { exact: true }).waitFor();
  expect(await page.locator('main').locator('input:not([type=radio]), textarea').count()).toBe(0);
  for (const name of ['Send a test', 'Pause', 'Delete', 'Save', 'Rotate secret', 'Remove it']) {
    expect(await page.getByRole('button', { name }).count(), name).toBe(0);
  }
  await page.goto(`${service.url}/destinations`);
  await page.getByRole('link', { name: 'Looked at' }).waitFor();
  expect(await page.getByRole('link', { name: 'New destination' }).count()).toBe(0);
  await page.goto(`${service.url}/destinations/new`);
  await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});
