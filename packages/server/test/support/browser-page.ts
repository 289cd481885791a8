import { readFileSync } from 'node:fs';
import {
  type APIResponse,
  type BrowserContext,
  type Browser as Chromium,
  chromium,
  type Locator,
  type Page,
  type Route,
} from 'playwright-core';
import { cookieOf, type Browser as DashboardCaller } from './dashboard.ts';
import { tellOfPageInErrors } from './page-in-errors.ts';

/**
 * Debian's Chromium, which `npm test` has installed: the one without windows, which takes half the CPU. Without a
 * sandbox, since tests may run as root.
 */
export const launchChromium = (): Promise<Chromium> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });

const SCREEN = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

export interface Visit {
  readonly page: Page;
  /** What went wrong in the page: errors of scripts, and whatever its own policy refused. */
  readonly faults: string[];
  /** Requests to any other host than ours. */
  readonly strangers: string[];
}

export interface VisitOptions {
  /** Whose session: somebody who logged in by the private calls. Absent: nobody's. */
  readonly as?: DashboardCaller;
  readonly colours?: 'light' | 'dark';
  readonly size?: { width: number; height: number };
}

/** Profiles that somebody has left: in those the dashboard's files are read and compiled, which is most of a visit. */
const leftProfiles = new WeakMap<Chromium, BrowserContext[]>();

/** A page of the dashboard in a profile that has neither cookies nor anything else from before. */
export async function visit(
  browser: Chromium,
  url: string,
  path: string,
  options: VisitOptions = {},
): Promise<Visit> {
  const context =
    leftProfiles.get(browser)?.pop() ??
    (await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] }));
  const [name = '', value = ''] = options.as ? cookieOf(options.as).split('=') : [];
  if (name !== '') await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  tellOfPageInErrors(page);
  await page.setViewportSize(options.size ?? SCREEN);
  await page.emulateMedia({ colorScheme: options.colours ?? 'light' });
  await forget(page, new URL(url).origin);
  const faults: string[] = [];
  const strangers: string[] = [];
  page.on('pageerror', error => faults.push(String(error)));
  page.on('console', message => {
    // A refused call is answered in the page; the browser's own remark about it is no fault of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(message.text());
    }
  });
  page.on('request', request => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(url).origin) strangers.push(request.url());
  });
  context.setDefaultTimeout(120_000);
  await page.goto(`${url}${path}`);
  return { page, faults, strangers };
}

/** Ends a visit; the next one may have its profile. */
export async function leave(page: Page): Promise<void> {
  const context = page.context();
  const browser = context.browser();
  await Promise.all(context.pages().map(open => open.close()));
  await context.clearCookies();
  if (browser !== null) leftProfiles.set(browser, [...(leftProfiles.get(browser) ?? []), context]);
}

/**
 * What the server answers to a request that was stopped on its way. Playwright keeps connections, and may use one in the
 * moment in which the server closes it since nothing has come for long: then it is asked again, as a browser does.
 */
export const answerTo = (route: Route): Promise<APIResponse> => route.fetch({ maxRetries: 2 });

/** The rows of any table on the page that hold this text. */
export const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

async function forget(page: Page, origin: string): Promise<void> {
  const inspector = await page.context().newCDPSession(page);
  await inspector.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' });
  await inspector.detach();
}

/** Turns the page light or dark, and waits until every colour has arrived; what moves for ever, such as a map's arrows, is not waited for. */
export async function inColours(page: Page, colours: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: colours });
  await page.waitForFunction(
    wanted =>
      document.documentElement.dataset.mantineColorScheme === wanted &&
      document
        .getAnimations()
        .every(
          ({ playState, effect }) =>
            playState !== 'running' || effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY,
        ),
    colours,
  );
}

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What `accessibilityFaults` looks at: colours take longest, and only they depend on the theme. */
type AxeRules = 'all' | 'colours' | 'all but colours';

/** Faults of accessibility on the page as it stands, however small, each with the element that has it. */
export async function accessibilityFaults(
  page: Page,
  rules: AxeRules = 'all',
  /** A selector: of what lies on top of a page that was looked at before. */
  within = 'html',
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  await stands(page);
  const violations = await page.evaluate(
    async ({ rules, within }) => {
      const { axe } = globalThis as unknown as {
        axe: { run(context: string, options: object): Promise<{ violations: AxeFinding[] }> };
      };
      const only =
        rules === 'colours'
          ? { runOnly: ['color-contrast'] }
          : { rules: { 'color-contrast': { enabled: rules === 'all' } } };
      // Its style sheets are not read once more, and nobody asks for selectors: both take longer than most rules.
      const brief = { resultTypes: ['violations'], preload: false, selectors: false };
      return (await axe.run(within, { ...brief, ...only })).violations;
    },
    { rules, within },
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}

/**
 * Everything that anybody would stumble over on the page as it stands: faults of accessibility in light and
 * in dark, and what makes it scroll sideways on a phone. It is left as it was found in light.
 */
export async function faultsForAnybody(page: Page): Promise<string[]> {
  const size = page.viewportSize() ?? SCREEN;
  await inColours(page, 'light');
  const found = await accessibilityFaults(page);
  await inColours(page, 'dark');
  found.push(...(await accessibilityFaults(page, 'colours')).map(fault => `in dark: ${fault}`));
  await page.setViewportSize(PHONE);
  if (await scrollsSideways(page)) found.push('scrolls sideways on a phone');
  await page.setViewportSize(size);
  await inColours(page, 'light');
  return found;
}

/** A window of 1440 px at 200 % has room for so much. */
const ZOOMED = { width: 720, height: 450 };

/**
 * As above on a screen, on a phone and at 200 %. What is open is loaded once, and then turned light and dark, wide and
 * narrow; it stays in the theme that the next page may begin with.
 */
export async function faultsAtEverySize(
  page: Page,
  first: 'light' | 'dark',
  /** A selector: of what lies on top of a page that was looked at before. */
  within?: string,
): Promise<string[]> {
  const second = first === 'light' ? 'dark' : 'light';
  const found: string[] = [];
  const look = async (where: string, rules: AxeRules) => {
    if (within !== undefined && !(await comesIntoSight(page, within))) found.push(`${where}: hidden`);
    found.push(...(await accessibilityFaults(page, rules, within)).map(fault => `${where}: ${fault}`));
  };
  const fits = async (where: string) => {
    if (await scrollsSideways(page)) found.push(`${where}: scrolls sideways`);
  };
  await inColours(page, first);
  await look(`screen, ${first}`, 'all');
  found.push(...(await unstyledLinks(page)));
  await inColours(page, second);
  await look(`screen, ${second}`, 'colours');
  await withTextAt200(page, () => fits('text at 200 %'));
  await page.setViewportSize(PHONE);
  await look(`phone, ${second}`, 'all');
  await fits('phone');
  await page.setViewportSize(ZOOMED);
  await look('zoomed', 'all but colours');
  await fits('zoomed');
  await page.setViewportSize(SCREEN);
  if (within !== undefined) await comesIntoSight(page, within);
  return found;
}

/**
 * Whether any of it is shown, or the button that opened it is off-screen, as in a closed sidebar. A menu is hidden while its
 * button is out of sight, as it may be at another size or once something above it has arrived; and it finds its place a moment
 * after it was opened.
 */
async function comesIntoSight(page: Page, selector: string): Promise<boolean> {
  // Until then what the last size left may still be shown.
  await stands(page);
  return page
    .waitForFunction(
      selector => {
        const isShown = (one: Element) => one.checkVisibility({ visibilityProperty: true });
        const button = document.querySelector('[aria-haspopup][aria-expanded=true]');
        const isAway = button !== null && button.getBoundingClientRect().right <= 0;
        if (isAway || [...document.querySelectorAll(selector)].some(isShown)) return true;
        button?.scrollIntoView({ block: 'center', behavior: 'instant' });
        return false;
      },
      selector,
      { timeout: 20_000 },
    )
    .then(
      () => true,
      () => false,
    );
}

/** Links in the browser's own colour, which no style sheet has reached. */
const unstyledLinks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const sample = document.body.appendChild(document.createElement('i'));
    sample.style.color = 'LinkText';
    const ownColour = getComputedStyle(sample).color;
    sample.remove();
    return [...document.querySelectorAll('a')]
      .filter(link => link.checkVisibility() && getComputedStyle(link).color === ownColour)
      .map(link => `in the browser's own colour: ${link.outerHTML.slice(0, 200)}`);
  });

/** As somebody sees it who has told the browser that letters are to be twice as large. */
async function withTextAt200(page: Page, look: () => Promise<void>): Promise<void> {
  const inspector = await page.context().newCDPSession(page);
  const setSizes = (standard: number) =>
    inspector.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard * 0.8125 } });
  await setSizes(32);
  await look();
  await setSizes(16);
  await inspector.detach();
}

/** Dialogs, menus and lists of choices on the page that a screen reader could not name. */
export const unnamedDialogs = async (page: Page): Promise<string[]> => {
  const shown = '[role=dialog], [role=menu], [role=listbox]';
  const all = await page.locator(shown).filter({ visible: true }).all();
  const names = await Promise.all(all.map(one => one.ariaSnapshot()));
  // `- dialog "Delete":`, or `- dialog:` for one without a name.
  return names.flatMap(snapshot => (/^- \w+ "/.test(snapshot) ? [] : [snapshot.slice(0, 200)]));
};

/**
 * What is being faded in has not its own colours yet. Only what turns for ever, such as a loader, is not waited for.
 */
const stands = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    const ending = document
      .getAnimations()
      .filter(
        ({ effect, playState }) =>
          playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime),
      );
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });

/** Whether something sticks out to the right, so that the page would scroll sideways. */
export async function scrollsSideways(page: Page): Promise<boolean> {
  await stands(page);
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}
