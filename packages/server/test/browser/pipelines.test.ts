import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { PipelineDetails } from '@sluice/contract/dashboard-pipelines';
import type { Browser as Chromium, Page } from 'playwright-core';
import {
  faultsForAnybody,
  launchChromium,
  leave,
  type Visit,
  type VisitOptions,
  visit,
} from '../support/browser-page.ts';
import { type Browser, dataOf, join, listOf, setUp } from '../support/dashboard.ts';
import { openaiAnswer, startModel } from '../support/model.ts';
import { makeInbox, makePipeline, makeWebhook, type PipelineInput, settled } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let chromium: Chromium;
let owner: Browser;
const model = startModel();
let source: string;
let inbox: string;
let seen: Visit | null = null;
beforeAll(async () => {
  [service, chromium] = await Promise.all([
    startTestService({ settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' } }),
    launchChromium(),
  ]);
  model.answer(() => openaiAnswer({ content: '{"severity":"high"}' }));
  owner = await setUp(service);
  const shop = await makeWebhook(service.url, owner, 'Shop');
  source = shop.id;
  inbox = await makeInbox(owner, 'Team inbox');
  await settled(
    owner,
    await shop.send({ type: 'order.created', total: 120, customer: { mail: 'jo@example.com' } }),
  );
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
  await model.stop();
});
beforeEach(async () => {
  if (seen) await leave(seen.page);
  seen = null;
});

const go = async (path: string, options: VisitOptions = {}): Promise<Page> => {
  seen = await visit(chromium, service.url, path, { as: owner, ...options });
  return seen.page;
};
/** A pipeline that listens to the shop, opened in the editor. */
const openNew = async (input: PipelineInput, options: VisitOptions = {}) => {
  const { id } = await makePipeline(owner, { name: 'Orders', sources: [source], ...input });
  return { id, page: await go(`/pipelines/${id}`, options) };
};
const read = async (id: string) => dataOf<PipelineDetails>(await owner.get(`/pipelines/${id}`));

const classify = () => ({
  kind: 'classify',
  config: {
    label: 'severity',
    labels: ['low', 'high'],
    prompt: 'How bad?',
    model: { provider: 'openai-compatible', base_url: model.url, name: 'm' },
  },
});
const filter = (condition: string) => ({ kind: 'filter.match', config: { condition } });
const openStep = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: false }).first().click();
const editor = (page: Page, name = 'Condition') =>
  page.getByRole('textbox', { name, exact: true }).and(page.locator('[contenteditable]'));
const rewrite = async (page: Page, text: string) => {
  await editor(page).click();
  await page.keyboard.press('Control+a');
  // Typed right over coloured text, Chromium tries to give it a style of its own, which the policy refuses.
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
};
const chooseEvent = async (page: Page) => {
  await page.getByRole('combobox', { name: 'Recent event' }).click();
  await page.getByRole('option', { name: 'order.created' }).first().click();
};
const save = async (page: Page) => {
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('All changes are saved.').waitFor();
};

test('a pipeline is made on the page, and stands as it was made', async () => {
  const page = await go('/pipelines');
  await page.getByRole('link', { name: 'New pipeline' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Large orders');
  await page.getByRole('combobox', { name: 'Sources' }).click();
  await page.getByRole('option', { name: 'Shop' }).click();
  await page.keyboard.press('Escape');
  for (const kind of ['Filter filter.match', 'Redact personal data']) {
    await page.getByRole('button', { name: 'Add step' }).click();
    await page.getByRole('menuitem', { name: kind }).click();
  }
  await rewrite(page, 'payload.total >= 100');
  await page.getByRole('checkbox', { name: 'email' }).check();
  await page.getByRole('combobox', { name: 'Add destination' }).click();
  await page.getByRole('option', { name: 'Team inbox' }).click();
  await page.getByRole('button', { name: 'Save version 1' }).click();
  await page.getByText('version 1', { exact: true }).waitFor();
  const pipeline = await read(page.url().split('/').at(-1) ?? '');
  expect(pipeline).toMatchObject({
    name: 'Large orders',
    enabled: true,
    sources: [source],
    steps: [filter('payload.total >= 100'), { kind: 'redact.pii' }],
    destinations: [{ id: inbox }],
  });
  await page.getByRole('link', { name: 'Pipelines' }).click();
  const row = page.getByRole('row', { name: 'Large orders' });
  await row.getByText('Redact personal data').waitFor();
  await row.getByRole('switch').press('Space');
  await until(async () => !(await read(pipeline.id)).enabled, 'It is still enabled.');
  expect((await read(pipeline.id)).version).toBe(1);
  expect(seen?.faults).toEqual([]);
});

describe('a condition', () => {
  test('that is broken says so and where, while it is typed and when it is saved', async () => {
    const { page } = await openNew({ steps: [{ kind: 'dedupe' }, filter('true')] });
    await openStep(page, '2. Filter');
    await rewrite(page, 'payload.total >=');
    await page.getByText('The expression ends too early (at character 17).').waitFor();
    await openStep(page, '2. Filter');
    await page.getByRole('button', { name: 'Save version 2' }).click();
    // The step that is wrong opens by itself.
    await page.getByText('The expression ends too early (at character 17).').waitFor();
    await rewrite(page, 'payload.total >= 1');
    await page.getByText('The expression ends too early').waitFor({ state: 'detached' });
    await save(page);
    expect(seen?.faults).toEqual([]);
  });

  test('is written as rows or as CEL, and one is read from the other', async () => {
    const { id, page } = await openNew({ steps: [filter('payload.total >= 100 && event.type == "a"')] });
    await openStep(page, '1. Filter');
    await page.getByRole('textbox', { name: 'Row 1: value' }).fill('250');
    await page.getByRole('textbox', { name: 'Row 2: value' }).fill('order.created');
    await page.getByText('Any of these').click();
    await page.getByText('CEL', { exact: true }).click();
    expect(await editor(page).innerText()).toBe('payload.total >= 250 || event.type == "order.created"');
    await rewrite(page, 'size(payload.items) > 3');
    expect(await page.getByRole('radio', { name: 'Builder' }).isDisabled()).toBe(true);
    await rewrite(page, 'has(payload.total)');
    await page.getByText('Builder', { exact: true }).click();
    expect(await page.getByRole('combobox', { name: 'Row 1: field' }).inputValue()).toBe('payload.total');
    await save(page);
    expect((await read(id)).steps).toEqual([filter('has(payload.total)')]);
  });

  test('is completed with the fields of the event that is tried', async () => {
    const { page } = await openNew({ steps: [filter('true')] });
    await openStep(page, '1. Filter');
    await chooseEvent(page);
    await page.getByText('It passes all steps.').waitFor();
    await rewrite(page, '');
    await page.keyboard.type('payload.cus');
    await page.getByRole('option', { name: 'payload.customer.mail' }).waitFor();
  });
});

test('steps are moved by the keyboard, and each move is announced', async () => {
  const steps = [
    { kind: 'dedupe' },
    filter('true'),
    { kind: 'redact.pii', config: { detectors: ['email'] } },
  ];
  const { id, page } = await openNew({ steps });
  await openStep(page, '1. Deduplicate');
  await openStep(page, '3. Redact');
  await page.getByRole('button', { name: 'Move step 1, Deduplicate' }).focus();
  await page.keyboard.press('Space');
  await page.getByText('Deduplicate is picked up from place 1 of 3.').waitFor({ state: 'attached' });
  for (const place of [2, 3]) {
    await page.keyboard.press('ArrowDown');
    await page.getByText(`Deduplicate is over place ${place} of 3.`).waitFor({ state: 'attached' });
  }
  await page.keyboard.press('Space');
  await page.getByText('Deduplicate is put down at place 3 of 3.').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Duplicate step 1' }).click();
  await page.getByRole('button', { name: 'Remove step 3' }).click();
  await save(page);
  expect((await read(id)).steps.map(({ kind }) => kind)).toEqual(['filter.match', 'filter.match', 'dedupe']);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Pipelines', level: 1 }).waitFor();
  // It can be taken back until the page is left.
  await page.goto('about:blank');
  await until(async () => (await owner.get(`/pipelines/${id}`)).status === 404, 'It is not deleted.');
});

test('where no model is asked, what depends on its label says so, and a label can be picked', async () => {
  const onCall = await makeInbox(owner, 'On call');
  const { page } = await openNew({
    steps: [
      {
        kind: 'classify',
        config: {
          label: 'severity',
          labels: ['low', 'high'],
          prompt: 'How bad?',
          model: { provider: 'anthropic', name: 'm' },
        },
      },
      { kind: 'transform', config: { set: { sev: '$event.labels.severity' } } },
    ],
    destinations: [
      { id: inbox, when: 'labels.severity == "high"' },
      { id: onCall, when: 'payload.sev == "high"' },
    ],
  });
  await chooseEvent(page);
  await page.getByText('Team inbox: Depends on labels.severity: pick a label to simulate.').waitFor();
  await page.getByText('On call: Depends on labels.severity: pick a label to simulate.').waitFor();
  expect(await page.getByText('It would not go to').count()).toBe(0);
  await page.getByRole('combobox', { name: 'Simulate labels.severity' }).click();
  await page.getByRole('option', { name: 'high' }).click();
  await page.getByText('It would go to Team inbox.').waitFor();
  await page.getByText('It would go to On call.').waitFor();
});

test('the test panel shows what each step does, again after each change, and stores nothing', async () => {
  const { id, page } = await openNew({
    steps: [{ kind: 'redact.pii', config: { detectors: ['email'] } }, filter('payload.total > 1')],
    destinations: [{ id: inbox, when: 'payload.total > 1000' }],
  });
  const events = async () => listOf(await owner.get('/events')).data.length;
  const before = await events();
  await page.getByText('Nothing is sent, nothing is stored.').waitFor();
  await chooseEvent(page);
  await page.getByText('+ payload.customer.mail: "[email]"').waitFor();
  await page.getByText('It would not go to Team inbox: payload.total > 1000 is false.').waitFor();
  await openStep(page, '2. Filter');
  await page
    .getByRole('listitem', { name: 'Step 2: Filter' })
    .getByRole('textbox', { name: 'Row 1: value' })
    .fill('500');
  await page.getByText('A step drops it.').waitFor();
  await page.getByText('payload.total > 500 is false').waitFor();
  await page
    .getByRole('listitem', { name: 'Step 2: Filter' })
    .getByRole('combobox', { name: 'Row 1: field' })
    .fill('totals');
  await page.getByText('Step 2: Unknown variable: totals').waitFor();
  await page
    .getByRole('listitem', { name: 'Step 2: Filter' })
    .getByRole('combobox', { name: 'Row 1: field' })
    .fill('payload.total');
  await page.getByText('Custom event').click();
  await page.getByRole('textbox', { name: 'Event' }).fill('{"type":"x","payload":{"total":5000}}');
  await page.getByText('It would go to Team inbox.').waitFor();
  await page.getByRole('button', { name: 'Save as test event' }).click();
  await page.getByRole('textbox', { name: 'Name' }).last().fill('A large order');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const saved = page.getByRole('combobox', { name: 'Saved event' });
  await saved.waitFor();
  await page.reload();
  await page.getByText('Saved', { exact: true }).click();
  await saved.click();
  await page.getByRole('option', { name: 'A large order · x' }).click();
  await page.getByText('It would go to Team inbox.').waitFor();
  expect(await events()).toBe(before);
  expect(listOf(await owner.get(`/events?pipeline=${id}`)).data).toEqual([]);
  expect((await read(id)).version).toBe(1);
});

test('each step says what became of the events that came to it, and a list of pipelines all of it', async () => {
  const hook = await makeWebhook(service.url, owner, 'Counted');
  const steps = [filter('payload.total > 1'), { kind: 'transform', config: { remove: ['notes'] } }];
  const { id, page } = await openNew({ name: 'Counting', sources: [hook.id], steps });
  for (const total of [1, 2, 3]) await settled(owner, await hook.send({ total, notes: 'x' }));
  const figures = (name: string) => page.getByRole('listitem', { name }).getByRole('definition');
  const shows = (name: string, ...wanted: string[]) =>
    until(async () => {
      const shown = await figures(name).allInnerTexts();
      return wanted.every((figure, place) => shown[place] === figure);
    }, `${name} does not show ${wanted}.`);
  await shows('Step 1: Filter', '3', '1', '0');
  await shows('Step 2: Transform', '2', '0', '0');
  await page.getByRole('button', { name: '2. Transform' }).getByText('remove notes').waitFor();
  await openStep(page, '1. Filter');
  const operator = page.getByRole('combobox', { name: 'Row 1: operator' });
  expect(await operator.inputValue()).toBe('is more than');
  expect(await operator.evaluate(field => field.scrollWidth <= field.clientWidth)).toBe(true);
  await openStep(page, '1. Filter');
  expect(await faultsForAnybody(page)).toEqual([]);

  // What is being changed has no figures yet, and its version may say why it was made.
  await page.getByRole('button', { name: 'Remove step 2' }).click();
  await figures('Step 1: Filter').first().waitFor({ state: 'detached' });
  // The bar that saves lies below the test panel, and not over it.
  const panelEnd = await page
    .getByRole('heading', { name: 'Test', exact: true })
    .evaluate(heading => heading.closest('section')?.parentElement?.getBoundingClientRect().bottom);
  const bar = await page.getByLabel('Unsaved changes').boundingBox();
  expect(panelEnd).toBeLessThanOrEqual(bar?.y ?? 0);
  await page.getByRole('textbox', { name: 'Note on this version' }).fill('Notes may stay');
  await save(page);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByText('Notes may stay').waitFor();
  await page.getByRole('button', { name: 'Add note to version 1' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('As we began');
  await page.getByRole('button', { name: 'Save note' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('As we began').waitFor();
  expect(await faultsForAnybody(page)).toEqual([]);

  await page.goto(`${service.url}/pipelines?sort=-in`);
  const row = page.getByRole('row', { name: 'Counting' });
  await until(async () => {
    const cells = await row.getByRole('cell').allInnerTexts();
    return cells.slice(4, 7).join() === '3,1,0';
  }, 'The list has other figures than the page.');
  await page.getByRole('row').nth(1).getByRole('link', { name: 'Counting' }).waitFor();
  expect(await page.getByRole('columnheader', { name: 'In', exact: true }).getAttribute('aria-sort')).toBe(
    'descending',
  );
  expect(await faultsForAnybody(page)).toEqual([]);
  // So many as the figures say are listed behind them, from the list and from the page.
  for (const from of [row, page.locator('main')]) {
    await from.getByRole('link', { name: '3', exact: true }).click();
    const events = page.getByRole('table', { name: 'Events', exact: true }).getByRole('row');
    await until(async () => (await events.count()) === 4, 'The list behind what came in has others.');
    await page.goBack();
    await from.getByRole('link', { name: '0', exact: true }).click();
    await page.waitForURL(/dead-letters\?kind=event&pipeline=.*within=1h/);
    await page.getByText(/^No .* match/).waitFor();
    await page.goto(`${service.url}/pipelines/${id}`);
  }
  expect(seen?.faults).toEqual([]);
  expect((await read(id)).version).toBe(2);
});

test('figures that could not be read say why, and are read again by hand', async () => {
  const { id } = await makePipeline(owner, { name: 'Unread', sources: [source] });
  const page = await go('/login');
  // It would bring them by itself.
  await page.route(/\/dashboard\/api\/.*live/, route => route.abort());
  const error = { code: 'internal', message: 'The disk is full.' };
  const figures = /\/pipelines\/[^/]+\/figures/;
  await page.route(figures, route => route.fulfill({ status: 503, json: { error } }));
  await page.goto(`${service.url}/pipelines/${id}`);
  const notice = page.getByRole('alert').filter({ hasText: 'The disk is full.' });
  await notice.waitFor();
  await page.unroute(figures);
  await notice.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Step figures are for version 1', { exact: false }).waitFor();
  await notice.waitFor({ state: 'detached' });
});

test('what is being deleted keeps its name in what names it, until it is gone', async () => {
  const doomed = await makeWebhook(service.url, owner, 'Doomed shop');
  const { id } = await makePipeline(owner, {
    name: 'Bereft',
    sources: [doomed.id],
    destinations: [{ id: inbox }],
  });
  await makeWebhook(service.url, owner, 'Lasting shop');
  await makePipeline(owner, { name: 'Bystander', sources: [], destinations: [] });
  const page = await go(`/sources/${doomed.id}`);
  const held = Promise.withResolvers<void>();
  await page.route(`**/sources/${doomed.id}`, async route => {
    if (route.request().method() === 'DELETE') await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('region', { name: 'Undo' }).getByText('“Doomed shop” deleted').waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Pipelines' }).click();
  const row = page.getByRole('row', { name: 'Bereft' });
  await row.getByRole('cell', { name: 'Doomed shop' }).waitFor();
  await row.getByRole('link', { name: 'Bereft' }).click();
  await page.getByRole('tab', { name: 'Editor' }).waitFor();
  await page.getByText('Doomed shop', { exact: true }).first().waitFor();
  expect(await page.getByText(doomed.id).count()).toBe(0);
  // Another pipeline is not offered it.
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Pipelines' }).click();
  await page.getByRole('row', { name: 'Bystander' }).getByRole('link', { name: 'Bystander' }).click();
  await page.getByRole('combobox', { name: 'Sources' }).click();
  await page.getByRole('option', { name: 'Lasting shop' }).waitFor();
  expect(await page.getByRole('option', { name: 'Doomed shop' }).count()).toBe(0);
  // As when the page is left, but it stays and can be looked at.
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  held.resolve();
  await until(async () => (await read(id)).sources.length === 0, 'It is not deleted.');
  await page.goto(`${service.url}/pipelines`);
  await until(async () => (await row.getByRole('cell').nth(1).innerText()) === 'none', 'It is still named.');
  expect(seen?.faults).toEqual([]);
});

test('versions are compared and rolled back to, and unsaved changes are not lost unasked', async () => {
  const { id, page } = await openNew({ steps: [filter('payload.total > 1')] });
  await page.getByRole('textbox', { name: 'Name' }).fill('Renamed');
  await page.getByRole('link', { name: 'Sources' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  await save(page);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Compare version 1' }).click();
  const diff = page.getByRole('textbox', { name: 'What changed since version 1' });
  await until(async () => /Orders[\s\S]*Renamed/.test(await diff.innerText()), 'The names are not compared.');
  await page.keyboard.press('Escape');
  await diff.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Roll back to 1' }).click();
  await page.getByRole('button', { name: 'Roll back', exact: true }).click();
  await page.getByText('version 3', { exact: true }).waitFor();
  expect(await read(id)).toMatchObject({ name: 'Orders', version: 3 });
  await page.getByRole('link', { name: 'Sources' }).click();
  await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor();
  expect(seen?.faults).toEqual([]);
});

test('what somebody else saves is shown at once, and takes no draft away unasked', async () => {
  const { id, page } = await openNew({});
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  await owner.patch(`/pipelines/${id}`, { name: 'Theirs' });
  await page.getByRole('heading', { name: 'Theirs' }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
  await owner.patch(`/pipelines/${id}`, { name: 'Theirs again' });
  await page.getByText('Someone else has saved version 3').waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Mine');
  await page.getByRole('button', { name: 'Load their version' }).click();
  await page.getByRole('heading', { name: 'Theirs again' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Theirs again');
});

test('a viewer reads all of it, and finds nothing that would be refused', async () => {
  const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  const hook = await makeWebhook(service.url, owner, 'Tickets');
  const { id } = await makePipeline(owner, {
    name: 'Read only',
    sources: [hook.id],
    steps: [filter('payload.total > 1'), classify(), { kind: 'transform', config: { set: { a: 1 } } }],
  });
  await settled(owner, await hook.send({ total: 2 }));
  const page = await go(`/pipelines/${id}`, { as: viewer });
  await page.getByText('Model calls', { exact: true }).waitFor();
  await page.getByText('enabled', { exact: true }).first().waitFor();
  await openStep(page, '1. Filter');
  const step = (name: string) => page.getByRole('listitem', { name });
  await step('Step 1: Filter').getByRole('definition').getByText('payload.total > 1').waitFor();
  await openStep(page, '3. Transform');
  await step('Step 3: Transform').getByText('a = 1').waitFor();
  // The step that asks a model says what it asked and saved, and no other does.
  await step('Step 2: Classify').getByText('calls saved').waitFor();
  expect(await page.getByText('calls saved', { exact: true }).count()).toBe(1);
  // As text, and in no field.
  expect(
    await page.locator('main').locator('input:not([type=radio]), textarea, [contenteditable]').count(),
  ).toBe(0);
  for (const name of [/^Save/, 'Delete', /^Add/, 'Examples', /^Move step/, /^Remove/, /^Duplicate/])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByText('current', { exact: true }).waitFor();
  await page.goto(`${service.url}/pipelines`);
  await page.getByRole('link', { name: 'Read only' }).waitFor();
  expect(await page.getByRole('link', { name: 'New pipeline' }).count()).toBe(0);
  expect(await page.getByRole('switch').count()).toBe(0);
  await page.goto(`${service.url}/pipelines/new`);
  await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
  expect((await read(id)).version).toBe(1);
});

test('the editor is sound for everybody in light and dark, on a phone too', async () => {
  const { page } = await openNew({
    steps: [filter('size(payload.items) > 1'), { kind: 'transform', config: { set: { a: 1 } } }],
    destinations: [{ id: inbox, when: 'payload.total > 1' }],
  });
  await openStep(page, '1. Filter');
  await openStep(page, '2. Transform');
  await rewrite(page, 'payload.total >=');
  await page.getByText('at character 17').waitFor();
  await page.getByText('Custom event').click();
  await page.getByRole('textbox', { name: 'Event' }).waitFor();
  expect(await faultsForAnybody(page)).toEqual([]);
  expect(seen?.faults).toEqual([]);
});
