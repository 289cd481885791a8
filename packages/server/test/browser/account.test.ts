import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser as Chromium, Page } from 'playwright-core';
import { totpCode } from '../../src/core/secrets/totp.ts';
import { faultsForAnybody, launchChromium, leave, visit } from '../support/browser-page.ts';
import { type Browser, join, logIn, PASSWORD, setUp } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/service.ts';

setDefaultTimeout(60_000);

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
  await page.getByText('Is not right.').waitFor();
  expect((await elsewhere.get('/session')).status).toBe(200);

  await password(page, 'Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed. All other sessions have ended.').waitFor();
  expect((await elsewhere.get('/session')).status).toBe(401);
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: 'this one' }).waitFor();

  await logIn(service.url, 'ada@example.com', NEW_PASSWORD);
  const third = await logIn(service.url, 'ada@example.com', NEW_PASSWORD);
  await page.reload();
  await page.getByRole('row').nth(3).waitFor();
  await page.getByRole('button', { name: 'End', exact: true }).first().click();
  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByRole('row').nth(3).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'End all other sessions' }).click();
  await page.getByRole('button', { name: 'End them' }).click();
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  expect((await third.get('/session')).status).toBe(401);
  expect(faults).toEqual([]);
  await leave(page);
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
  await page.getByText('This code is not right, or was used before.').waitFor();
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
  await page.getByRole('dialog').getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
  await page.getByRole('dialog').getByRole('button', { name: 'Create new codes' }).click();
  await codes.nth(9).waitFor();
  await page.getByText('10 recovery codes are left.').waitFor();
  await page.getByRole('button', { name: 'Turn off' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Your password' }).fill('not the password');
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await dialog.getByText('Is not right.').waitFor();
  await dialog.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('button', { name: 'Turn on' }).waitFor();
  expect(faults).toEqual([]);
  expect(strangers).toEqual([]);
  await leave(page);
});
