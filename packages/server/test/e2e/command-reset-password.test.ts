import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { totpCode } from '../../src/core/secrets/totp.ts';
import { runCommand } from '../support/command.ts';
import { dataOf, openBrowser } from '../support/dashboard.ts';
import { newFolder } from '../support/folder.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTestService, TEST_SECRET_KEY } from '../support/service.ts';

const EMAIL = 'ada@example.com';
const OLD = 'the old password';
const NEW = 'the new password';
const admin = { SLUICE_ADMIN_EMAIL: EMAIL, SLUICE_ADMIN_PASSWORD: OLD };

const reset = (email: string, settings: Record<string, string>, input: string) =>
  runCommand(['reset-password', email], settings, input);

async function logIn(url: string, password: string) {
  const browser = openBrowser(url);
  const { status } = await browser.post('/session', { email: EMAIL, password });
  return { browser, status };
}

describe('sluice reset-password', () => {
  test('gives a new password, ends the old sessions and is in the audit log', async () => {
    const directory = newFolder();
    const settings = { SLUICE_DATA_DIR: directory };
    const first = await startTestService({ directory, settings: admin });
    const { browser } = await logIn(first.url, OLD);
    expect((await browser.get('/session')).status).toBe(200);
    await first.stop();

    expect(await reset('ADA@example.com', settings, `${NEW}\n`)).toEqual({
      code: 0,
      out: `The password of ${EMAIL} was changed, and all of their sessions have ended.\n`,
      err: '',
    });

    const second = await startTestService({ directory, settings: admin });
    const oldCookie = browser.setCookie;
    const stale = openBrowser(second.url);
    stale.setCookie = oldCookie;
    expect((await stale.get('/session')).status).toBe(401);
    expect((await logIn(second.url, OLD)).status).toBe(401);
    const again = await logIn(second.url, NEW);
    expect(again.status).toBe(200);
    expect(JSON.stringify((await again.browser.get('/audit')).body)).toContain('user.password_reset');
    await second.stop();
  });

  test('on the embedded database works while the service runs, which goes on writing', async () => {
    const live = await startTestService({ settings: admin });
    const { browser } = await logIn(live.url, OLD);
    let resetting = true;
    const goesOn = (async () => {
      while (resetting) await live.engine.checkWritable();
    })();
    const { code, err } = await reset(EMAIL, { SLUICE_DATA_DIR: live.directory }, NEW);
    resetting = false;
    await goesOn;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect((await browser.get('/session')).status).toBe(401);
    expect((await logIn(live.url, OLD)).status).toBe(401);
    const again = await logIn(live.url, NEW);
    expect(again.status).toBe(200);
    expect(JSON.stringify((await again.browser.get('/audit')).body)).toContain('user.password_reset');
    await live.stop();
  });

  test('turns two-factor authentication off where it is told to, and only there', async () => {
    const live = await startTestService({ settings: admin });
    const { browser } = await logIn(live.url, OLD);
    const { secret } = dataOf<{ secret: string }>(await browser.post('/account/second-factor/offer'));
    const code = totpCode(secret, Date.now());
    expect((await browser.put('/account/second-factor', { password: OLD, secret, code })).status).toBe(200);
    const settings = { SLUICE_DATA_DIR: live.directory };

    expect((await reset(EMAIL, settings, NEW)).out).toContain('--turn-off-two-factor turns it off');
    expect((await logIn(live.url, NEW)).status).toBe(401);
    const off = await runCommand(['reset-password', EMAIL, '--turn-off-two-factor'], settings, OLD);
    expect(off.out).toContain('Two-factor authentication is off');
    expect((await logIn(live.url, OLD)).status).toBe(200);
    expect((await runCommand(['reset-password', EMAIL, '--off'], settings, OLD)).code).toBe(64);
    await live.stop();
  });

  test('on PostgreSQL works while the service runs', async () => {
    const database = await freshDatabase();
    const settings = { SLUICE_DATABASE_URL: database.url, SLUICE_SECRET_KEY: TEST_SECRET_KEY };
    const live = await startTestService({ settings: { ...settings, ...admin } });
    const { browser } = await logIn(live.url, OLD);
    expect((await reset(EMAIL, settings, NEW)).code).toBe(0);
    expect((await browser.get('/session')).status).toBe(401);
    expect((await logIn(live.url, NEW)).status).toBe(200);
    await live.stop();
    await database.drop();
  });

  test('refuses an unknown email, a short password and none at all', async () => {
    const directory = newFolder();
    await (await startTestService({ directory, settings: admin })).stop();
    const settings = { SLUICE_DATA_DIR: directory };
    expect(await reset('bob@example.com', settings, NEW)).toMatchObject({
      code: 1,
      err: 'No user has the email bob@example.com.\n',
    });
    const short = await reset(EMAIL, settings, 'short\n');
    expect(short).toMatchObject({ code: 1, out: '' });
    expect(short.err).toContain('must have 8 to');
    expect(await reset(EMAIL, settings, '')).toMatchObject({ code: 1, err: 'No password was given.\n' });
    expect((await runCommand(['reset-password'], settings)).code).toBe(64);
  });

  test('makes no database where there is none', async () => {
    const directory = newFolder();
    const { code, err } = await reset(EMAIL, { SLUICE_DATA_DIR: directory }, NEW);
    expect(code).toBe(1);
    expect(err).toContain(`There is no database in ${directory}`);
    expect(existsSync(join(directory, 'sluice.db'))).toBe(false);
  });
});
