import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { AlertsRecord } from '@sluice/contract/dashboard-alerts';
import { alertCondition } from '@sluice/contract/system-events';
import type { Browser as Chromium, Locator, Page } from 'playwright-core';
import { launchChromium, leave, visit } from '../support/browser-page.ts';
import { type Browser, dataOf, join, PASSWORD, setUp } from '../support/dashboard.ts';
import { makePipeline, makeWebhook } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let chromium: Chromium;
let owner: Browser;
let pipeline: string;
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), launchChromium()]);
  owner = await setUp(service);
  const { id: shop } = await makeWebhook(service.url, owner, 'Shop');
  pipeline = (await makePipeline(owner, { name: 'Orders', sources: [shop] })).id;
  dataOf(await owner.post('/entities', { kind: 'customer', external_id: 'c_1', traits: { plan: 'pro' } }));
  const { source_id } = dataOf<AlertsRecord>(await owner.get('/alerts'));
  const told = alertCondition(['sluice.dead_letters.growing']);
  const steps = [{ kind: 'filter.match', config: { condition: told } }];
  await makePipeline(owner, { name: 'Alerts to us', sources: [source_id], steps });
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

const open = async (path: string) => (await visit(chromium, service.url, path, { as: owner })).page;
const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' });
const answer = (page: Page, word: 'Stay' | 'Leave') =>
  question(page).getByRole('button', { name: word, exact: true }).click();
const kept = (page: Page) => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
const nothingKept = (page: Page) =>
  page.waitForFunction(() => !JSON.stringify({ ...sessionStorage }).includes('draft'));
/** From now on nothing that is read is answered, until it is let go. */
async function holdReads(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route('**/dashboard/api/**', async route => {
    if (route.request().method() === 'GET') await held.promise;
    // Nobody may wait for it any more.
    await route.continue().catch(() => {});
  });
  return held.resolve;
}

describe('a dialog with a form', () => {
  test('of a new entity closes at once while it is empty, asks once something is typed, and is open again after a reload', async () => {
    const page = await open('/entities');
    const dialog = page.getByRole('dialog', { name: 'New entity' });
    await page.getByRole('button', { name: 'New entity' }).click();
    await dialog.getByLabel('Kind').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'New entity' }).click();
    await dialog.getByLabel('Kind').fill('robot');
    await dialog.getByLabel('Traits').fill('{"legs": 9007199254740993}');
    await page.keyboard.press('Escape');
    await question(page).waitFor();
    // Escape answers the question, and closes nothing below it.
    await page.keyboard.press('Escape');
    await question(page).waitFor({ state: 'hidden' });
    expect(await dialog.getByLabel('Kind').inputValue()).toBe('robot');
    await page.reload();
    await dialog.getByText('Your unsaved changes were restored.').waitFor();
    expect(await dialog.getByLabel('Traits').inputValue()).toBe('{"legs": 9007199254740993}');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await answer(page, 'Leave');
    await dialog.waitFor({ state: 'hidden' });
    expect(await kept(page)).not.toContain('robot');
    await page.getByRole('button', { name: 'New entity' }).click();
    expect(await dialog.getByLabel('Kind').inputValue()).toBe('');
    await dialog.getByLabel('Kind').fill('robot');
    await dialog.getByLabel('External id').fill('r_1');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'r_1' }).waitFor();
    expect(await kept(page)).not.toContain('robot');
    await leave(page);
  });

  test('of the note on a version is kept over a reload, and asked about', async () => {
    const page = await open(`/pipelines/${pipeline}?tab=versions`);
    const dialog = page.getByRole('dialog', { name: 'Note on version 1' });
    await page.getByRole('button', { name: 'Add note to version 1' }).click();
    await dialog.getByLabel('Note').fill('The first one');
    await page.keyboard.press('Escape');
    await answer(page, 'Stay');
    await page.reload();
    await dialog.waitFor();
    expect(await dialog.getByLabel('Note').inputValue()).toBe('The first one');
    await dialog.getByRole('button', { name: 'Save note' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('cell', { name: 'The first one' }).waitFor();
    expect(await kept(page)).not.toContain('The first one');
    await leave(page);
  });

  test('of a test with an event asks about one that was written, and not about one that was only chosen', async () => {
    const { id } = dataOf<{ id: string }>(
      await owner.post('/destinations', { kind: 'inbox', name: 'Inbox' }),
    );
    const page = await open(`/destinations/${id}`);
    const dialog = page.getByRole('dialog', { name: 'Test with an event' });
    await page.getByRole('button', { name: 'More tests' }).click();
    await page.getByRole('menuitem', { name: 'Test with an event…' }).click();
    await dialog.getByText('Custom event').click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'More tests' }).click();
    await page.getByRole('menuitem', { name: 'Test with an event…' }).click();
    await dialog.getByText('Custom event').click();
    await dialog.getByRole('textbox', { name: 'Event' }).fill('{"type": "written.by.hand"}');
    await page.keyboard.press('Escape');
    await answer(page, 'Stay');
    await page.reload();
    await dialog.waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Event' }).inputValue()).toBe(
      '{"type": "written.by.hand"}',
    );
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await kept(page)).not.toContain('written.by.hand');
    await leave(page);
  });

  test('of a view is kept over a reload, and asked about', async () => {
    const page = await open('/events');
    const dialog = page.getByRole('dialog', { name: 'Save as a view' });
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as a view' }).click();
    await dialog.getByLabel('Name').fill('Of today');
    await page.keyboard.press('Escape');
    await answer(page, 'Stay');
    await page.reload();
    await dialog.waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Of today');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Of today' }).waitFor();
    expect(await kept(page)).not.toContain('draft');
    await leave(page);
  });
});

describe('the event of a test', () => {
  const openTest = async () => {
    const { id } = dataOf<{ id: string }>(
      await owner.post('/destinations', { kind: 'inbox', name: 'Tried' }),
    );
    const page = await open(`/destinations/${id}`);
    await page.getByRole('button', { name: 'More tests' }).click();
    await page.getByRole('menuitem', { name: 'Test with an event…' }).click();
    return { page, dialog: page.getByRole('dialog', { name: 'Test with an event' }) };
  };

  test('that was saved is asked about once it is changed, until the change is saved', async () => {
    dataOf(await owner.post('/test-events', { name: 'A paid order', event: { type: 'order.paid' } }));
    const { page, dialog } = await openTest();
    const text = dialog.getByRole('textbox', { name: 'Event', exact: true });
    await dialog.getByText('Saved', { exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Saved event' }).click();
    await page.getByRole('option', { name: 'A paid order · order.paid' }).click();
    await text.fill('{"type": "order.changed"}');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await answer(page, 'Stay');
    await page.reload();
    await dialog.waitFor();
    expect(await text.inputValue()).toBe('{"type": "order.changed"}');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await page.waitForFunction(() => !JSON.stringify({ ...sessionStorage }).includes('order.changed'));
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await leave(page);
  });

  test('that is a copy of a recent one is not asked about before it is changed', async () => {
    const shop = await makeWebhook(service.url, owner, 'Copied');
    await shop.send({ type: 'order.copied' });
    const { page, dialog } = await openTest();
    const text = dialog.getByRole('textbox', { name: 'Event', exact: true });
    await dialog.getByRole('combobox', { name: 'Recent event' }).click();
    await page.getByRole('option', { name: /Copied/ }).click();
    await dialog.getByRole('button', { name: 'Edit a copy' }).click();
    await text.waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await leave(page);
  });
});

describe('what is typed on a page is asked about before it is left, and there again after a reload:', () => {
  interface TypedForm {
    readonly at: () => string;
    readonly what: string;
    type(page: Page): Promise<unknown>;
    /** What was typed, as it stands there. */
    read(page: Page): Promise<string>;
    readonly typed: string;
    /** Waits for the form as it is before anything is typed, where the field is not drawn then. */
    untouched?(page: Page): Promise<unknown>;
  }
  const field = (page: Page, name: string) => page.getByRole('textbox', { name });
  const channel = (page: Page) => page.getByRole('group', { name: 'Alerts to us' });
  const jobs = (page: Page) => channel(page).getByRole('checkbox', { name: 'Job finished' });
  /** Nothing where the field is not drawn. */
  const shown = async (one: Locator) => ((await one.count()) === 0 ? '' : one.inputValue());
  const forms: TypedForm[] = [
    {
      what: 'retention',
      at: () => '/settings/retention',
      type: page => field(page, 'Days to keep events').fill('77'),
      read: page => field(page, 'Days to keep events').inputValue(),
      typed: '77',
    },
    {
      what: 'an invitation',
      at: () => '/settings/members',
      type: page => field(page, 'Email').fill('grace@example.com'),
      read: page => field(page, 'Email').inputValue(),
      typed: 'grace@example.com',
    },
    {
      what: 'the name of a new key',
      at: () => '/settings/keys',
      type: page => field(page, 'Name of the key').fill('nightly import'),
      read: page => field(page, 'Name of the key').inputValue(),
      typed: 'nightly import',
    },
    {
      what: 'the name of a new organisation',
      at: () => '/settings/organisations',
      type: page => field(page, 'Name of the organisation').fill('Second'),
      read: page => field(page, 'Name of the organisation').inputValue(),
      typed: 'Second',
    },
    {
      what: 'another name of an organisation',
      at: () => '/settings/organisations',
      async type(page) {
        await page.getByRole('button', { name: 'Rename' }).click();
        await field(page, 'New name of Acme').fill('Acme and sons');
      },
      read: page => shown(field(page, 'New name of Acme')),
      typed: 'Acme and sons',
      untouched: page => page.getByRole('button', { name: 'Rename' }).waitFor(),
    },
    {
      what: 'a new alert, but for its secret',
      at: () => '/settings/alerts',
      async type(page) {
        await page.getByText('Telegram', { exact: true }).click();
        await field(page, 'Bot token').fill('typed-and-never-kept');
        await field(page, 'Chat').fill('@on-call');
      },
      read: page => shown(field(page, 'Chat')),
      typed: '@on-call',
      untouched: page =>
        page
          .getByRole('radiogroup', { name: 'Where to' })
          .getByRole('radio', { name: 'Slack', checked: true })
          .waitFor({ state: 'attached' }),
    },
    {
      what: 'traits',
      at: () => '/entities/customer/c_1',
      async type(page) {
        await page.getByRole('button', { name: 'Edit traits' }).click();
        await field(page, 'Traits').fill('{"plan": "free"}');
      },
      read: page => shown(field(page, 'Traits')),
      typed: '{"plan": "free"}',
      untouched: page => page.getByRole('button', { name: 'Edit traits' }).waitFor(),
    },
    {
      what: 'a link',
      at: () => '/entities/customer/c_1',
      type: page => page.getByRole('form', { name: 'Add a link' }).getByLabel('Kind').fill('company'),
      read: page => page.getByRole('form', { name: 'Add a link' }).getByLabel('Kind').inputValue(),
      typed: 'company',
    },
    {
      what: 'the note on what is being changed of a pipeline',
      at: () => `/pipelines/${pipeline}`,
      async type(page) {
        await field(page, 'Name').fill('Orders of today');
        await field(page, 'Note on this version').fill('A better name');
      },
      read: page => shown(field(page, 'Note on this version')),
      typed: 'A better name',
      untouched: async page => expect(await field(page, 'Name').inputValue()).toBe('Orders'),
    },
    {
      what: 'the custom event that a pipeline is tested with',
      at: () => `/pipelines/${pipeline}`,
      async type(page) {
        await page.getByText('Custom event').click();
        await page.getByRole('textbox', { name: 'Event', exact: true }).fill('{"type": "tried.by.hand"}');
      },
      read: page => shown(page.getByRole('textbox', { name: 'Event', exact: true })),
      typed: '{"type": "tried.by.hand"}',
      untouched: page => page.getByRole('combobox', { name: 'Recent event' }).waitFor(),
    },
    {
      what: 'which events a channel of alerts tells',
      at: () => '/settings/alerts',
      async type(page) {
        await channel(page).locator('summary').click();
        await jobs(page).check();
      },
      read: async page => ((await jobs(page).isChecked()) ? 'sluice.job.finished' : ''),
      typed: 'sluice.job.finished',
      untouched: page => channel(page).locator('summary').click(),
    },
    {
      what: 'delays that cannot be read yet',
      at: () => '/destinations/new?kind=webhook',
      type: page => field(page, 'Retry schedule').fill('5 minutes or so'),
      read: async page =>
        (await page.getByText('Use delays such as').count()) === 0 ? '' : '5 minutes or so',
      typed: '5 minutes or so',
      untouched: page => field(page, 'Retry schedule').waitFor(),
    },
    {
      what: 'the event that a message is shown with',
      at: () => '/destinations/new?kind=slack',
      async type(page) {
        await page.getByText('Custom event').click();
        await page.getByRole('textbox', { name: 'Event', exact: true }).fill('{"type": "shown.by.hand"}');
      },
      read: page => shown(page.getByRole('textbox', { name: 'Event', exact: true })),
      typed: '{"type": "shown.by.hand"}',
      untouched: page => page.getByRole('group', { name: 'Preview' }).waitFor(),
    },
    {
      what: 'the note on a new pipeline',
      at: () => '/pipelines/new',
      type: page => field(page, 'Note on this version').fill('A first one'),
      read: page => field(page, 'Note on this version').inputValue(),
      typed: 'A first one',
    },
  ];
  for (const form of forms) {
    test(form.what, async () => {
      const page = await open(form.at());
      await form.type(page);
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForFunction(typed => {
        const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea')];
        return fields.some(({ value }) => value === typed);
      }, form.typed);
      expect(await form.read(page)).toBe(form.typed);
      expect(await kept(page)).not.toContain('typed-and-never-kept');
      await page.getByRole('link', { name: 'Jobs' }).click();
      await answer(page, 'Stay');
      expect(await form.read(page)).toBe(form.typed);
      await page.getByRole('link', { name: 'Jobs' }).click();
      await answer(page, 'Leave');
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      expect(await kept(page)).not.toContain('draft');
      await page.goto(`${service.url}${form.at()}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await form.untouched?.(page);
      expect(await form.read(page)).toBe('');
      await leave(page);
    });
  }

  test('two forms of one page, about which is asked once', async () => {
    const page = await open('/entities/customer/c_1');
    await page.getByRole('button', { name: 'Edit traits' }).click();
    await field(page, 'Traits').fill('{"plan": "free"}');
    const kind = page.getByRole('form', { name: 'Add a link' }).getByLabel('Kind');
    await kind.fill('company');
    await page.getByRole('link', { name: 'Jobs' }).click();
    await answer(page, 'Stay');
    await question(page).waitFor({ state: 'hidden' });
    expect(await field(page, 'Traits').inputValue()).toBe('{"plan": "free"}');
    expect(await kind.inputValue()).toBe('company');
    await page.getByRole('link', { name: 'Jobs' }).click();
    await answer(page, 'Leave');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    expect(await kept(page)).not.toContain('draft');
    await leave(page);
  });

  test('a configuration file that was pasted, which is not kept', async () => {
    const page = await open('/settings/configuration');
    await page.getByRole('textbox', { name: 'File' }).fill('sluice: 1');
    await page.getByRole('link', { name: 'Jobs' }).click();
    await answer(page, 'Stay');
    expect(await kept(page)).not.toContain('sluice: 1');
    await leave(page);
  });
});

test('an event that a message was shown with keeps nobody who has made the destination', async () => {
  const page = await open('/destinations/new?kind=slack');
  await page.getByText('Custom event').click();
  await page.getByRole('textbox', { name: 'Event', exact: true }).fill('{"type": "shown.by.hand"}');
  await page.getByRole('textbox', { name: 'Name' }).fill('Our channel');
  await page.getByLabel('URL').fill('https://hooks.slack.com/services/T0/B0/x');
  await page.getByRole('button', { name: 'Create destination' }).click();
  await page.getByRole('heading', { level: 1, name: 'Our channel' }).waitFor();
  expect(await kept(page)).not.toContain('draft');
  await leave(page);
});

test('a secret of a provider that was pasted is not kept, and asked about before its dialog is closed', async () => {
  const made = { kind: 'webhook', name: 'Payments', auth: 'provider', provider: 'stripe', secret: 'whsec_1' };
  const { id } = dataOf<{ id: string }>(await owner.post('/sources', made));
  const page = await open(`/sources/${id}`);
  const dialog = page.getByRole('dialog', { name: 'Rotate secret' });
  const secret = dialog.getByLabel('New secret');
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await secret.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await secret.fill('whsec_pasted');
  // Beside it.
  await page.mouse.click(5, 5);
  await answer(page, 'Stay');
  expect(await secret.inputValue()).toBe('whsec_pasted');
  expect(await kept(page)).not.toContain('whsec_pasted');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await answer(page, 'Leave');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  expect(await secret.inputValue()).toBe('');
  await secret.fill('whsec_2');
  await dialog.getByRole('button', { name: 'Use new secret' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await leave(page);
});

describe('what was saved is unsaved no more while everything is still being read again:', () => {
  test('the name of a new key, whose secret is shown already', async () => {
    const page = await open('/settings/keys');
    const name = page.getByRole('textbox', { name: 'Name of the key' });
    await name.fill('nightly import');
    const letGo = await holdReads(page);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Copy this key now').waitFor();
    expect(await name.inputValue()).toBe('');
    await nothingKept(page);
    letGo();
    await page.getByRole('cell', { name: 'nightly import' }).waitFor();
    await leave(page);
  });

  test('an invitation, whose link is shown already', async () => {
    const page = await open('/settings/members');
    const email = page.getByRole('textbox', { name: 'Email' });
    await email.fill('hopper@example.com');
    const letGo = await holdReads(page);
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('Send this link to hopper@example.com.').waitFor();
    expect(await email.inputValue()).toBe('');
    await nothingKept(page);
    letGo();
    await page.getByRole('cell', { name: 'hopper@example.com' }).waitFor();
    await leave(page);
  });

  test('the name of a new organisation', async () => {
    const page = await open('/settings/organisations');
    await page.getByRole('textbox', { name: 'Name of the organisation' }).fill('Saved');
    const letGo = await holdReads(page);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await nothingKept(page);
    letGo();
    await page.getByRole('group', { name: 'Saved' }).waitFor();
    await leave(page);
  });

  test('a secret that was pasted, and an error of another one is gone when its dialog is opened again', async () => {
    const made = { kind: 'webhook', name: 'Paid', auth: 'provider', provider: 'stripe', secret: 'whsec_1' };
    const { id } = dataOf<{ id: string }>(await owner.post('/sources', made));
    const page = await open(`/sources/${id}`);
    const dialog = page.getByRole('dialog', { name: 'Rotate secret' });
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByRole('button', { name: 'Use new secret' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByLabel('New secret').fill('whsec_2');
    expect(await dialog.getByRole('alert').count()).toBe(0);
    const letGo = await holdReads(page);
    await dialog.getByRole('button', { name: 'Use new secret' }).click();
    await dialog.waitFor({ state: 'hidden' });
    letGo();
    await leave(page);
  });
});

describe('what was restored and is discarded stands in no field any more:', () => {
  const discard = (page: Page) => page.getByRole('button', { name: 'Discard' }).click();

  test('of a destination', async () => {
    const page = await open('/destinations/new?kind=notion');
    const properties = page.getByLabel('Properties: name 1');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await properties.fill('Of no use');
    await page.reload();
    await properties.waitFor();
    await discard(page);
    await properties.waitFor({ state: 'detached' });
    expect(await kept(page)).not.toContain('draft');
    await leave(page);
  });

  test('of a copy of a pipeline, with what was no JSON yet and is after a reload as it was typed', async () => {
    const steps = [{ kind: 'transform', config: { template: { id: '$event.id' } } }];
    const { id } = await makePipeline(owner, { name: 'Copied', steps });
    const page = await open(`/pipelines/new?clone=${id}`);
    const template = page.getByRole('textbox', { name: 'Template' });
    const openStep = () => page.getByRole('button', { name: '1. Transform' }).first().click();
    await openStep();
    const begun = await template.inputValue();
    await template.fill('{"a":');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await openStep();
    expect(await template.inputValue()).toBe('{"a":');
    await page.getByText('This is not JSON yet').waitFor();
    await discard(page);
    if (!(await template.isVisible())) await openStep();
    expect(await template.inputValue()).toBe(begun);
    await leave(page);
  });
});

test('a note goes with the changes that it is on, when they are discarded', async () => {
  const page = await open(`/pipelines/${pipeline}`);
  const [name, note] = ['Name', 'Note on this version'].map(label =>
    page.getByRole('textbox', { name: label }),
  );
  await name?.fill('Of no use');
  await note?.fill('A bad idea');
  await page.getByRole('button', { name: 'Discard' }).click();
  await name?.fill('Of use');
  expect(await note?.inputValue()).toBe('');
  await leave(page);
});

describe('whoever logs out', () => {
  const account = (page: Page) =>
    page.getByRole('navigation').getByRole('button', { name: /Acme.*@example\.com/ });
  const logOut = async (page: Page) => {
    await account(page).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
  };

  test('is asked about what is unsaved while it can still be saved', async () => {
    const person = await join(service.url, owner, 'leaves@example.com', 'owner');
    const { page } = await visit(chromium, service.url, '/settings/retention', { as: person });
    const days = page.getByRole('textbox', { name: 'Days to keep events' });
    await days.fill('77');
    await logOut(page);
    await answer(page, 'Stay');
    await question(page).waitFor({ state: 'hidden' });
    expect((await person.get('/session')).status).toBe(200);
    expect(await days.inputValue()).toBe('77');
    await logOut(page);
    await answer(page, 'Leave');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect((await person.get('/session')).status).toBe(401);
    expect(await kept(page)).not.toContain('draft');
    await leave(page);
  });

  test('or whose session ends leaves nothing of what they typed to the next one in the same tab', async () => {
    await join(service.url, owner, 'next@example.com', 'owner');
    const person = await join(service.url, owner, 'before@example.com', 'owner');
    const { page } = await visit(chromium, service.url, '/settings/members', { as: person });
    await page.getByRole('textbox', { name: 'Email' }).fill('secret-hire@example.com');
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const logIn = async (email: string) => {
      await page.getByLabel('Email').fill(email);
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('heading', { name: 'Invite member' }).waitFor();
    };
    // They come back themselves.
    await logIn('before@example.com');
    const email = page.getByRole('textbox', { name: 'Email' });
    expect(await email.inputValue()).toBe('secret-hire@example.com');
    await page.context().clearCookies();
    await page.reload();
    await logIn('next@example.com');
    expect(await email.inputValue()).toBe('');
    expect(await kept(page)).not.toContain('secret-hire');
    await leave(page);
  });
});

test('a draft of what somebody else has saved before the reload is not taken up, and the page says so', async () => {
  const { id } = await makeWebhook(service.url, owner, 'Overtaken');
  const page = await open(`/sources/${id}`);
  await page.getByLabel('Name').fill('Mine');
  await owner.patch(`/sources/${id}`, { name: 'Theirs' });
  await page.reload();
  await page.getByText('Your unsaved changes were not restored').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Theirs');
  await leave(page);
});

test('an outdated draft of a modal form reopens the modal and says so', async () => {
  const outdated = 'Your unsaved changes were not restored';
  const page = await open(`/pipelines/${pipeline}?tab=versions`);
  const dialog = page.getByRole('dialog', { name: 'Note on version 1' });
  await page.getByRole('button', { name: /note (to|on) version 1/ }).click();
  await dialog.getByLabel('Note').fill('Mine');
  dataOf(await owner.post(`/pipelines/${pipeline}/notes`, { version: 1, note: 'Theirs' }));
  await page.reload();
  await dialog.getByText(outdated).waitFor();
  expect(await dialog.getByLabel('Note').inputValue()).toBe('Theirs');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Edit note on version 1' }).click();
  await dialog.getByLabel('Note').waitFor();
  expect(await dialog.getByText(outdated).count()).toBe(0);
  await leave(page);

  const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: 'Ours' }));
  const list = await open('/settings/organisations');
  await list.getByRole('group', { name: 'Ours' }).getByRole('button', { name: 'Rename' }).click();
  await list.getByRole('textbox', { name: 'New name of Ours' }).fill('Mine');
  dataOf(await owner.patch(`/organisations/${id}`, { name: 'Theirs' }));
  await list.reload();
  await list.getByText(outdated).waitFor();
  expect(await list.getByRole('textbox', { name: 'New name of Theirs' }).inputValue()).toBe('Theirs');
  await leave(list);
});

test('a draft that somebody has saved just so is what is stored, and nothing is said to be lost', async () => {
  const { id } = await makeWebhook(service.url, owner, 'Agreed');
  const page = await open(`/sources/${id}`);
  await page.getByLabel('Name').fill('Just so');
  await owner.patch(`/sources/${id}`, { name: 'Just so' });
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Just so' }).waitFor();
  await page.getByLabel('Name').waitFor();
  expect(await page.getByText('Your unsaved changes were').count()).toBe(0);
  await leave(page);
});

test('a form that opens follows what others save while nothing is typed into it', async () => {
  const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: 'Followed' }));
  const page = await open('/settings/organisations');
  await page.getByRole('group', { name: 'Followed' }).getByRole('button', { name: 'Rename' }).click();
  dataOf(await owner.patch(`/organisations/${id}`, { name: 'Renamed' }));
  // All is read again after it.
  await page.getByRole('textbox', { name: 'Name of the organisation' }).fill('One more');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const name = page.getByRole('textbox', { name: 'New name of Renamed' });
  await name.waitFor();
  expect(await name.inputValue()).toBe('Renamed');
  await nothingKept(page);
  await leave(page);
});

test('which events a channel of alerts tells stays open when it is saved', async () => {
  const page = await open('/settings/alerts');
  const channel = page.getByRole('group', { name: 'Alerts to us' });
  const jobs = channel.getByRole('checkbox', { name: 'Job finished' });
  await channel.locator('summary').click();
  await jobs.check();
  await channel.getByRole('button', { name: 'Save' }).click();
  await channel.locator('summary').getByText('Job finished').waitFor();
  expect(await jobs.isVisible()).toBe(true);
  expect(await jobs.isChecked()).toBe(true);
  await nothingKept(page);
  await leave(page);
});

test('a modal form opens again of itself only where it says why', async () => {
  const page = await open('/entities');
  const dialog = page.getByRole('dialog', { name: 'New entity' });
  await page.getByRole('button', { name: 'New entity' }).click();
  await dialog.getByLabel('Kind').fill('robot');
  // As a dashboard keeps it whose empty form was another.
  await page.evaluate(() => {
    for (const [key, text] of Object.entries(sessionStorage)) {
      if (key.startsWith('draft'))
        sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(text), of: '' }));
    }
  });
  await page.reload();
  await dialog.getByText('Your unsaved changes were not restored').waitFor();
  await leave(page);
});
