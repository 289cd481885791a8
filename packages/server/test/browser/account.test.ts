import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import type { Browser as Chromium, Page } from 'playwright-core';
import { totpCode } from '../../src/core/secrets/totp.ts';
import { faultsForAnybody, launchChromium, leave, visit } from '../support/browser-page.ts';
import { type Browser, dataOf, join, listOf, logIn, PASSWORD, setUp } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let chromium: Chromium;
let owner: Browser;
/** Codes are those of this moment, so that each test has a step of its own. */
let now = Date.now();
beforeAll(async () => {
  [service, chromium] = await Promise.all([
    startTestService({ clock: { now: () => now } }),
    launchChromium(),
  ]);
  owner = await setUp(service);
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

const NEW_PASSWORD = 'another horse battery';

const password = (page: Page, name: string) => page.getByRole('textbox', { name });

async function openAccount(as: Browser) {
  const visited = await visit(chromium, service.url, '/account', { as });
  await visited.page.getByRole('table', { name: 'Sessions' }).waitFor();
  return visited;
}

async function logInAs(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await password(page, 'Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
}

async function logOut(page: Page): Promise<void> {
  await page
    .getByRole('navigation')
    .getByRole('button', { name: /@example.com/ })
    .click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
}

test('a changed password ends the other session and not this one', async () => {
  const here = await join(service.url, owner, 'ada@example.com', 'viewer');
  const elsewhere = await logIn(service.url, 'ada@example.com');
  const { page, faults } = await openAccount(here);
  expect(await page.getByRole('row').count()).toBe(3);

  await password(page, 'Current password').fill('not the password');
  await password(page, 'New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Is incorrect.').waitFor();
  expect((await elsewhere.get('/session')).status).toBe(200);

  await password(page, 'Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed. All other sessions have ended.').waitFor();
  expect((await elsewhere.get('/session')).status).toBe(401);
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: 'this session' }).waitFor();

  await logIn(service.url, 'ada@example.com', NEW_PASSWORD);
  const third = await logIn(service.url, 'ada@example.com', NEW_PASSWORD);
  await page.reload();
  await page.getByRole('row').nth(3).waitFor();
  await page.getByRole('button', { name: 'End', exact: true }).first().click();
  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByRole('row').nth(3).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'End all other sessions' }).click();
  await page.getByRole('button', { name: 'End sessions' }).click();
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  expect((await third.get('/session')).status).toBe(401);
  expect(faults).toEqual([]);
  await leave(page);
});

test('times are written in the zone and by the clock of the account, in every browser of theirs', async () => {
  const email = 'ines@example.com';
  const here = await join(service.url, owner, email, 'viewer');
  const [entry] = listOf<AuditRecord>(await here.get('/audit?limit=1')).data;
  const inTokyo = async (as: Browser, path: string) => {
    const visited = await visit(chromium, service.url, '/login', { as });
    const inspector = await visited.page.context().newCDPSession(visited.page);
    await inspector.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
    await visited.page.goto(`${service.url}${path}`);
    return visited;
  };
  const written = (timeZone: string, hourCycle: 'h12' | 'h23') =>
    new Intl.DateTimeFormat('en-GB', {
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
      ...{ timeZone, hourCycle },
    }).format(Date.parse(entry?.at ?? ''));
  const { page, faults } = await inTokyo(here, '/account');
  const choice = (name: string) => page.getByRole('radio', { name, exact: true });
  const choose = (name: string) => page.getByText(name, { exact: true }).click();
  await page.getByText(/^Now: .*GMT\+9$/).waitFor();
  expect(await choice('Local').isChecked()).toBe(true);
  await choose('UTC');
  await page.getByText(/^Now: .*UTC$/).waitFor();
  await choose('12-hour');
  await page.getByText(/^Now: .* [ap]m UTC$/).waitFor();
  const isSaved = (clock: string) =>
    until(
      async () => dataOf<{ clock: string }>(await here.get('/account')).clock === clock,
      `${clock} is not saved.`,
    );
  await isSaved('12h');
  await page.goto(`${service.url}/settings/audit/${entry?.id}`);
  await page.getByText(written('UTC', 'h12')).waitFor();
  await leave(page);

  const elsewhere = await inTokyo(await logIn(service.url, email), `/settings/audit/${entry?.id}`);
  await elsewhere.page.getByText(written('UTC', 'h12')).waitFor();
  await elsewhere.page.goto(`${service.url}/account`);
  await elsewhere.page.getByText('Local', { exact: true }).click();
  await elsewhere.page.getByText('24-hour', { exact: true }).click();
  await elsewhere.page.getByText(/^Now: .*\d GMT\+9$/).waitFor();
  await isSaved('24h');
  await elsewhere.page.goto(`${service.url}/settings/audit/${entry?.id}`);
  await elsewhere.page.getByText(written('Asia/Tokyo', 'h23')).waitFor();
  expect([...faults, ...elsewhere.faults]).toEqual([]);
  await leave(elsewhere.page);
});

test('two-factor authentication is turned on, asked for at the login, and passed by a recovery code', async () => {
  const email = 'grace@example.com';
  const { page, faults, strangers } = await visit(chromium, service.url, '/', {
    as: await join(service.url, owner, email, 'viewer'),
  });
  await page
    .getByRole('navigation')
    .getByRole('button', { name: /grace@example.com/ })
    .click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await page.getByRole('heading', { name: 'Account' }).waitFor();

  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  expect(await faultsForAnybody(page)).toEqual([]);
  const secret = await page.getByText(/^[A-Z2-7]{32}$/).innerText();
  await page.getByLabel('Code', { exact: true }).fill('12');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('The code has six digits.').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, now));
  await password(page, 'Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Confirm' }).click();
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.nth(9).waitFor();
  const [recoveryCode = ''] = await codes.allInnerTexts();
  await page.getByText('10 recovery codes are left.').waitFor();
  expect(await faultsForAnybody(page)).toEqual([]);
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await page.reload();
  await page.getByText('10 recovery codes are left.').waitFor();
  expect(await page.content()).not.toContain(recoveryCode);

  await logOut(page);
  await logInAs(page, email);
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
  expect(await faultsForAnybody(page)).toEqual([]);
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('This code is incorrect, or was used before.').waitFor();
  now += 30_000;
  await page.getByLabel('Code').fill(totpCode(secret, now));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page
    .getByRole('navigation')
    .getByRole('button', { name: /grace@example.com/ })
    .waitFor();

  await logOut(page);
  await logInAs(page, email);
  await page.getByLabel('Code').fill(recoveryCode);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page
    .getByRole('navigation')
    .getByRole('button', { name: /grace@example.com/ })
    .waitFor();
  await page.goto(`${service.url}/account`);
  await page.getByText('9 recovery codes are left.').waitFor();

  await page.getByRole('button', { name: 'New recovery codes' }).click();
  await page.getByRole('dialog', { name: 'New recovery codes' }).waitFor();
  expect(await faultsForAnybody(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
  await page.getByRole('dialog').getByRole('button', { name: 'Create new codes' }).click();
  await codes.nth(9).waitFor();
  await page.getByText('10 recovery codes are left.').waitFor();
  await page.getByRole('button', { name: 'Turn off' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Your password' }).fill('not the password');
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await dialog.getByText('Is incorrect.').waitFor();
  await dialog.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('button', { name: 'Turn on' }).waitFor();
  expect(faults).toEqual([]);
  expect(strangers).toEqual([]);
  await leave(page);
});
