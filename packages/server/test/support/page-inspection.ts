import type { Browser as Chromium, Locator, Page } from 'playwright-core';
import {
  faultsAtEverySize,
  launchChromium,
  leave,
  unnamedDialogs,
  type Visit,
  visit,
} from './browser-page.ts';
import { type Browser, dataOf } from './dashboard.ts';
import { dialogsOf } from './dashboard-dialogs.ts';
import { openPages, pagesOf } from './dashboard-pages.ts';
import { openSampleCompany, type SampleCompany } from './sample-company.ts';

/**
 * An inspection of the dashboard: every page and every dialog, in each theme and size. It comes in two parts of about the
 * same length, by the groups of the side bar, since one test file with all of it would run long after all others.
 */
export interface PageInspection {
  readonly company: SampleCompany;
  readonly chromium: Chromium;
  /** What is wrong on the pages of a part, by their names. */
  pages(part: InspectedPart): Promise<Faults>;
  /** What is wrong in the dialogs and menus on the pages of a part, by the files that draw them. */
  dialogs(part: InspectedPart): Promise<Faults>;
  /** What is wrong on the pages for everybody. */
  openPages(): Promise<Faults>;
  stop(): Promise<void>;
}

type InspectedPart = 'monitor and data' | 'build and settings';

type Faults = Readonly<Record<string, readonly string[]>>;

/** A page is in one of them whatever its address, so that a new one cannot be left out. */
const partOf = (address: string): InspectedPart =>
  /^\/($|welcome|live|events|deliveries|dead-letters|jobs|entities)/.test(address)
    ? 'monitor and data'
    : 'build and settings';

export async function startPageInspection(): Promise<PageInspection> {
  const [company, chromium] = await Promise.all([openSampleCompany({ minutes: 10 }), launchChromium()]);
  const { owner, ids, service } = company;
  const inspect = async (all: Readonly<Record<string, Looked>>, as?: Browser) => {
    // Whoever is logged in would be led away from the login, and by then perhaps from the first of these.
    const visited = await visit(chromium, service.url, as ? '/jobs' : '/login', as ? { as } : {});
    return look(visited, service.url, all);
  };
  return {
    company,
    chromium,
    async pages(part) {
      const pages = { ...pagesOf(company), missing: '/events/evt_none' };
      const chosen = Object.entries(pages).filter(([, path]) => partOf(path) === part);
      return inspect(
        each(Object.fromEntries(chosen), path => ({ path })),
        owner,
      );
    },
    async dialogs(part) {
      await owner.patch(`/pipelines/${ids.pipeline}`, { name: 'Orders to fulfilment, renamed' });
      await owner.post('/organisations', { name: 'Second' });
      const opened = Object.entries(dialogsOf(company)).flatMap(([file, dialog]) =>
        typeof dialog === 'string' || partOf(dialog.at) !== part ? [] : [[file, dialog] as const],
      );
      return inspect(
        each(Object.fromEntries(opened), ({ at, ...dialog }) => ({ path: at, ...dialog })),
        owner,
      );
    },
    async openPages() {
      const invited = await owner.post('/members', { email: 'guest@example.com', role: 'viewer' });
      const { invite_code } = dataOf<{ invite_code: string }>(invited);
      return inspect(each(openPages(invite_code), path => ({ path })));
    },
    async stop() {
      await chromium.close();
      await company.stop();
    },
  };
}

interface Looked {
  readonly path: string;
  /** What lies on the page: a dialog, or a menu. */
  open?(page: Page): Promise<unknown>;
  readonly leavesDraft?: boolean;
}

const ON_TOP = '[role=dialog], [role=menu]';

/** What is wrong with each, by name; faults of scripts and requests to other hosts included. */
async function look(
  { page, faults, strangers }: Visit,
  url: string,
  all: Readonly<Record<string, Looked>>,
): Promise<Faults> {
  const found: Record<string, string[]> = {};
  let colours: 'light' | 'dark' = 'light';
  for (const [name, { path, open, leavesDraft }] of Object.entries(all)) {
    await goTo(page, url, path);
    await open?.(page);
    if (open) await page.locator(ON_TOP).filter({ visible: true }).first().waitFor();
    const wrong = await faultsAtEverySize(page, colours, open && ON_TOP);
    colours = colours === 'light' ? 'dark' : 'light';
    // A menu whose button is gone on a phone comes back with it.
    const isThere = !open || (await isShown(page.locator(ON_TOP)));
    if (!isThere) wrong.push('closes by itself');
    wrong.push(...(await unnamedDialogs(page)), ...faults.splice(0), ...strangers.splice(0));
    if (wrong.length > 0) found[name] = wrong;
    if (open && isThere) {
      // What was pressed to open it may be gone on a phone, and the focus with it.
      if (await page.evaluate(() => document.activeElement === document.body))
        await page.locator(ON_TOP).filter({ visible: true }).last().focus();
      await page.keyboard.press('Escape');
      await page.locator(ON_TOP).filter({ visible: true }).waitFor({ state: 'hidden' });
    }
    if (leavesDraft) await page.goto('about:blank');
  }
  await leave(page);
  return found;
}

const isShown = (any: Locator): Promise<boolean> =>
  any
    .filter({ visible: true })
    .first()
    .waitFor({ timeout: 20_000 })
    .then(
      () => true,
      () => false,
    );

/** Within the dashboard as its links lead, which takes a fraction of loading it anew. */
async function goTo(page: Page, url: string, path: string): Promise<void> {
  const isThere = await page.evaluate(() => document.querySelector('main h1') !== null);
  if (isThere)
    await page.evaluate(async to => {
      const { __TSR_ROUTER__: router } = globalThis as unknown as {
        __TSR_ROUTER__: { navigate(where: object): Promise<void> };
      };
      const { pathname, searchParams } = new URL(to, location.href);
      // The same page, and one section of the settings after another, keep their heading.
      const keepsHeading =
        location.pathname.endsWith(pathname) ||
        [location.pathname, pathname].every(one => one.includes('/settings/'));
      if (!keepsHeading) document.querySelector('main h1')?.setAttribute('data-before', '');
      await router.navigate({ to: pathname, search: Object.fromEntries(searchParams) });
    }, path);
  else await page.goto(`${url}${path}`);
  await page.waitForSelector('h1:not([data-before])');
  await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);
}

const each = <T, U>(all: Readonly<Record<string, T>>, make: (one: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(all).map(([name, one]) => [name, make(one)]));
