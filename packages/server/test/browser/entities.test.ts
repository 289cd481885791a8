import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser as Chromium } from 'playwright-core';
import { faultsForAnybody, launchChromium, leave, visit } from '../support/browser-page.ts';
import { dataOf, join, listOf } from '../support/dashboard.ts';
import { ingestWith } from '../support/endpoints.ts';
import { startReceiver } from '../support/receiver.ts';
import { openSampleCompany, type SampleCompany } from '../support/sample-company.ts';
import { until } from '../support/until.ts';

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
  await page.getByText('Include its value: plan=pro').waitFor();
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

test('one without links loads nothing that draws them', async () => {
  await company.owner.post('/entities', { kind: 'device', external_id: 'alone', traits: {} });
  const { page } = await visit(chromium, company.service.url, '/entities/device/alone', {
    as: company.owner,
  });
  const drawing = () =>
    page.evaluate(
      () =>
        performance.getEntriesByType('resource').filter(({ name }) => name.includes('/drawn-graph')).length,
    );
  await page.getByText('No links yet.').waitFor();
  expect(await drawing()).toBe(0);
  await page.goto(`${company.service.url}/entities/customer/c_0`);
  await page.getByLabel('Links of this entity').waitFor();
  expect(await drawing()).toBeGreaterThan(0);
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
  await page.getByText('No events yet. An event names the entity', { exact: false }).waitFor();
  const entity = { kind: 'robot', external_id: 'r_1' };
  await send('POST', '/ingest', { events: [{ type: 'robot.moved', entity }] });
  await page.getByRole('link', { name: 'robot.moved' }).waitFor();
  await leave(page);
});

test('the events of one say what became of each, and say so when that changes', async () => {
  let isUp = false;
  const receiver = startReceiver(() => new Response('', { status: isUp ? 200 : 500 }));
  const { owner } = company;
  const make = async (path: string, body: object) =>
    dataOf<Record<'id' | 'secret', string>>(await owner.post(path, body));
  const { secret } = await make('/keys', { name: 'Drones' });
  const source = await make('/sources', { kind: 'sdk', name: 'Drones', match: 'drone.*' });
  const config = { url: receiver.url, auth: { mode: 'none' } };
  const policy = { attempts: 1 };
  const tower = await make('/destinations', { kind: 'webhook', name: 'Tower', config, policy });
  await make('/pipelines', { name: 'Drones', sources: [source.id], destinations: [{ id: tower.id }] });
  const entity = { kind: 'drone', external_id: 'd_1' };
  await ingestWith(company.service.url, secret)({ events: [{ type: 'drone.landed', entity }] });
  await owner.post('/entities', { ...entity, traits: {} });
  const { page, faults } = await visit(chromium, company.service.url, '/entities/drone/d_1', { as: owner });
  const row = page
    .getByRole('table', { name: 'Events of this entity' })
    .getByRole('row', { name: /drone.landed/ });
  await row.getByText('not delivered').waitFor();
  await row.getByText('0/1').waitFor();
  isUp = true;
  const [dead] = listOf<{ id: string }>(await owner.get(`/deliveries?destination=${tower.id}`)).data;
  await owner.post(`/deliveries/${dead?.id}/retry`);
  await row.getByText('1/1').waitFor();
  expect(await row.getByText('delivered', { exact: true }).count()).toBe(1);
  expect(faults).toEqual([]);
  await leave(page);
  await receiver.stop();
});

test('one is created, edited and linked by hand, and what others write meanwhile is not overwritten unasked', async () => {
  const { page, faults } = await visit(chromium, company.service.url, '/entities', { as: company.owner });
  const dialog = page.getByRole('dialog', { name: 'New entity' });
  const create = async (kind: string, id: string, traits: string) => {
    await page.getByRole('button', { name: 'New entity' }).click();
    await dialog.getByLabel('Kind').fill(kind);
    await dialog.getByLabel('External id').fill(id);
    await dialog.getByLabel('Traits').fill(traits);
    await dialog.getByRole('button', { name: 'Create' }).click();
  };
  await create('customer', 'c_0', '{}');
  await dialog.getByText('This entity already exists.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await create('robot', 'r/2', '{"legs": 9007199254740993}');
  await page.getByRole('heading', { level: 1, name: 'r/2' }).waitFor();
  await page
    .getByRole('row', { name: /legs 9007199254740993/ })
    .first()
    .waitFor();

  const write = (legs: number) =>
    company.owner.send('PUT', '/entities/robot/r%2F2', { body: { traits: { legs } } });
  await page.getByRole('button', { name: 'Edit traits' }).click();
  const traits = page.getByRole('textbox', { name: 'Traits' });
  await traits.fill('{"legs": ');
  await page.getByText('This is not JSON yet', { exact: false }).waitFor();
  await traits.fill('{"legs": 6, "colour": null}');
  await write(4);
  await page.getByText('It has changed in the meantime: version 2').waitFor();
  await page.getByRole('button', { name: 'Save traits' }).click();
  await page.getByRole('button', { name: 'Replace with mine' }).click();
  await page
    .getByRole('region', { name: 'Traits', exact: true })
    .getByRole('row', { name: /colour null/ })
    .waitFor();
  expect(dataOf(await company.owner.get('/entities/robot/r%2F2'))).toMatchObject({
    version: 3,
    traits: { legs: 6, colour: null },
  });
  await page.getByRole('button', { name: 'Edit traits' }).click();
  await traits.fill('{}');
  await write(8);
  await page.getByRole('button', { name: 'Load version 4' }).click();
  expect(await traits.inputValue()).toContain('"legs": 8');
  await page.getByRole('button', { name: 'Cancel' }).click();

  const form = page.getByRole('form', { name: 'Add a link' });
  const link = async (relation: string, kind: string, id: string) => {
    await form.getByLabel('Relation').fill(relation);
    await form.getByLabel('Kind').fill(kind);
    await form.getByLabel('External id').fill(id);
    await form.getByRole('button', { name: 'Add link' }).click();
  };
  await link('owned_by', 'customer', 'nobody');
  await form.getByText('One of the two does not exist.').waitFor();
  await link('owned_by', 'customer', 'c_0');
  const row = page
    .getByRole('table', { name: 'Links' })
    .getByRole('row', { name: /owned_by → customer c_0/ });
  await row.waitFor();
  expect(await faultsForAnybody(page)).toEqual([]);
  // It is gone at once, drawn and listed, and can be taken back.
  const unlink = row.getByRole('button', { name: 'Unlink' });
  const undo = page.getByRole('region', { name: 'Undo' });
  const lastActions = async () =>
    listOf<{ action: string }>(await company.owner.get('/audit?limit=3')).data.map(({ action }) => action);
  await unlink.click();
  await row.waitFor({ state: 'detached' });
  await page.getByText('No links yet.').waitFor();
  await undo.getByText('Link owned_by with customer c_0 removed').waitFor();
  await undo.getByRole('button', { name: /^Undo/ }).click();
  await page.getByRole('application').getByRole('link', { name: 'c_0' }).waitFor();
  // Made again while it could be taken back, it stays.
  await unlink.click();
  await row.waitFor({ state: 'detached' });
  await link('owned_by', 'customer', 'c_0');
  await row.waitFor();
  await undo.getByText('removed').waitFor({ state: 'detached' });
  expect(await lastActions()).toEqual(['entity.linked', 'entity.changed', 'entity.changed']);
  // Made again while it is being removed, it is made after that.
  const held = Promise.withResolvers<void>();
  await page.route(/links\/owned_by\//, async route => {
    if (route.request().method() === 'DELETE') await held.promise;
    return route.continue();
  });
  const asked: string[] = [];
  page.on('request', request => {
    if (request.url().includes('/links/owned_by/')) asked.push(request.method());
  });
  await unlink.click();
  await row.waitFor({ state: 'detached' });
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await undo.getByText('removed').waitFor({ state: 'detached' });
  await link('owned_by', 'customer', 'c_0');
  await form.getByRole('button', { name: 'Add link' }).and(page.locator('[data-loading]')).waitFor();
  expect(asked).toEqual(['DELETE']);
  held.resolve();
  await row.waitFor();
  expect(asked).toEqual(['DELETE', 'PUT']);
  expect(await lastActions()).toEqual(['entity.linked', 'entity.unlinked', 'entity.linked']);
  await page.unroute(/links\/owned_by\//);
  await unlink.click();
  await row.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await page.goto('about:blank');
  await until(async () => (await lastActions())[0] === 'entity.unlinked', 'It is linked still.');
  await leave(page);
});

test('where a link is removed what lay behind it goes, the identity says that it is of before, and the focus moves on', async () => {
  const { page, faults } = await visit(
    chromium,
    company.service.url,
    '/entities/customer/c_0?depth=3&identity=true',
    { as: company.owner },
  );
  const graph = page.getByRole('application');
  await graph.getByRole('link', { name: 'ios-7f3a' }).waitFor();
  const later = page.getByText('Updates once the link is removed.');
  expect(await later.count()).toBe(0);
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName,
    );
  const unlink = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter');
  // Notices come a second after the page, and nobody is quicker.
  await page.getByRole('region', { name: 'Undo' }).waitFor({ state: 'attached' });
  await unlink('Unlink same_as user ada@example.com');
  await graph.getByRole('link', { name: 'ios-7f3a' }).waitFor({ state: 'detached' });
  await graph.getByRole('link', { name: 'parkside' }).waitFor();
  // Of the identity, and of the events of all of it.
  await until(async () => (await later.count()) === 2, 'It is not said.');
  expect(await focused()).toBe('Unlink member_of company parkside');
  await unlink('Unlink member_of company parkside');
  await page.getByText('No links yet.').waitFor();
  expect(await focused()).toBe('Undo: Link member_of with company parkside removed');
  const undo = page.getByRole('region', { name: 'Undo' }).getByRole('button');
  await undo.last().click();
  await undo.click();
  await later.first().waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await leave(page);
});

test('one fits a phone, with whom its traits are from', async () => {
  const { page } = await visit(chromium, company.service.url, '/entities/customer/c_0', {
    as: company.owner,
    size: { width: 390, height: 844 },
  });
  const frame = page.getByRole('region', { name: 'Traits of the identity' });
  const row = frame.getByRole('row', { name: /locale "en-GB" user ada@example.com/ });
  await row.waitFor();
  for (const cell of await row.getByRole('cell').all()) {
    const { x = 0, width = 0 } = (await cell.boundingBox()) ?? {};
    expect(x + width).toBeLessThan(390);
  }
  expect(await frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await leave(page);
});

test('one is deleted with the payloads of its events, which a viewer is not offered', async () => {
  const viewer = await join(company.service.url, company.owner, 'looks@example.com', 'viewer');
  const seen = await visit(chromium, company.service.url, '/entities/customer/c_1', { as: viewer });
  await seen.page.getByRole('heading', { level: 1, name: 'c_1' }).waitFor();
  for (const name of ['Delete', 'Edit traits', 'Add link', 'Unlink'])
    expect(await seen.page.getByRole('button', { name }).count()).toBe(0);
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
