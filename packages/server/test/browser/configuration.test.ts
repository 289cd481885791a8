import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Browser as Chromium, Page } from 'playwright-core';
import {
  accessibilityFaults,
  launchChromium,
  leave,
  scrollsSideways,
  visit,
} from '../support/browser-page.ts';
import { type Browser, dataOf, join, listOf, setUp } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let chromium: Chromium;
let owner: Browser;
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), launchChromium()]);
  owner = await setUp(service);
  for (const match of ['a', 'b']) await owner.post('/sources', { kind: 'sdk', name: 'Orders', match });
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

async function open(path: string, as = owner) {
  const visited = await visit(chromium, service.url, path, { as });
  await visited.page.getByRole('heading', { level: 1 }).waitFor();
  return visited;
}

const paste = async (page: Page, document: string) => {
  await page.getByLabel('File', { exact: true }).fill(document);
  await page.getByRole('button', { name: 'Review changes' }).click();
};

test('a file is downloaded, reviewed and applied, and the secrets that it lacks are asked for', async () => {
  const { page, faults } = await open('/settings/configuration');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download YAML' }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('sluice.yaml');
  const written = readFileSync((await saved.path()) ?? '', 'utf8');
  expect(written).toContain('  "Orders #2":\n    name: Orders\n');

  await paste(page, written);
  await page.getByText('Nothing would change.').waitFor();
  expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);

  await paste(page, 'sluice: 1\nsources:\n  Shop: {kind: webhook, colour: red}\n');
  await page.getByText('Line 3:').waitFor();

  const document = [
    'sluice: 1',
    'sources:',
    '  Orders: {kind: sdk, match: order.*}',
    'destinations:',
    '  Chat: {kind: slack, config: {url: !secret }}',
    '  Hook: {kind: webhook, config: {url: "https://1.1.1.1/hook", auth: {mode: hmac, secret: !secret }}}',
    'pipelines:',
    '  All: {sources: [Orders], destinations: [{name: Chat, when: payload.total > 1000}]}',
  ].join('\n');
  await paste(page, document);
  await page.getByText('3 created · 1 changed · 0 removed · 0 unchanged').waitFor();
  await page.getByText('order.*', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
  await page.getByText('1 secret missing').waitFor();
  await page.getByLabel('Remove what is not in the file').check();
  await page.getByText('3 created · 1 changed · 1 removed · 0 unchanged').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 900 });
  expect(await scrollsSideways(page)).toBe(false);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByLabel('Remove what is not in the file').uncheck();
  await page.getByText('3 created · 1 changed · 0 removed · 0 unchanged').waitFor();

  // Somebody else is quicker: nothing is applied, and the changes are shown again.
  await owner.post('/destinations', { kind: 'inbox', name: 'Meanwhile' });
  await page.getByLabel('Chat: config.url').fill('https://1.1.1.1/services/x');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('has changed since the difference was shown').waitFor();
  await page.getByText('2 not affected').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('3 created · 1 changed · 0 removed', { exact: true }).waitFor();
  await page.getByText('Copy this secret now').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(listOf<{ name: string }>(await owner.get('/pipelines')).data.map(one => one.name)).toEqual(['All']);
  // The answer of 409 is one that the page waits for.
  expect(faults.filter(fault => !fault.includes('409'))).toEqual([]);
  await leave(page);
});

test('a viewer may download and is offered no upload', async () => {
  const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  const { page } = await open('/settings/configuration', viewer);
  await page.getByRole('button', { name: 'Download YAML' }).waitFor();
  expect(await page.getByText('Upload').count()).toBe(0);
  await leave(page);
});

test('a clone begins as its original is, and a pipeline is disabled', async () => {
  const made = async (path: string, body: object) => dataOf<{ id: string }>(await owner.post(path, body));
  const source = await made('/sources', {
    kind: 'webhook',
    name: 'Till',
    auth: 'bearer',
    rate: { per_second: 7 },
  });
  const destination = await made('/destinations', {
    kind: 'webhook',
    name: 'Ledger',
    config: { url: 'https://1.1.1.1/ledger', auth: { mode: 'bearer', secret: 'kept' } },
    policy: { attempts: 3 },
  });
  const pipeline = await made('/pipelines', {
    name: 'Books',
    sources: [source.id],
    destinations: [{ id: destination.id, when: 'payload.a > 1' }],
  });

  const { page, faults } = await open(`/sources/${source.id}`);
  await page.getByRole('link', { name: 'Clone' }).click();
  await page.getByLabel('Name').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Copy of Till');
  await page.getByRole('button', { name: /source$/ }).click();
  await page.getByText('Copy this secret now').waitFor();

  await page.goto(`${service.url}/destinations/${destination.id}`);
  await page.getByRole('link', { name: 'Clone' }).click();
  await page.getByLabel('Name').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Copy of Ledger');
  await page.getByRole('button', { name: /destination$/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Copy of Ledger' }).waitFor();

  await page.goto(`${service.url}/pipelines/${pipeline.id}`);
  await page.getByRole('link', { name: 'Clone' }).click();
  await page.getByText('This pipeline is not saved yet.').waitFor();
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Copy of Books' }).waitFor();

  type Named = { name: string };
  const find = async <T extends Named>(path: string, name: string) =>
    listOf<T>(await owner.get(path)).data.find(one => one.name === name);
  expect(await find('/sources', 'Copy of Till')).toMatchObject({ auth: 'bearer', rate: { per_second: 7 } });
  expect(await find('/destinations', 'Copy of Ledger')).toMatchObject({
    config: { url: 'https://1.1.1.1/ledger', auth: { mode: 'bearer', secret: { set: true } } },
    policy: { attempts: 3 },
  });
  expect(await find('/pipelines', 'Copy of Books')).toMatchObject({
    enabled: false,
    version: 1,
    sources: [source.id],
    destinations: [{ id: destination.id, when: 'payload.a > 1' }],
  });
  expect(faults).toEqual([]);
  await leave(page);
});
