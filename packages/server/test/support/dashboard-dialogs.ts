import type { Page } from 'playwright-core';
import type { SampleCompany } from './sample-company.ts';

/** A dialog or a menu: the page that has it, and how it is opened there. */
interface OpenedDialog {
  readonly at: string;
  open(page: Page): Promise<unknown>;
  /** Something is typed there, so that whoever goes on is asked first. */
  readonly leavesDraft?: true;
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();

/**
 * Every dialog and menu of the dashboard, by the file that draws it; a test finds those that are missing. A name stands
 * for the browser test that opens it, where it takes more than a sample company.
 */
export function dialogsOf({ ids }: SampleCompany): Readonly<Record<string, OpenedDialog | string>> {
  const source = `/sources/${ids.source}`;
  const pipeline = `/pipelines/${ids.pipeline}`;
  return {
    'app/account-choices.tsx': { at: '/jobs', open: page => press(page, /@example.com/) },
    'app/palette.tsx': {
      at: '/jobs',
      open: async page => {
        await page.keyboard.press('Control+k');
        await page.getByRole('textbox', { name: 'Find anything' }).fill('order');
      },
    },
    'app/shortcut-help.tsx': { at: '/jobs', open: page => page.keyboard.press('?') },
    'components/confirm.tsx': { at: source, open: page => press(page, 'Delete') },
    'components/leave-guard.tsx': {
      at: '/destinations/new?kind=webhook',
      leavesDraft: true,
      open: async page => {
        await page.getByLabel('Name').fill('Half done');
        await page.getByRole('link', { name: 'Cancel' }).click();
      },
    },
    'components/rotate-dialog.tsx': { at: source, open: page => press(page, 'Rotate secret') },
    'pages/account/password-dialog.tsx': 'account.test.ts',
    'pages/destinations/send-test.tsx': {
      at: `/destinations/${ids.destination}`,
      open: async page => {
        await press(page, 'More tests');
        await page.getByRole('menuitem', { name: 'Test with an event…' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    'pages/entities/new-entity.tsx': { at: '/entities', open: page => press(page, 'New entity') },
    'pages/events/detail/replay-menu.tsx': {
      at: `/events/${ids.event}`,
      open: page => press(page, 'Replay'),
    },
    'pages/events/list/column-choice.tsx': { at: '/events', open: page => press(page, 'Columns') },
    'pages/events/list/export-menu.tsx': { at: '/events', open: page => press(page, 'Export') },
    'pages/events/list/manage-views.tsx': {
      at: '/events',
      open: async page => {
        // There is nothing to manage before there is a view.
        await press(page, 'Views');
        await page.getByRole('menuitem', { name: 'Save as a view' }).click();
        await page.getByRole('dialog').getByLabel('Name').fill('Everything');
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        await press(page, 'Everything');
        await page.getByRole('menuitem', { name: 'Manage views' }).click();
        await page.getByRole('dialog', { name: 'Views' }).waitFor();
      },
    },
    'pages/events/list/replay-bar.tsx': {
      at: '/events',
      open: async page => {
        await page
          .getByRole('checkbox', { name: /^Select/ })
          .nth(1)
          .check();
        await press(page, 'Replay');
      },
    },
    'pages/events/list/save-view.tsx': {
      at: '/events',
      open: async page => {
        await press(page, 'Views');
        await page.getByRole('menuitem', { name: 'Save as a view' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    'pages/events/list/view-menu.tsx': { at: '/events', open: page => press(page, 'Views') },
    'pages/overview/range-picker.tsx': { at: '/', open: page => press(page, 'Custom') },
    'pages/pipelines/add-step.tsx': { at: pipeline, open: page => press(page, 'Add step') },
    'pages/pipelines/step-card.tsx': {
      at: pipeline,
      open: async page => {
        await page
          .getByRole('listitem', { name: /^Step 2/ })
          .locator('[aria-expanded]')
          .click();
        await press(page, 'Examples');
      },
    },
    'pages/pipelines/version-note.tsx': {
      at: pipeline,
      open: async page => {
        await page.getByRole('tab', { name: 'Versions' }).click();
        await press(page, /note (to|on) version/);
      },
    },
    'pages/pipelines/versions.tsx': {
      at: pipeline,
      open: async page => {
        await page.getByRole('tab', { name: 'Versions' }).click();
        await press(page, 'Compare version 1');
      },
    },
    'pages/settings/audit-filters.tsx': { at: '/settings/audit', open: page => press(page, 'Export') },
    'pages/settings/delete-organisation.tsx': {
      at: '/settings/organisations',
      open: page => press(page, 'Delete'),
    },
  };
}
