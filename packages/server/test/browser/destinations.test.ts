import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import pg from 'pg';
import type { Browser as Chromium, Page } from 'playwright-core';
import {
  accessibilityFaults,
  faultsForAnybody,
  launchChromium,
  leave,
  visit,
} from '../support/browser-page.ts';
import { type Browser, dataOf, join, listOf, setUp } from '../support/dashboard.ts';
import { ingestWith } from '../support/endpoints.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

let service: TestService;
let chromium: Chromium;
let owner: Browser;
let receiver: Receiver;
let database: FreshDatabase;
/** One tab of the owner's, which all tests share: opening another takes longer than most of them. */
let page: Page;
let faults: string[];
let isSick = true;
beforeAll(async () => {
  // Only the one loopback address: everything else that is private stays refused.
  const settings = {
    SLUICE_ALLOW_ADDRESSES: '127.0.0.1/32',
    SLUICE_ALLOW_HTTP: 'true',
    SLUICE_EGRESS_ADDRESSES: '198.51.100.7',
    SLUICE_BASE_URL: 'http://sluice.example.com',
  };
  [service, chromium, database] = await Promise.all([
    startTestService({ settings }),
    launchChromium(),
    freshDatabase(),
  ]);
  receiver = startReceiver(({ path }) =>
    path === '/teapot'
      ? Response.json({ error: 'short and stout' }, { status: 418 })
      : new Response('thanks', { status: path === '/sick' && isSick ? 503 : 200 }),
  );
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('CREATE TABLE orders (event_id text PRIMARY KEY, amount numeric(10, 2), raw jsonb)');
  await client.end();
  owner = await setUp(service);
  ({ page, faults } = await visit(chromium, service.url, '/destinations', { as: owner }));
});
afterEach(() => expect(faults.splice(0)).toEqual([]));
afterAll(async () => {
  await chromium.close();
  await service.stop();
  await receiver.stop();
  await database.drop();
});

const open = (path: string) => page.goto(`${service.url}${path}`);
/** The address that is shown is that of the base URL, where nobody listens. */
const reachable = (url: string): string => `${service.url}${new URL(url).pathname}`;

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const sendEvents = async (...events: object[]) => {
  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
  await ingestWith(service.url, secret)({ events });
};
const makeDestination = async (body: object) =>
  dataOf<{ id: string; secret: string }>(await owner.post('/destinations', body)).id;

describe('a destination is made', () => {
  test('from the card of its kind; a secret that was made for it is shown once', async () => {
    await open('/destinations');
    await page.getByRole('link', { name: 'New destination' }).first().click();
    await page.getByRole('link', { name: /^Webhook/ }).click();
    await page.getByText('198.51.100.7').waitFor();
    await page.getByLabel('Name').fill('Billing');
    await page.getByLabel('URL').fill(`${receiver.url}/hook`);
    await page.getByText('hmac', { exact: true }).first().click();
    expect(await page.getByText('Previous secret', { exact: false }).count()).toBe(0);
    await press('Create destination');
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
    const { page } = await visit(chromium, strict.url, '/destinations/new?kind=webhook', {
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
    await open('/destinations/new');
    await page.getByRole('link', { name: /^Developer’s machine/ }).click();
    await page.getByLabel('Name').fill('Laptop');
    await press('Create destination');
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
    await press('Rotate secret');
    await press('Create new secret');
    await page.getByText(/^sluice listen .*--token lsn_\w/s).waitFor();
  });

  test('with all that it needs: what is missing is reported at its field', async () => {
    await open('/destinations/new?kind=webhook');
    await page.getByLabel('Name').fill('Refused');
    await page.getByLabel('URL').fill(`${receiver.url}/hook`);
    await page.getByText('bearer', { exact: true }).first().click();
    await press('Create destination');
    await page.getByText('Is required.').waitFor();
  });

  test('in one of several shapes, and nothing of the one before is sent', async () => {
    await open('/destinations/new?kind=slack');
    await page.getByLabel('Name').fill('Alerts');
    await page.getByLabel('Incoming webhook URL').fill(`${receiver.url}/slack`);
    await page.getByText('Bot', { exact: true }).click();
    await page.getByLabel('Bot token').fill('xoxb-1');
    await page.getByLabel('Channel').fill('#alerts');
    await page.getByLabel('API address').fill(receiver.url);
    await press('Create destination');
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
    await open('/destinations/new');
    await page.getByRole('link', { name: new RegExp(`^${kind}`) }).click();
    await page.getByLabel('Name').fill(`By ${kind}`);
    for (const [label, text] of Object.entries(fields)) {
      await page.getByLabel(label).and(page.locator('input:not([type=radio])')).fill(text);
    }
    if (kind === 'Email') {
      await page.getByRole('combobox', { name: 'Encryption' }).click();
      await page.getByRole('option', { name: 'none' }).click();
    }
    await press('Create destination');
    await page.getByRole('heading', { name: `By ${kind}`, level: 1 }).waitFor();
  }
});

describe('a test', () => {
  test('shows what was sent and the real answer', async () => {
    const config = { url: `${receiver.url}/teapot` };
    await open(`/destinations/${await makeDestination({ kind: 'webhook', name: 'Teapot', config })}`);
    await press('Send a test');
    await page.getByText('status 418 · bad_status', { exact: false }).waitFor();
    await page.getByText(`POST ${receiver.url}/teapot`).waitFor();
    await page.getByText('short and stout', { exact: false }).waitFor();
    await page.getByText('sluice.test', { exact: false }).waitFor();
    expect(receiver.requests.at(-1)).toMatchObject({ method: 'POST', path: '/teapot' });
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('that arrives says so', async () => {
    const config = { url: `${receiver.url}/fine`, auth: { mode: 'bearer', secret: 'hush' } };
    await open(`/destinations/${await makeDestination({ kind: 'webhook', name: 'Fine', config })}`);
    await press('Send a test');
    await page.getByText('status 200', { exact: false }).waitFor();
    await page.getByText('thanks').waitFor();
    expect(receiver.requests.at(-1)?.headers.get('authorization')).toBe('Bearer hush');
    expect(await page.content()).not.toContain('hush');
  });
});

describe('a destination that exists', () => {
  test('keeps its secret when something else is saved, and shows its policy in words', async () => {
    const config = { url: `${receiver.url}/kept`, auth: { mode: 'bearer', secret: 'kept-secret' } };
    const id = await makeDestination({ kind: 'webhook', name: 'Kept', config });
    await open(`/destinations/${id}`);
    await page.getByLabel('Token').fill('typed and taken away');
    await page.getByLabel('Token').fill('');
    // There and back again: what was set is still set.
    await page.getByText('none', { exact: true }).click();
    await page.getByText('bearer', { exact: true }).click();
    await page.getByLabel('Name').fill('Kept as it was');
    await page.getByLabel('Max attempts').fill('3');
    await page.getByLabel('Retry schedule').fill('0, 1m, 1h');
    await page.getByText('3 attempts over about 61 minutes').waitFor();
    await press('Save');
    await page.getByRole('heading', { name: 'Kept as it was' }).waitFor();
    await press('Send a test');
    await page.getByText('status 200', { exact: false }).waitFor();
    expect(receiver.requests.at(-1)?.headers.get('authorization')).toBe('Bearer kept-secret');
    expect(dataOf(await owner.get(`/destinations/${id}`))).toMatchObject({
      policy: { attempts: 3, schedule_s: [0, 60, 3_600] },
    });
  });

  test('keeps what is being typed when its secret is rotated, and saves it without ending the rotation', async () => {
    const config = { url: `${receiver.url}/rotated`, auth: { mode: 'hmac' } };
    const id = await makeDestination({ kind: 'webhook', name: 'Rotating', config });
    await open(`/destinations/${id}`);
    await page.getByLabel('URL').fill(`${receiver.url}/moved`);
    await owner.post(`/destinations/${id}/rotate`, {});
    await page.getByText('It has changed in the meantime.', { exact: false }).waitFor();
    expect(await page.getByLabel('URL').inputValue()).toBe(`${receiver.url}/moved`);
    await press('Save');
    // The notice goes when it is being saved, which is before it is saved.
    const read = async () =>
      dataOf<{ config: { url: string }; rotation: object }>(await owner.get(`/destinations/${id}`));
    await until(async () => (await read()).config.url === `${receiver.url}/moved`, 'It was not saved.');
    expect((await read()).rotation).toEqual({ previous_secret_until: expect.any(String) });
    await page.getByText('It has changed in the meantime.', { exact: false }).waitFor({ state: 'hidden' });
  });

  test('is not saved with delays that cannot be read: that is reported at their field', async () => {
    const id = await makeDestination({ kind: 'inbox', name: 'Patient', policy: { schedule_s: [0, 5] } });
    await open(`/destinations/${id}`);
    const [name, delays] = [page.getByLabel('Name'), page.getByLabel('Retry schedule')];
    await name.fill('Impatient');
    await delays.fill('0, soon');
    await page.getByText('Use delays such as').waitFor();
    await press('Save');
    expect(await delays.evaluate(field => field === document.activeElement)).toBe(true);
    expect(await delays.getAttribute('aria-invalid')).toBe('true');
    expect(dataOf(await owner.get(`/destinations/${id}`))).toMatchObject({ name: 'Patient' });
    await delays.fill('0, 1m');
    await press('Save');
    await page.getByRole('heading', { name: 'Impatient' }).waitFor();
    expect(dataOf(await owner.get(`/destinations/${id}`))).toMatchObject({ policy: { schedule_s: [0, 60] } });
  });

  test('is paused and resumed, has its secret rotated, and is deleted once that is confirmed', async () => {
    const config = { url: `${receiver.url}/signed`, auth: { mode: 'hmac' } };
    const id = await makeDestination({ kind: 'webhook', name: 'Signed', config });
    await owner.post('/pipelines', { name: 'Sending', destinations: [{ id }] });
    await open(`/destinations/${id}`);
    await page.getByRole('link', { name: 'Sending' }).waitFor();
    await press('Pause');
    await page.getByText('Deliveries are held, and sent when it is resumed.', { exact: false }).waitFor();
    await press('Resume');
    await page.getByRole('button', { name: 'Pause' }).waitFor();

    await press('Rotate secret');
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
    await press('Create new secret');
    await page.getByText('Copy this secret now').waitFor();
    await page.getByText('The previous secret is still valid', { exact: false }).waitFor();
    // Saving something else must not end the rotation.
    await page.getByLabel('Name').fill('Signed twice');
    await press('Save');
    await page.getByRole('heading', { name: 'Signed twice' }).waitFor();
    await press('Send a test');
    await page.getByText('status 200', { exact: false }).waitFor();
    expect(receiver.requests.at(-1)?.headers.get('x-service-signature')).toMatch(/^t=\d+,v1=\w+,v1=\w+$/);

    await press('Delete');
    await page.getByText('its queued deliveries are cancelled', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/destinations');
    // It can be taken back until the page is left.
    await page.goto('about:blank');
    await until(async () => (await owner.get(`/destinations/${id}`)).status === 404, 'It is not deleted.');
  });

  test('that is down says since when, what waits and what came back, and is tried by hand', async () => {
    const config = { url: `${receiver.url}/sick` };
    const id = await makeDestination({ kind: 'webhook', name: 'Sick', config });
    const source = dataOf<{ id: string; url: string }>(
      await owner.post('/sources', { kind: 'webhook', name: 'To the sick', auth: 'none' }),
    );
    await owner.post('/pipelines', { name: 'Visits', sources: [source.id], destinations: [{ id }] });
    await open(`/destinations/${id}`);
    const { organisation } = dataOf<{ organisation: { id: string } }>(await owner.get('/session'));
    const openedAt = Date.now();
    const opened = { openedAt, nextProbeAt: openedAt + 1_000, failure: 'It answered 502.' };
    await service.engine.configuration.openBreaker(organisation.id, id, opened);
    await page.getByText('Circuit open since').waitFor();
    await page.getByText('No deliveries are queued. The next delivery is the probe.').waitFor();
    await page.getByText('Last error: It answered 502.').waitFor();

    // With nothing waiting a test goes out, and its answer is shown.
    await press('Try now');
    await page.getByText('status 503 · bad_status', { exact: false }).waitFor();
    await page.getByText('Circuit open since').waitFor();
    await fetch(reachable(source.url), { method: 'POST', body: '{}' });
    await page.getByText('1 delivery is queued.', { exact: false }).waitFor();
    await page.getByText(/Next probe in \d+s/).waitFor();
    await page.getByText(/Last probe .* Last error: .*503/).waitFor();
    await page.getByText('1 delivery waits for it. It keeps the longer schedule', { exact: false }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    const [delivery] = listOf<{ id: string }>(await owner.get(`/deliveries?destination=${id}`)).data;
    await open(`/deliveries/${delivery?.id}`);
    await page
      .getByText(/Destination down since .*, last probe .* It is queued and uses no attempts\./)
      .waitFor();

    await open(`/destinations/${id}`);
    await page.getByText('Sends a queued delivery.', { exact: false }).waitFor();
    // It is well from the moment it is asked for: a probe on its own time would close the circuit before.
    await page.route('**/probe', route => {
      isSick = false;
      return route.continue();
    });
    await press('Try now');
    await page.getByText('Circuit open since').waitFor({ state: 'detached' });
    await page.unroute('**/probe');
    await page.getByRole('link', { name: /^Delivered 1$/ }).waitFor();
  });

  test('that is an inbox shows what it got, as text', async () => {
    const id = await makeDestination({ kind: 'inbox', name: 'Inbox' });
    const source = dataOf<{ id: string; url: string }>(
      await owner.post('/sources', { kind: 'webhook', name: 'Open', auth: 'none' }),
    );
    await owner.post('/pipelines', { name: 'To the inbox', sources: [source.id], destinations: [{ id }] });
    await open(`/destinations/${id}`);
    await page.getByText('Nothing yet. Add it to a pipeline', { exact: false }).waitFor();
    const body = JSON.stringify({ type: 'order.paid', note: '<script>alert(1)</script>' });
    await fetch(reachable(source.url), { method: 'POST', body });
    await page.getByText('<script>alert(1)</script>', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'order.paid' }).waitFor();
    await page.getByRole('link', { name: /^Delivered 1$/ }).waitFor();
    await page.getByText('100% delivered').waitFor();
  });
});

test('is tried with any event: a recent one, one that is written, a saved one', async () => {
  const id = await makeDestination({
    kind: 'webhook',
    name: 'Tried',
    config: { url: `${receiver.url}/tried` },
  });
  await sendEvents({ type: 'order.recent', payload: { note: 'as it came' } });
  await open(`/destinations/${id}`);
  const dialog = page.getByRole('dialog');
  const tryWith = async (choose: () => Promise<void>, note: string) => {
    await press('More tests');
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
      await open(`/destinations/new?kind=${kind}`);
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
    await open('/destinations/new?kind=email');
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

test('the list says how well each takes what it is sent, by every column and with the list behind each figure', async () => {
  const source = dataOf<{ id: string; url: string }>(
    await owner.post('/sources', { kind: 'webhook', name: 'Listed', auth: 'none' }),
  );
  const make = (name: string, path: string) =>
    makeDestination({
      kind: 'webhook',
      name,
      config: { url: `${receiver.url}${path}` },
      policy: { attempts: 1, schedule_s: [0] },
    });
  const [good, bad, held] = [
    await make('Zeal', '/hook'),
    await make('Zilch', '/teapot'),
    await make('Zzz', '/hook'),
  ];
  await owner.post(`/destinations/${held}/pause`);
  await owner.post('/pipelines', {
    name: 'To all three',
    sources: [source.id],
    destinations: [good, bad, held].map(id => ({ id })),
  });
  for (let n = 0; n < 3; n++) await fetch(reachable(source.url), { method: 'POST', body: '{}' });
  await open('/destinations?text=z');
  const row = (name: string) => page.getByRole('row', { name });
  const cell = (name: string, column: number) => row(name).getByRole('cell').nth(column);
  const shows = (name: string, column: number, text: string) =>
    until(async () => (await cell(name, column).innerText()) === text, `${name} does not show ${text}.`);
  const [delivered, success, p95, waiting, error] = [2, 3, 4, 5, 6];
  await shows('Zeal', delivered, '3');
  await shows('Zeal', success, '100%');
  await shows('Zilch', success, '0%');
  await shows('Zzz', waiting, '3');
  expect(await cell('Zeal', p95).innerText()).toMatch(/^[\d.]+ m?s$/);
  await until(async () => /418/.test(await cell('Zilch', error).innerText()), 'The last error is missing.');
  expect(await cell('Zeal', error).innerText()).toBe('none');
  for (const [name, state] of [
    ['Zeal', 'active'],
    ['Zilch', 'failing'],
    ['Zzz', 'paused'],
  ] as const) {
    await row(name).getByText(state, { exact: true }).waitFor();
  }
  // What died lately is told beside the pages, as many as their list has.
  const { dead_letters } = dataOf<{ dead_letters: { count: number } }>(await owner.get('/badges'));
  await page.getByRole('link', { name: `${dead_letters.count} dead letters` }).waitFor();

  const names = async () => {
    const all = await page.getByRole('row').getByRole('link', { name: /^Z/ }).allInnerTexts();
    return all.join(' ');
  };
  const header = (name: string) => page.getByRole('columnheader', { name });
  await header('Backlog').getByRole('button').click();
  await until(async () => (await names()).startsWith('Zzz'), 'It is not sorted by backlog.');
  expect(await header('Backlog').getAttribute('aria-sort')).toBe('descending');
  expect(page.url()).toContain('sort=-backlog');
  await header('Success').getByRole('button').click();
  await until(async () => (await names()).startsWith('Zeal'), 'It is not sorted by success.');
  await header('Success').getByRole('button').click();
  await until(async () => (await names()).endsWith('Zeal'), 'It is not sorted the other way.');
  await header('Name').getByRole('button').click();
  await until(async () => (await names()) === 'Zeal Zilch Zzz', 'It is not sorted by name.');
  await page.reload();
  expect(await header('Name').getAttribute('aria-sort')).toBe('ascending');
  expect(await faultsForAnybody(page)).toEqual([]);

  for (const [name, column] of [
    ['Zeal', delivered],
    ['Zzz', waiting],
  ] as const) {
    await open('/destinations?text=z');
    await shows(name, column, '3');
    await cell(name, column).getByRole('link').click();
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
    // The heading is a row too.
    await until(async () => (await page.getByRole('row').count()) === 4, `It is not 3 of ${name}.`);
  }
});

test('for PostgreSQL the columns of the table are found, and a mapping is offered for each', async () => {
  await open('/destinations/new?kind=postgres');
  await page.getByLabel('Name').fill('Warehouse');
  await page.getByLabel('Connection string').fill(database.url);
  await page.getByRole('textbox', { name: 'Table' }).fill('nowhere');
  await press('Load columns');
  await page.getByText('Table nowhere does not exist').waitFor();
  await page.getByText('CREATE TABLE "nowhere" (', { exact: false }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByRole('textbox', { name: 'Table' }).fill('orders');
  await press('Reload columns');
  await page.getByRole('cell', { name: 'numeric(10,2)' }).waitFor();
  await page.getByText('The default mapping does not fit', { exact: false }).waitFor();
  await press('Suggest a mapping');
  const goesInto = (column: string) => page.getByRole('combobox', { name: `Value of ${column}` });
  expect(await goesInto('event_id').inputValue()).toBe('$event.id');
  await goesInto('amount').fill('$event.payload.total');
  await page.keyboard.press('Escape');
  expect(await accessibilityFaults(page)).toEqual([]);
  await press('Create destination');
  await page.getByRole('heading', { name: 'Warehouse', level: 1 }).waitFor();
  await press('Send a test');
  await page.getByText('delivered', { exact: true }).first().waitFor();

  // What is set serves to look again, unseen.
  await press('Load columns');
  await page.getByRole('cell', { name: 'numeric(10,2)' }).waitFor();
  expect(await goesInto('amount').inputValue()).toBe('$event.payload.total');
  await goesInto('raw').fill('$event.nowhere');
  await press('Save');
  await page.getByText('$event.nowhere', { exact: false }).waitFor();
});

test('a viewer reads all of it and is offered nothing that would be refused', async () => {
  const config = { url: `${receiver.url}/seen`, auth: { mode: 'hmac' } };
  const id = await makeDestination({ kind: 'webhook', name: 'Looked at', config });
  const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  const { page, faults } = await visit(chromium, service.url, `/destinations/${id}`, { as: viewer });
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

test('the kinds, a form and a destination are sound for everybody in light and dark, on a phone too', async () => {
  const config = { url: `${receiver.url}/sound`, auth: { mode: 'hmac' } };
  const id = await makeDestination({ kind: 'webhook', name: 'Sound', config });
  await owner.post(`/destinations/${id}/pause`);
  const pages: [string, string][] = [
    ['/destinations/new', 'Where should events go?'],
    ['/destinations/new?kind=email', 'Mail server'],
    [`/destinations/${id}`, 'Configuration'],
  ];
  for (const [path, text] of pages) {
    await open(path);
    await page.getByText(text).first().waitFor();
    expect(await faultsForAnybody(page), path).toEqual([]);
  }
});
