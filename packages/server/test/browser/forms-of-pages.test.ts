import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { leave, visit } from '../support/browser-page.ts';
import { join, PASSWORD } from '../support/dashboard.ts';
import { answer, type Forms, kept, nothingKept, openForms, question } from '../support/forms.ts';

let forms: Forms;
beforeAll(async () => {
  forms = await openForms();
});
afterAll(() => forms.stop());

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
  const typedForms: TypedForm[] = [
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
      at: () => `/pipelines/${forms.pipeline}`,
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
      at: () => `/pipelines/${forms.pipeline}`,
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
  for (const form of typedForms) {
    test(form.what, async () => {
      const page = await forms.open(form.at());
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
      await page.goto(`${forms.service.url}${form.at()}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await form.untouched?.(page);
      expect(await form.read(page)).toBe('');
      await leave(page);
    });
  }

  test('two forms of one page, about which is asked once', async () => {
    const page = await forms.open('/entities/customer/c_1');
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
    const page = await forms.open('/settings/configuration');
    await page.getByRole('textbox', { name: 'File' }).fill('sluice: 1');
    await page.getByRole('link', { name: 'Jobs' }).click();
    await answer(page, 'Stay');
    expect(await kept(page)).not.toContain('sluice: 1');
    await leave(page);
  });
});

test('an event that a message was shown with keeps nobody who has made the destination', async () => {
  const page = await forms.open('/destinations/new?kind=slack');
  await page.getByText('Custom event').click();
  await page.getByRole('textbox', { name: 'Event', exact: true }).fill('{"type": "shown.by.hand"}');
  await page.getByRole('textbox', { name: 'Name' }).fill('Our channel');
  await page.getByLabel('URL').fill('https://hooks.slack.com/services/T0/B0/x');
  await page.getByRole('button', { name: 'Create destination' }).click();
  await page.getByRole('heading', { level: 1, name: 'Our channel' }).waitFor();
  expect(await kept(page)).not.toContain('draft');
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
    const person = await join(forms.service.url, forms.owner, 'leaves@example.com', 'owner');
    const { page } = await visit(forms.chromium, forms.service.url, '/settings/retention', { as: person });
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
    await join(forms.service.url, forms.owner, 'next@example.com', 'owner');
    const person = await join(forms.service.url, forms.owner, 'before@example.com', 'owner');
    const { page } = await visit(forms.chromium, forms.service.url, '/settings/members', { as: person });
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

test('which events a channel of alerts tells stays open when it is saved', async () => {
  const page = await forms.open('/settings/alerts');
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
