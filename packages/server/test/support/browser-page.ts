import { readFileSync } from 'node:fs';
import { type BrowserContext, type Browser as Chromium, chromium, type Page } from 'playwright-core';
import { cookieOf, type Browser as DashboardCaller } from './dashboard.ts';

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
  page.setDefaultTimeout(15_000);
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
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Serious faults of accessibility on the page as it stands, each with the element that has it. */
export async function accessibilityFaults(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  await stands(page);
  const violations = await page.evaluate(async chosen => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: AxeFinding[] }> };
    };
    const only = chosen === 'all' ? {} : { runOnly: ['color-contrast'] };
    return (await axe.run({ resultTypes: ['violations'], ...only })).violations;
  }, rules);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

/**
 * Everything that anybody would stumble over on the page as it stands: serious faults of accessibility in light and
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
