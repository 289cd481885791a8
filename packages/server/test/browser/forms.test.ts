import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { leave } from '../support/browser-page.ts';
import { dataOf } from '../support/dashboard.ts';
import { answer, type Forms, kept, nothingKept, openForms, question } from '../support/forms.ts';
import { makePipeline, makeWebhook } from '../support/pipelines.ts';

/** Dialogs, and drafts of what was typed. */
let forms: Forms;
beforeAll(async () => {
  forms = await openForms();
});
afterAll(() => forms.stop());

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
    const page = await forms.open('/entities');
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
    const page = await forms.open(`/pipelines/${forms.pipeline}?tab=versions`);
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
      await forms.owner.post('/destinations', { kind: 'inbox', name: 'Inbox' }),
    );
    const page = await forms.open(`/destinations/${id}`);
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
    const page = await forms.open('/events');
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
      await forms.owner.post('/destinations', { kind: 'inbox', name: 'Tried' }),
    );
    const page = await forms.open(`/destinations/${id}`);
    await page.getByRole('button', { name: 'More tests' }).click();
    await page.getByRole('menuitem', { name: 'Test with an event…' }).click();
    return { page, dialog: page.getByRole('dialog', { name: 'Test with an event' }) };
  };

  test('that was saved is asked about once it is changed, until the change is saved', async () => {
    dataOf(await forms.owner.post('/test-events', { name: 'A paid order', event: { type: 'order.paid' } }));
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
    const shop = await makeWebhook(forms.service.url, forms.owner, 'Copied');
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

test('a secret of a provider that was pasted is not kept, and asked about before its dialog is closed', async () => {
  const made = { kind: 'webhook', name: 'Payments', auth: 'provider', provider: 'stripe', secret: 'whsec_1' };
  const { id } = dataOf<{ id: string }>(await forms.owner.post('/sources', made));
  const page = await forms.open(`/sources/${id}`);
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
    const page = await forms.open('/settings/keys');
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
    const page = await forms.open('/settings/members');
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
    const page = await forms.open('/settings/organisations');
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
    const { id } = dataOf<{ id: string }>(await forms.owner.post('/sources', made));
    const page = await forms.open(`/sources/${id}`);
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
    const page = await forms.open('/destinations/new?kind=notion');
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
    const { id } = await makePipeline(forms.owner, { name: 'Copied', steps });
    const page = await forms.open(`/pipelines/new?clone=${id}`);
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
  const page = await forms.open(`/pipelines/${forms.pipeline}`);
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

test('a draft of what somebody else has saved before the reload is not taken up, and the page says so', async () => {
  const { id } = await makeWebhook(forms.service.url, forms.owner, 'Overtaken');
  const page = await forms.open(`/sources/${id}`);
  await page.getByLabel('Name').fill('Mine');
  await forms.owner.patch(`/sources/${id}`, { name: 'Theirs' });
  await page.reload();
  await page.getByText('Your unsaved changes were not restored').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Theirs');
  await leave(page);
});

test('an outdated draft of a modal form reopens the modal and says so', async () => {
  const outdated = 'Your unsaved changes were not restored';
  const page = await forms.open(`/pipelines/${forms.pipeline}?tab=versions`);
  const dialog = page.getByRole('dialog', { name: 'Note on version 1' });
  await page.getByRole('button', { name: /note (to|on) version 1/ }).click();
  await dialog.getByLabel('Note').fill('Mine');
  dataOf(await forms.owner.post(`/pipelines/${forms.pipeline}/notes`, { version: 1, note: 'Theirs' }));
  await page.reload();
  await dialog.getByText(outdated).waitFor();
  expect(await dialog.getByLabel('Note').inputValue()).toBe('Theirs');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Edit note on version 1' }).click();
  await dialog.getByLabel('Note').waitFor();
  expect(await dialog.getByText(outdated).count()).toBe(0);
  await leave(page);

  const { id } = dataOf<{ id: string }>(await forms.owner.post('/organisations', { name: 'Ours' }));
  const list = await forms.open('/settings/organisations');
  await list.getByRole('group', { name: 'Ours' }).getByRole('button', { name: 'Rename' }).click();
  await list.getByRole('textbox', { name: 'New name of Ours' }).fill('Mine');
  dataOf(await forms.owner.patch(`/organisations/${id}`, { name: 'Theirs' }));
  await list.reload();
  await list.getByText(outdated).waitFor();
  expect(await list.getByRole('textbox', { name: 'New name of Theirs' }).inputValue()).toBe('Theirs');
  await leave(list);
});

test('a draft that somebody has saved just so is what is stored, and nothing is said to be lost', async () => {
  const { id } = await makeWebhook(forms.service.url, forms.owner, 'Agreed');
  const page = await forms.open(`/sources/${id}`);
  await page.getByLabel('Name').fill('Just so');
  await forms.owner.patch(`/sources/${id}`, { name: 'Just so' });
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Just so' }).waitFor();
  await page.getByLabel('Name').waitFor();
  expect(await page.getByText('Your unsaved changes were').count()).toBe(0);
  await leave(page);
});

test('a form that opens follows what others save while nothing is typed into it', async () => {
  const { id } = dataOf<{ id: string }>(await forms.owner.post('/organisations', { name: 'Followed' }));
  const page = await forms.open('/settings/organisations');
  await page.getByRole('group', { name: 'Followed' }).getByRole('button', { name: 'Rename' }).click();
  dataOf(await forms.owner.patch(`/organisations/${id}`, { name: 'Renamed' }));
  // All is read again after it.
  await page.getByRole('textbox', { name: 'Name of the organisation' }).fill('One more');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const name = page.getByRole('textbox', { name: 'New name of Renamed' });
  await name.waitFor();
  expect(await name.inputValue()).toBe('Renamed');
  await nothingKept(page);
  await leave(page);
});

test('a modal form opens again of itself only where it says why', async () => {
  const page = await forms.open('/entities');
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
