import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { accessibilityFaults, faultsForAnybody, leave, visit } from '../support/browser-page.ts';
import { type Browser, setUp } from '../support/dashboard.ts';
import { type DestinationsTab, openDestinationsTab } from '../support/destinations-tab.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import type { Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Destinations are made: by the form of each kind, with what is wrong shown at its field. */

let tab: DestinationsTab;
let database: FreshDatabase;
let service: TestService;
let owner: Browser;
let receiver: Receiver;
let page: Page;
beforeAll(async () => {
  [tab, database] = await Promise.all([openDestinationsTab(), freshDatabase()]);
  ({ service, owner, receiver, page } = tab);
});
afterEach(() => expect(tab.faults.splice(0)).toEqual([]));
afterAll(async () => {
  await tab.stop();
  await database.drop();
});

describe('a destination is made', () => {
  test('from the card of its kind; a secret that was made for it is shown once', async () => {
    await tab.open('/destinations');
    await page.getByRole('link', { name: 'New destination' }).first().click();
    await page.getByRole('link', { name: /^Webhook/ }).click();
    await page.getByText('198.51.100.7').waitFor();
    await page.getByLabel('Name').fill('Billing');
    await page.getByLabel('URL').fill(`${receiver.url}/hook`);
    await page.getByText('hmac', { exact: true }).first().click();
    expect(await page.getByText('Previous secret', { exact: false }).count()).toBe(0);
    await tab.press('Create destination');
    await page.getByRole('heading', { name: 'Billing created' }).waitFor();
    const secret = await page.getByText(/^whsec_/).innerText();
    await page.getByRole('link', { name: 'View destination' }).click();
    await page.getByPlaceholder('Set. Type to replace it').waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByText('8 attempts over about 9 hours').first().waitFor();
  });

  test('only over HTTPS and to the world outside: a bad address is reported at its field', async () => {
    // As it comes: the operator has allowed neither plain HTTP nor private addresses.
    const strict = await startTestService();
    const { page } = await visit(tab.chromium, strict.url, '/destinations/new?kind=webhook', {
      as: await setUp(strict),
    });
    const problems: [string, string][] = [
      ['http://1.1.1.1/hook', 'The operator has not allowed plain HTTP.'],
      ['file:///etc/passwd', 'Must begin with https://.'],
      ['https://user:secret@1.1.1.1/hook', 'May not hold a user name or a password.'],
      ['https://127.1/hook', 'Is, or resolves to, a private address.'],
      ['nonsense', 'Must be a URL such as'],
    ];
    await page.getByLabel('Name').fill('Refused');
    for (const [url, problem] of problems) {
      await page.getByLabel('URL').fill(url);
      await page.getByRole('button', { name: 'Create destination' }).click();
      await page.getByText(problem, { exact: false }).waitFor();
      await page.getByLabel('URL').and(page.locator('[aria-invalid=true]')).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    await leave(page);
    await strict.stop();
  });

  test('for a developer’s machine: the command to run is shown once, and whether it is connected', async () => {
    await tab.open('/destinations/new');
    await page.getByRole('link', { name: /^Developer’s machine/ }).click();
    await page.getByLabel('Name').fill('Laptop');
    await tab.press('Create destination');
    await page.getByRole('heading', { name: 'Laptop created' }).waitFor();
    const command = (await page.getByText(/^sluice listen /).innerText()).replaceAll(/ \\\n */g, ' ');
    await page.setViewportSize({ width: 390, height: 700 });
    const copy = page.getByRole('button', { name: 'Copy command' });
    expect(((await copy.boundingBox())?.x ?? 9_999) < 390).toBe(true);
    await page.setViewportSize({ width: 1_440, height: 900 });
    const [, token = ''] = /--token (lsn_\S+)/.exec(command) ?? [];
    expect(command).toBe(
      `sluice listen --url ${service.url} --token ${token} --forward http://localhost:3000/hook`,
    );
    await page.getByRole('link', { name: 'View destination' }).click();
    await page.getByText('No machine is connected').waitFor();
    expect(await page.content()).not.toContain(token);
    expect(await accessibilityFaults(page)).toEqual([]);

    const hangUp = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const listening = await fetch(`${service.url}/listen`, { headers, signal: hangUp.signal });
    expect(listening.status).toBe(200);
    const reading = listening.text().catch(() => 'hung up');
    await page.getByText('No machine is connected').waitFor({ state: 'hidden' });
    hangUp.abort();
    expect(await reading).toBe('hung up');
    await page.getByText('No machine is connected').waitFor();
    await tab.press('Rotate secret');
    await tab.press('Create new secret');
    await page.getByText(/^sluice listen .*--token lsn_[\w-]/s).waitFor();
  });

  test('with all that it needs: what is missing is reported at its field', async () => {
    await tab.open('/destinations/new?kind=webhook');
    await page.getByLabel('Name').fill('Refused');
    await page.getByLabel('URL').fill(`${receiver.url}/hook`);
    await page.getByText('bearer', { exact: true }).first().click();
    await tab.press('Create destination');
    await page.getByText('Is required.').waitFor();
  });

  test('in one of several shapes, and nothing of the one before is sent', async () => {
    await tab.open('/destinations/new?kind=slack');
    await page.getByLabel('Name').fill('Alerts');
    await page.getByLabel('Incoming webhook URL').fill(`${receiver.url}/slack`);
    await page.getByText('Bot', { exact: true }).click();
    await page.getByLabel('Bot token').fill('xoxb-1');
    await page.getByLabel('Channel').fill('#alerts');
    await page.getByLabel('API address').fill(receiver.url);
    await tab.press('Create destination');
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
    const { data } = (await owner.get('/destinations')).body as { data: { name: string; config: object }[] };
    expect(data.find(({ name }) => name === 'Alerts')?.config).toEqual({
      bot_token: { set: true },
      channel: '#alerts',
      base_url: receiver.url,
    });
  });
});

test('a destination of every other kind is made by its form, which no code of ours draws', async () => {
  const forms: [kind: string, fields: Readonly<Record<string, string>>][] = [
    ['Discord', { 'Webhook URL': `${receiver.url}/discord` }],
    ['Telegram', { 'Bot token': '123:abc', Chat: '-1001234567890', 'API address': receiver.url }],
    ['Email', { 'Mail server': '127.0.0.1', Port: '2525', From: 'a@example.com', To: 'b@example.com' }],
    ['Notion', { 'Integration token': 'ntn_1', Database: 'd'.repeat(32), 'API address': receiver.url }],
    ['Inbox', {}],
  ];
  for (const [kind, fields] of forms) {
    await tab.open('/destinations/new');
    await page.getByRole('link', { name: new RegExp(`^${kind}`) }).click();
    await page.getByLabel('Name').fill(`By ${kind}`);
    for (const [label, text] of Object.entries(fields)) {
      await page.getByLabel(label).and(page.locator('input:not([type=radio])')).fill(text);
    }
    if (kind === 'Email') {
      await page.getByRole('combobox', { name: 'Encryption' }).click();
      await page.getByRole('option', { name: 'none' }).click();
    }
    await tab.press('Create destination');
    await page.getByRole('heading', { name: `By ${kind}`, level: 1 }).waitFor();
  }
});

test('a field far above the button that is wrong comes into sight, with the cursor in it', async () => {
  await tab.open('/destinations/new?kind=email');
  await page.getByLabel('Name').fill('By mail');
  await tab.press('Create destination');
  const wrong = page.locator('[aria-invalid=true]');
  await wrong.waitFor();
  await until(async () => {
    const { y = -1 } = (await wrong.boundingBox()) ?? {};
    return y > 0 && y < 900 && (await wrong.evaluate(field => field === document.activeElement));
  }, 'It is out of sight.');
  // Below the fields, where notices stand far above.
  const concurrency = page.getByLabel('Concurrency');
  await tab.open('/destinations/new?kind=webhook');
  await page.getByLabel('Name').fill('By hand');
  await page.getByLabel('URL').fill('http://127.0.0.1:9/');
  await concurrency.fill('5000');
  await page.setViewportSize({ width: 1440, height: 500 });
  await tab.press('Create destination');
  await until(async () => {
    const { y = -1 } = (await wrong.boundingBox()) ?? {};
    return y > 0 && y < 500 && (await concurrency.evaluate(field => field === document.activeElement));
  }, 'It is out of sight.');
  await page.setViewportSize({ width: 1440, height: 900 });
  // The drafts are for nobody else.
  await page.evaluate(() => sessionStorage.clear());
  await tab.open('/destinations');
});

test('for PostgreSQL the columns of the table are found, and a mapping is offered for each', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('CREATE TABLE orders (event_id text PRIMARY KEY, amount numeric(10, 2), raw jsonb)');
  await client.end();
  await tab.open('/destinations/new?kind=postgres');
  await page.getByLabel('Name').fill('Warehouse');
  await page.getByLabel('Connection string').fill(database.url);
  await page.getByRole('textbox', { name: 'Table' }).fill('nowhere');
  await tab.press('Load columns');
  await page.getByText('Table nowhere does not exist').waitFor();
  await page.getByText('CREATE TABLE "nowhere" (', { exact: false }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByRole('textbox', { name: 'Table' }).fill('orders');
  await tab.press('Reload columns');
  await page.getByRole('cell', { name: 'numeric(10,2)' }).waitFor();
  await page.getByText('The default mapping does not fit', { exact: false }).waitFor();
  await tab.press('Suggest a mapping');
  const goesInto = (column: string) => page.getByRole('combobox', { name: `Value of ${column}` });
  expect(await goesInto('event_id').inputValue()).toBe('$event.id');
  await goesInto('amount').fill('$event.payload.total');
  await page.keyboard.press('Escape');
  expect(await accessibilityFaults(page)).toEqual([]);
  await tab.press('Create destination');
  await page.getByRole('heading', { name: 'Warehouse', level: 1 }).waitFor();
  await tab.press('Send a test');
  await page.getByText('delivered', { exact: true }).first().waitFor();

  // What is set serves to look again, unseen.
  await tab.press('Load columns');
  await page.getByRole('cell', { name: 'numeric(10,2)' }).waitFor();
  expect(await goesInto('amount').inputValue()).toBe('$event.payload.total');
  await goesInto('raw').fill('$event.nowhere');
  await tab.press('Save');
  await page.getByText('$event.nowhere', { exact: false }).waitFor();
});

test('the kinds, a form and a destination are sound for everybody in light and dark, on a phone too', async () => {
  const config = { url: `${receiver.url}/sound`, auth: { mode: 'hmac' } };
  const id = await tab.makeDestination({ kind: 'webhook', name: 'Sound', config });
  await owner.post(`/destinations/${id}/pause`);
  const pages: [string, string][] = [
    ['/destinations/new', 'Where should events go?'],
    ['/destinations/new?kind=email', 'Mail server'],
    [`/destinations/${id}`, 'Configuration'],
  ];
  for (const [path, text] of pages) {
    await tab.open(path);
    await page.getByText(text).first().waitFor();
    expect(await faultsForAnybody(page), path).toEqual([]);
  }
});
