import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser as Chromium } from 'playwright-core';
import { launchChromium, leave, visit } from '../support/browser-page.ts';
import { dataOf, join } from '../support/dashboard.ts';
import { openSampleCompany, type SampleCompany } from '../support/sample-company.ts';

setDefaultTimeout(60_000);

let company: SampleCompany;
let chromium: Chromium;
beforeAll(async () => {
  [company, chromium] = await Promise.all([openSampleCompany({ minutes: 4 }), launchChromium()]);
});
afterAll(async () => {
  await chromium.close();
  await company.stop();
});

test('are searched by kind and by a trait, and the search is in the address', async () => {
  const { page } = await visit(chromium, company.service.url, '/entities', { as: company.owner });
  const list = page.getByRole('table', { name: 'Entities' });
  await list.getByRole('row', { name: /parkside/ }).waitFor();
  await page.getByLabel('Trait').fill('plan');
  await page.getByText('Write it with its value: plan=pro').waitFor();
  await page.getByLabel('Trait').fill('plan=pro');
  await list.getByRole('row', { name: /parkside/ }).waitFor({ state: 'detached' });
  expect(await list.getByRole('row', { name: /customer/ }).count()).toBe(3);
  await page.waitForURL(/trait=plan%3Dpro/);
  await page.getByLabel('Kind').fill('device');
  await page.getByText('No entities match.').waitFor();
  await page.getByRole('link', { name: 'Show all' }).click();
  await list.getByRole('row', { name: /parkside/ }).waitFor();
  await leave(page);
});

test('one shows its traits, whom it is the same as, what it is linked to, and its events', async () => {
  const { page, faults } = await visit(chromium, company.service.url, '/entities/customer/c_0', {
    as: company.owner,
  });
  await page.getByRole('heading', { level: 1, name: 'c_0' }).waitFor();
  await page
    .getByRole('row', { name: /name "Ada Park"/ })
    .first()
    .waitFor();
  // A trait that it has from another entity says from which.
  await page.getByRole('row', { name: /locale "en-GB" user ada@example.com/ }).waitFor();
  const graph = page.getByRole('application');
  await graph.getByRole('link', { name: 'parkside' }).waitFor();
  expect(await graph.getByText('ios-7f3a').count()).toBe(0);
  await page.getByText('2 steps').click();
  await graph.getByRole('link', { name: 'ios-7f3a' }).waitFor();
  await page.waitForURL(/depth=2/);
  const events = page.getByRole('table', { name: 'Events of this entity' });
  await events.getByRole('link', { name: /order/ }).first().click();
  await page.waitForURL(/\/events\/evt_/);
  expect(faults).toEqual([]);
  await leave(page);
});

test('the list and the events of one refresh themselves', async () => {
  const { secret } = dataOf<{ secret: string }>(await company.owner.post('/keys', { name: 'Live' }));
  const send = (method: string, path: string, body: object) =>
    fetch(`${company.service.url}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { page } = await visit(chromium, company.service.url, '/entities?kind=robot', { as: company.owner });
  await page.getByText('No entities match.').waitFor();
  await send('PUT', '/entities/robot/r_1', { traits: { legs: 2 } });
  await page.getByRole('link', { name: 'r_1' }).waitFor();
  await send('PUT', '/entities/robot/r_1', { traits: { legs: 4 } });
  await page.getByText('{"legs":4}').waitFor();
  await page.getByRole('link', { name: 'r_1' }).click();
  await page.getByText('No event is tied to it.', { exact: false }).waitFor();
  const entity = { kind: 'robot', external_id: 'r_1' };
  await send('POST', '/ingest', { events: [{ type: 'robot.moved', entity }] });
  await page.getByRole('link', { name: 'robot.moved' }).waitFor();
  await leave(page);
});

test('one is deleted with the payloads of its events, which a viewer is not offered', async () => {
  const viewer = await join(company.service.url, company.owner, 'looks@example.com', 'viewer');
  const seen = await visit(chromium, company.service.url, '/entities/customer/c_1', { as: viewer });
  await seen.page.getByRole('heading', { level: 1, name: 'c_1' }).waitFor();
  expect(await seen.page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  await leave(seen.page);

  const { page } = await visit(chromium, company.service.url, '/entities/customer/c_1', {
    as: company.owner,
  });
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Erase the payloads of its events too').check();
  await dialog.getByRole('button', { name: 'Delete and erase' }).click();
  await page.waitForURL(/\/entities$/);
  await page.getByRole('table', { name: 'Entities' }).waitFor();
  await page.goto(`${company.service.url}/events?entity=customer:c_1`);
  await page.getByRole('table').getByRole('link', { name: /order/ }).first().click();
  await page
    .getByText(/erased/i)
    .first()
    .waitFor();
  await leave(page);
});
