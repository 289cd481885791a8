import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import type { Browser as Chromium, Page } from 'playwright-core';
import {
  accessibilityFaults,
  faultsForAnybody,
  launchChromium,
  leave,
  visit,
} from '../support/browser-page.ts';
import { type Browser, dataOf, join, setUp } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let chromium: Chromium;
let owner: Browser;
/** One tab of the owner's, which all tests share: opening another takes longer than most of them. */
let page: Page;
let faults: string[];
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), launchChromium()]);
  owner = await setUp(service);
  ({ page, faults } = await visit(chromium, service.url, '/sources', { as: owner }));
});
afterEach(() => expect(faults.splice(0)).toEqual([]));
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

interface Made {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}
const makeSource = async (body: object) => dataOf<Made>(await owner.post('/sources', body));

const open = (path: string) => page.goto(`${service.url}${path}`);

/** What the button beside a command copies, run as somebody would who pastes it. */
async function runShown(): Promise<string> {
  const command = await page.locator('pre').filter({ hasText: 'curl' }).innerText();
  return (await promisify(execFile)('bash', ['-c', command], { timeout: 120_000 })).stdout;
}

describe('a webhook source is made', () => {
  test('of a provider: found by another of its names, with its key pasted, and where to paste the URL', async () => {
    await open('/sources/new');
    await page.getByText('Provider', { exact: true }).click();
    await page.getByRole('button', { name: 'GitHub', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Provider' }).fill('clerk');
    expect(await page.getByRole('button', { name: 'GitHub', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Standard Webhooks' }).click();
    await page.getByText('Copy the signing secret (whsec_…) and paste it here.').waitFor();
    await page.getByRole('button', { name: 'Create source' }).click();
    await page.getByText('Signing secret of Standard Webhooks', { exact: false }).waitFor();
    await page.getByLabel('Signing secret').fill('whsec_c2VjcmV0IG9mIGEgcHJvdmlkZXI=');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create source' }).click();
    await page.getByRole('heading', { name: 'Standard Webhooks created' }).waitFor();
    // It was pasted, so there is nothing to show once.
    expect(await page.getByText('Copy this secret now').count()).toBe(0);
    await page.getByRole('heading', { name: 'At Standard Webhooks' }).waitFor();
    const url = await page.getByText('/whk/', { exact: false }).first().innerText();
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    await page.getByRole('link', { name: 'View source' }).click();
    const reason = 'The header webhook-signature or svix-signature is missing: the request is not signed';
    await page.getByRole('button', { name: reason, exact: false }).click();
    await page.getByRole('region').getByText(reason, { exact: false }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('with a scheme of one’s own, whose fields say what is wrong with them', async () => {
    await open('/sources/new');
    await page.getByText('Provider', { exact: true }).click();
    await page.getByRole('button', { name: 'Custom scheme' }).click();
    await page.getByLabel('Name').fill('Acme');
    await page.getByLabel('Header', { exact: false }).first().fill('X-Acme-Signature');
    await page.getByLabel('What is signed').fill('{timestamp}.{body}');
    await page.getByRole('button', { name: 'Create source' }).click();
    await page.getByText('Must say where {timestamp} lies', { exact: false }).waitFor();
    await page.getByLabel('Format').fill('t={timestamp},v1={signature}');
    await page.getByRole('button', { name: 'Create source' }).click();
    await page.getByRole('heading', { name: 'Acme created' }).waitFor();
    await page.getByText('Copy this secret now').waitFor();
  });

  test('how it is verified and where its types come from can be changed afterwards', async () => {
    const square = await makeSource({
      kind: 'webhook',
      name: 'Till',
      auth: 'provider',
      provider: 'square',
      secret: 'first',
    });
    await open(`/sources/${square.id}`);
    await page.getByLabel('URL as the provider knows it').fill('https://hooks.example.com/till');
    await page.getByRole('combobox', { name: 'Event type' }).click();
    await page.getByRole('option', { name: 'A header' }).click();
    await page.getByLabel('Header with the type').fill('x-till-event');
    await page.getByLabel('Type prefix').fill('till.');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    const record = async (id: string) => dataOf<object>(await owner.get(`/sources/${id}`));
    await until(async () => 'type_from' in (await record(square.id)), 'it was not saved');
    expect(await record(square.id)).toMatchObject({
      signed_url: 'https://hooks.example.com/till',
      type_from: { header: 'x-till-event', prefix: 'till.' },
    });
    const body = '{"type":"own"}';
    const signed = createHmac('sha256', 'first').update(`https://hooks.example.com/till${body}`);
    const answer = await fetch(square.url, {
      method: 'POST',
      body,
      headers: { 'x-square-hmacsha256-signature': signed.digest('base64'), 'x-till-event': 'sale' },
    });
    const { data } = (await answer.json()) as { data: { id: string } };
    expect(dataOf<object>(await owner.get(`/events/${data.id}`))).toMatchObject({ type: 'till.sale' });

    const scheme = { header: 'x-acme', algorithm: 'sha256', encoding: 'hex', signed: '{body}' };
    const acme = await makeSource({ kind: 'webhook', name: 'Acme', auth: 'custom', scheme });
    await open(`/sources/${acme.id}`);
    await page.getByLabel('Prefix', { exact: true }).fill('v1=');
    await page.getByLabel('Tolerance').fill('nothing');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must be a whole number.').waitFor();
    await page.getByLabel('Tolerance').fill('60');
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => JSON.stringify(await record(acme.id)).includes('"tolerance_s":60'), 'not saved');
    expect(await record(acme.id)).toMatchObject({ scheme: { ...scheme, prefix: 'v1=', tolerance_s: 60 } });
  });

  test('signed: its secret is shown once, and the command beside it works when it is pasted', async () => {
    await open('/sources');
    await page.getByRole('link', { name: 'New source' }).first().click();
    await page.getByRole('button', { name: 'Create source' }).click();
    await page.getByText('Must have 1 to', { exact: false }).waitFor();
    await page.getByLabel('Name').fill('Shop');
    await page.getByRole('button', { name: 'Create source' }).click();
    await page.getByRole('heading', { name: 'Shop created' }).waitFor();
    const secret = await page.getByText(/^whsec_/).innerText();
    expect(JSON.parse(await runShown())).toMatchObject({ data: { duplicate: false } });
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('link', { name: 'View source' }).click();
    await page.getByRole('heading', { name: 'Send events' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page
      .getByText(/^\d+[sm] ago$/)
      .first()
      .waitFor();
    await page.getByText('No pipeline listens to it yet', { exact: false }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Send events' }).waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  test('with a token, and open only under a warning', async () => {
    await open('/sources/new');
    await page.getByLabel('Name').fill('Provider');
    await page.getByRole('radio', { name: 'Open (none)' }).check();
    await page.getByText('This source is unprotected').waitFor();
    await page.getByRole('radio', { name: 'Token (bearer)' }).check();
    expect(await page.getByText('This source is unprotected').count()).toBe(0);
    await page.getByRole('button', { name: 'Create source' }).click();
    await page.getByRole('heading', { name: 'Provider created' }).waitFor();
    expect(JSON.parse(await runShown())).toMatchObject({ data: { duplicate: false } });
  });
});

test('an sdk source is made with what it matches', async () => {
  await open('/sources/new');
  await page.getByText('API', { exact: true }).click();
  await page.getByLabel('Name').fill('Orders');
  await page.getByLabel('Event types').fill('order.*');
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.getByRole('heading', { name: 'Orders created' }).waitFor();
  expect(await page.locator('pre').innerText()).toContain('"type":"order.example"');
});

describe('a source that exists', () => {
  test('has its secret rotated, says how long the one before holds, and both let senders in', async () => {
    const { id, url, secret } = await makeSource({ kind: 'webhook', name: 'Rotated', auth: 'bearer' });
    await open(`/sources/${id}`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('button', { name: 'Create new secret' }).click();
    await page.getByText('Copy this new secret now').waitFor();
    await page.getByText('The previous secret is still valid', { exact: false }).waitFor();
    expect(JSON.parse(await runShown())).toMatchObject({ data: { duplicate: false } });
    const headers = { Authorization: `Bearer ${secret}` };
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(202);
  });

  test('shows what it refused as it happens, with what to do about it', async () => {
    const { id, url } = await makeSource({ kind: 'webhook', name: 'Refusing' });
    await open(`/sources/${id}`);
    await page.getByText('No rejected requests').waitFor();
    await fetch(url, { method: 'POST', headers: { 'X-Ingest-Signature': 'sha256=abc' }, body: '{}' });
    await fetch(url, { method: 'POST', headers: { 'X-Ingest-Signature': 'sha256=abc' }, body: '{}' });
    await fetch(url, { method: 'POST', headers: { 'User-Agent': 'Sender/1' }, body: '{}' });
    await page.getByText('2×, last', { exact: false }).waitFor();
    await page.getByRole('button', { name: /bad signature.*1×/s }).click();
    await page.getByRole('region').getByText('64 lowercase hex', { exact: false }).waitFor();
    const request = page.getByRole('list', { name: 'Latest requests' });
    await request.getByText('127.0.0.1', { exact: true }).waitFor();
    await request.getByText('Sender/1').waitFor();
    await page.getByText('3 rejected').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await open('/sources?text=refusing');
    const row = page.getByRole('row', { name: 'Refusing' });
    await row.getByRole('cell', { name: '100%' }).waitFor();
    await page.getByRole('columnheader', { name: 'Rejected' }).getByRole('button').click();
    expect(page.url()).toContain('sort=-rejected');
    expect(await faultsForAnybody(page)).toEqual([]);
  });

  test('is renamed, limited, disabled and enabled; a bad rate is reported at its field', async () => {
    const { id, url } = await makeSource({ kind: 'webhook', name: 'Changing', auth: 'none' });
    await open(`/sources/${id}`);
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('Burst').fill('0');
    await save.click();
    await page.getByText('Must be at least 1 where there is a limit.').waitFor();
    await page.getByLabel('Rate limit').fill('0.5');
    await page.getByLabel('Burst').fill('3');
    await page.getByText('30 req/min, burst 3', { exact: false }).waitFor();
    await page.getByLabel('Name').fill('Changed');
    await save.click();
    await page.getByRole('heading', { name: 'Changed', level: 1 }).waitFor();
    expect(dataOf(await owner.get(`/sources/${id}`))).toMatchObject({ rate: { per_second: 0.5, burst: 3 } });

    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByRole('button', { name: 'Enable', exact: true }).waitFor();
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(403);
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByRole('button', { name: 'Disable', exact: true }).waitFor();
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(202);
  });

  test('keeps what is being typed when it is changed elsewhere, says so, and saves nothing else', async () => {
    const { id } = await makeSource({ kind: 'webhook', name: 'Shared', auth: 'none' });
    await open(`/sources/${id}`);
    const [name, burst] = [page.getByLabel('Name'), page.getByLabel('Burst')];
    await burst.fill('7');
    await owner.patch(`/sources/${id}`, { name: 'Changed elsewhere' });
    await page.getByText('It has changed in the meantime.', { exact: false }).waitFor();
    expect([await burst.inputValue(), await name.inputValue()]).toEqual(['7', 'Shared']);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await name.inputValue()) === 'Changed elsewhere', 'It was not read again.');
    expect(await burst.inputValue()).toBe('7');
    expect(await page.getByText('It has changed in the meantime.', { exact: false }).count()).toBe(0);
    expect(dataOf(await owner.get(`/sources/${id}`))).toMatchObject({
      name: 'Changed elsewhere',
      rate: { burst: 7 },
    });

    // Where nothing was typed there is nothing to keep.
    await owner.patch(`/sources/${id}`, { rate: { per_second: 1, burst: 8 } });
    await until(async () => (await burst.inputValue()) === '8', 'The form did not follow.');
    await name.fill('Half a na');
    await owner.patch(`/sources/${id}`, { name: 'Changed again' });
    await page.getByRole('button', { name: 'Load latest' }).click();
    expect(await name.inputValue()).toBe('Changed again');

    const held = Promise.withResolvers<void>();
    await page.route(`**/dashboard/api/**/sources/${id}`, async route => {
      if (route.request().method() === 'PATCH') await held.promise;
      return route.continue();
    });
    await name.fill('Saved');
    await page.getByRole('button', { name: 'Save' }).click();
    await name.fill('Typed meanwhile');
    held.resolve();
    await page.getByRole('heading', { name: 'Saved', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Save', disabled: false }).waitFor();
    expect(await name.inputValue()).toBe('Typed meanwhile');
    await page.unrouteAll();
  });

  test('names the pipelines that listen to it, and is deleted once that is confirmed', async () => {
    const { id, url } = await makeSource({ kind: 'webhook', name: 'Doomed', auth: 'none' });
    await owner.post('/pipelines', { name: 'Listening', sources: [id] });
    await open(`/sources/${id}`);
    await page.getByRole('link', { name: 'Listening' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('will return 404 permanently', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/sources');
    const send = async () => (await fetch(url, { method: 'POST', body: '{}' })).status;
    expect(await send()).toBe(202);
    // It can be taken back until the page is left.
    await page.goto('about:blank');
    await until(async () => (await send()) === 404, 'It is not deleted.');
  });
});

test('the list is narrowed by a text that stands in its address, and walked by keys', async () => {
  await makeSource({ kind: 'sdk', name: 'Findable', match: 'needle.*' });
  await open('/sources');
  const rows = page.getByRole('table', { name: 'Sources' });
  await rows.getByRole('link', { name: 'Findable' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('needle');
  await page.waitForURL('**/sources?text=needle');
  await until(async () => (await rows.getByRole('row').count()) === 2, 'The list was not narrowed.');
  await page.getByLabel('Filter').blur();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Findable' }).waitFor();
});

test('a viewer reads all of it and is offered nothing that would be refused', async () => {
  const { id, url } = await makeSource({ kind: 'webhook', name: 'Looked at' });
  await fetch(url, { method: 'POST', body: '{}' });
  const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  const { page, faults } = await visit(chromium, service.url, `/sources/${id}`, { as: viewer });
  await page.getByText('Its URL is shown to members', { exact: false }).waitFor();
  await page.getByText('100 req/s, burst 200', { exact: false }).waitFor();
  await page.getByRole('button', { name: /bad signature/ }).waitFor();
  expect(await page.content()).not.toContain(new URL(url).pathname);
  for (const name of ['Disable', 'Delete', 'Rotate secret', 'Save']) {
    expect(await page.getByRole('button', { name }).count(), name).toBe(0);
  }
  await page.goto(`${service.url}/sources`);
  await page.getByRole('link', { name: 'Looked at' }).waitFor();
  expect(await page.getByRole('link', { name: 'New source' }).count()).toBe(0);
  await page.goto(`${service.url}/sources/new`);
  await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('a source and its form are sound for everybody in light and dark, on a phone too', async () => {
  const { id, url } = await makeSource({ kind: 'webhook', name: 'Sound', auth: 'none' });
  await fetch(url, { method: 'POST', body: 'no JSON' });
  const see = async (path: string) => {
    await open(path);
    if (path === '/sources/new') await page.getByRole('radio', { name: 'Open (none)' }).check();
    else await page.getByRole('button', { name: /not JSON/ }).waitFor();
    await page.getByText('This source is unprotected').waitFor();
  };
  for (const path of [`/sources/${id}`, '/sources/new']) {
    await see(path);
    expect(await faultsForAnybody(page), path).toEqual([]);
  }
});
