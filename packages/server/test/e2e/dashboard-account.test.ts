import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import type { AccountRecord, OwnSessionRecord } from '@sluice/contract/dashboard-own-account';
import { days, minutes, seconds } from '../../src/core/clock.ts';
import { totpCode } from '../../src/core/secrets/totp.ts';
import {
  type Browser,
  cookieOf,
  dataOf,
  join,
  listOf,
  logIn,
  openBrowser,
  PASSWORD,
  setUp,
} from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const unauthenticated = { status: 401, code: 'unauthenticated' };
const wrongCode = { ...unauthenticated, path: 'code' };
const codeNeeded = { status: 401, code: 'second_factor_required' };

let service: TestService;
let owner: Browser;
let now = Date.now() - days(60);
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } });
  owner = await setUp(service);
});
afterAll(() => service.stop());
// All of them come from one address, whose failures are counted too.
beforeEach(() => {
  now += minutes(15);
});

/** Somebody with an account of their own, so that no test meets the failures of another. */
const newcomer = (name: string) => join(service.url, owner, `${name}@example.com`, 'viewer');
const attempt = (name: string, body: { password: string; code?: string }, from = openBrowser(service.url)) =>
  from.post('/session', { email: `${name}@example.com`, ...body });
const sessionsOf = async (browser: Browser) =>
  listOf<OwnSessionRecord>(await browser.get('/account/sessions')).data;
const actionsOn = async (userId: string, as = owner) =>
  listOf<AuditRecord>(await as.get('/audit?limit=100'))
    .data.filter(({ target }) => target === userId)
    .map(({ action }) => action);
const idOf = async (browser: Browser) => dataOf<WhoAmI>(await browser.get('/session')).user.id;

/** Turns it on; later codes are those of later steps. */
async function withSecondFactor(browser: Browser) {
  const { secret } = dataOf<{ secret: string }>(await browser.post('/account/second-factor/offer'));
  const body = { password: PASSWORD, secret, code: totpCode(secret, now) };
  const { recovery_codes } = dataOf<{ recovery_codes: string[] }>(
    await browser.put('/account/second-factor', body),
  );
  const nextCode = () => {
    now += seconds(30);
    return totpCode(secret, now);
  };
  return { secret, recoveryCodes: recovery_codes, nextCode };
}

describe('the password', () => {
  test('is changed by whoever knows it; all other sessions end, in every organisation', async () => {
    const here = await newcomer('changer');
    const elsewhere = await logIn(service.url, 'changer@example.com');
    const changed = await here.put('/account/password', { password: PASSWORD, new_password: 'another one' });
    expect(dataOf(changed)).toEqual({ changed: true });
    expect((await here.get('/session')).status).toBe(200);
    expectRefused(await elsewhere.get('/session'), unauthenticated);
    expectRefused(await attempt('changer', { password: PASSWORD }), unauthenticated);
    expect((await attempt('changer', { password: 'another one' })).status).toBe(200);
    expect(await actionsOn(await idOf(here))).toContain('user.password_changed');
  });

  test('stays where the old one is wrong or the new one is too short, and the session goes on', async () => {
    const here = await newcomer('keeper');
    for (const [body, path] of [
      [{ password: 'not it', new_password: 'another one' }, 'password'],
      [{ password: PASSWORD, new_password: 'short' }, 'new_password'],
      [{ password: PASSWORD }, 'new_password'],
      [{ new_password: 'another one' }, 'password'],
    ] as const) {
      expectRefused(await here.put('/account/password', body), {
        status: 400,
        code: 'validation_failed',
        path,
      });
    }
    expect((await here.get('/session')).status).toBe(200);
    await logIn(service.url, 'keeper@example.com');
  });

  test('cannot be guessed from within a session any faster than at the login', async () => {
    const here = await newcomer('guessed');
    const guess = () => here.put('/account/password', { password: 'not it', new_password: 'another one' });
    for (let i = 0; i < 20; i++) expect((await guess()).status).toBe(400);
    expectRefused(await guess(), { status: 429, code: 'rate_limited' });
  });

  test('takes every session with it that was begun with the old one while it was being changed', async () => {
    const here = await newcomer('racer');
    const userId = await idOf(here);
    const { accounts } = service.engine;
    const session = { userId, orgId: dataOf<WhoAmI>(await here.get('/session')).organisation.id };
    const times = { createdAt: now, expiresAt: now + days(1) };
    await accounts.setPassword(userId, 'the new hash');
    expect(await accounts.beginSession({ ...session, ...times, tokenHash: 'late' }, 'the old hash')).toBe(
      false,
    );
    expect(await accounts.findSession('late', now)).toBeNull();
  });
});

describe('sessions', () => {
  test('are listed with where and when they began, and ended one by one or all but this one', async () => {
    const here = await newcomer('walker');
    const firefox = openBrowser(service.url);
    now += minutes(5);
    const answer = await firefox.send('POST', '/session', {
      body: { email: 'walker@example.com', password: PASSWORD },
      headers: { 'User-Agent': 'Firefox/142.0' },
    });
    expect(answer.status).toBe(200);
    const [latest, first] = await sessionsOf(here);
    expect(latest).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      started_at: new Date(now).toISOString(),
      last_used_at: new Date(now).toISOString(),
      address: '127.0.0.1',
      user_agent: 'Firefox/142.0',
      current: false,
    });
    expect(first?.current).toBe(true);
    expect(JSON.stringify([latest, first])).not.toContain(cookieOf(firefox).split('=')[1] ?? 'a cookie');

    const stranger = await newcomer('stranger');
    const notFound = { status: 404, code: 'not_found' };
    expectRefused(await stranger.delete(`/account/sessions/${latest?.id}`), notFound);
    expect((await firefox.get('/session')).status).toBe(200);
    expect(dataOf(await here.delete(`/account/sessions/${latest?.id}`))).toEqual({
      id: latest?.id ?? '',
      deleted: true,
    });
    expectRefused(await firefox.get('/session'), unauthenticated);
    expectRefused(await here.delete(`/account/sessions/${latest?.id}`), notFound);

    const others = [
      await logIn(service.url, 'walker@example.com'),
      await logIn(service.url, 'walker@example.com'),
    ];
    expect(dataOf(await here.delete('/account/sessions'))).toEqual({ ended: true });
    for (const other of others) expectRefused(await other.get('/session'), unauthenticated);
    expect(await sessionsOf(here)).toHaveLength(1);
    expect((await stranger.get('/session')).status).toBe(200);
    const ended = (await actionsOn(await idOf(here))).filter(action => action === 'session.ended');
    expect(ended).toHaveLength(2);
    // With no other left there is nothing to put on record.
    await here.delete('/account/sessions');
    expect((await actionsOn(await idOf(here))).filter(action => action === 'session.ended')).toEqual(ended);
  });

  test('show when they were last used, to the minute', async () => {
    const here = await newcomer('user');
    now += minutes(1);
    const usedAt = new Date(now).toISOString();
    await here.get('/session');
    await until(
      async () => (await sessionsOf(here))[0]?.last_used_at === usedAt,
      'when it was used is not kept',
    );
  });
});

describe('the second factor', () => {
  test('is on once a code proves that the app has the secret, which is kept sealed', async () => {
    const here = await newcomer('enroller');
    const offer = dataOf<{ secret: string; uri: string }>(await here.post('/account/second-factor/offer'));
    expect(offer.uri).toContain(`otpauth://totp/Sluice:enroller%40example.com?secret=${offer.secret}`);
    const code = totpCode(offer.secret, now);
    const wrong = totpCode(offer.secret, now + minutes(10));
    for (const [change, path] of [
      [{ code: wrong }, 'code'],
      [{ code: 'abcdef' }, 'code'],
      [{ secret: 'SHORT' }, 'secret'],
      [{ password: 'not it' }, 'password'],
    ] as const) {
      const body = { password: PASSWORD, secret: offer.secret, code, ...change };
      expectRefused(await here.put('/account/second-factor', body), {
        status: 400,
        code: 'validation_failed',
        path,
      });
    }
    const body = { password: PASSWORD, secret: offer.secret, code };
    const { recovery_codes } = dataOf<{ recovery_codes: string[] }>(
      await here.put('/account/second-factor', body),
    );
    expect(new Set(recovery_codes).size).toBe(10);
    for (const one of recovery_codes) expect(one).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    expect(dataOf<AccountRecord>(await here.get('/account'))).toEqual({
      email: 'enroller@example.com',
      time_zone: 'local',
      clock: '24h',
      second_factor: { on: true, since: new Date(now).toISOString(), recovery_codes_left: 10 },
    });
    expectRefused(await here.put('/account/second-factor', body), { status: 409, code: 'conflict' });
    const kept = await service.engine.accounts.findSecondFactor(await idOf(here));
    expect(Buffer.from(kept?.sealedSecret ?? '', 'base64').toString('latin1')).not.toContain(offer.secret);
    // The code that confirmed it is spent.
    expectRefused(await attempt('enroller', { password: PASSWORD, code }), wrongCode);
    expect(await actionsOn(await idOf(here))).toContain('second_factor.turned_on');
  });

  test('asks for a code after the right password and for nothing after a wrong one', async () => {
    const { nextCode } = await withSecondFactor(await newcomer('asked'));
    const code = nextCode();
    const missing = await attempt('asked', { password: PASSWORD });
    expectRefused(missing, codeNeeded);
    expect(missing.headers.get('set-cookie')).toBeNull();
    const wrong = await attempt('asked', { password: 'not it' });
    expectRefused(wrong, unauthenticated);
    for (const body of [
      { password: 'not it', code },
      { password: 'not it', code: 'nonsense' },
    ]) {
      expect((await attempt('asked', body)).body).toEqual(wrong.body);
    }
    expect((await attempt('nobody', { password: PASSWORD, code })).body).toEqual(wrong.body);
    expect(
      (await attempt('asked', { password: PASSWORD, code: ` ${code.slice(0, 3)} ${code.slice(3)}` })).status,
    ).toBe(200);
  });

  test('takes each code once, and none of before', async () => {
    const { nextCode } = await withSecondFactor(await newcomer('once'));
    const [earlier, code] = [nextCode(), nextCode()];
    expect((await attempt('once', { password: PASSWORD, code })).status).toBe(200);
    const again = await attempt('once', { password: PASSWORD, code });
    expectRefused(again, wrongCode);
    expectRefused(await attempt('once', { password: PASSWORD, code: earlier }), wrongCode);
    const next = nextCode();
    const both = await Promise.all([1, 2].map(() => attempt('once', { password: PASSWORD, code: next })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('takes each recovery code once, until there are new ones', async () => {
    const here = await newcomer('recoverer');
    const { recoveryCodes } = await withSecondFactor(here);
    const [first = '', second = ''] = recoveryCodes;
    expect((await attempt('recoverer', { password: PASSWORD, code: first })).status).toBe(200);
    expectRefused(await attempt('recoverer', { password: PASSWORD, code: first }), wrongCode);
    const typed = second.replaceAll('-', ' ').toUpperCase();
    expect((await attempt('recoverer', { password: PASSWORD, code: typed })).status).toBe(200);
    expect(dataOf<AccountRecord>(await here.get('/account')).second_factor.recovery_codes_left).toBe(8);
    expect(
      (await actionsOn(await idOf(here))).filter(action => action === 'recovery_code.used'),
    ).toHaveLength(2);

    const path = '/account/second-factor/recovery-codes';
    expectRefused(await here.post(path, { password: 'not it' }), {
      status: 400,
      code: 'validation_failed',
      path: 'password',
    });
    const { recovery_codes } = dataOf<{ recovery_codes: string[] }>(
      await here.post(path, { password: PASSWORD }),
    );
    expect(recovery_codes).toHaveLength(10);
    const [, , third = ''] = recoveryCodes;
    expectRefused(await attempt('recoverer', { password: PASSWORD, code: third }), wrongCode);
    const [fresh = ''] = recovery_codes;
    expect((await attempt('recoverer', { password: PASSWORD, code: fresh })).status).toBe(200);
  });

  test('is turned off with the password alone, and then a login asks for no code', async () => {
    const here = await newcomer('leaver');
    expectRefused(await here.post('/account/second-factor/off', { password: PASSWORD }), {
      status: 409,
      code: 'conflict',
    });
    const { recoveryCodes } = await withSecondFactor(here);
    expectRefused(await here.post('/account/second-factor/off', { password: 'not it' }), {
      status: 400,
      code: 'validation_failed',
      path: 'password',
    });
    expectRefused(await attempt('leaver', { password: PASSWORD }), codeNeeded);
    const off = dataOf<AccountRecord>(await here.post('/account/second-factor/off', { password: PASSWORD }));
    expect(off.second_factor).toEqual({ on: false, since: null, recovery_codes_left: 0 });
    expect((await attempt('leaver', { password: PASSWORD })).status).toBe(200);
    expect(await actionsOn(await idOf(here))).toContain('second_factor.turned_off');
    // What was left of the old codes is worth nothing when it is on again.
    await withSecondFactor(here);
    const [old = ''] = recoveryCodes;
    expectRefused(await attempt('leaver', { password: PASSWORD, code: old }), wrongCode);
  });

  test('cannot be guessed: wrong codes count as wrong passwords do', async () => {
    const { nextCode, secret } = await withSecondFactor(await newcomer('target'));
    const wrong = totpCode(secret, now + minutes(10));
    for (let i = 0; i < 20; i++) {
      expectRefused(await attempt('target', { password: PASSWORD, code: wrong }), wrongCode);
    }
    const limited = { status: 429, code: 'rate_limited' };
    expectRefused(await attempt('target', { password: PASSWORD, code: nextCode() }), limited);
    now += minutes(15);
    expect((await attempt('target', { password: PASSWORD, code: nextCode() })).status).toBe(200);
  });

  test('is asked for where an invitation is accepted too', async () => {
    const { nextCode } = await withSecondFactor(await newcomer('guest'));
    const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: 'Second' }));
    const there = await logIn(service.url, 'owner@example.com');
    await there.put('/session/organisation', { id });
    const { invite_code } = dataOf<{ invite_code: string }>(
      await there.post('/members', { email: 'guest@example.com', role: 'viewer' }),
    );
    const accept = (body: object) => openBrowser(service.url).post(`/invitations/${invite_code}`, body);
    expectRefused(await accept({ password: PASSWORD }), codeNeeded);
    expectRefused(await accept({ password: PASSWORD, code: 'nonsense' }), wrongCode);
    expect((await accept({ password: PASSWORD, code: nextCode() })).status).toBe(201);
  });
});

describe('logins', () => {
  test('are on record where they begin, and failures from the third in a row on wherever the person is', async () => {
    const here = await newcomer('watched');
    const userId = await idOf(here);
    const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: 'Third' }));
    const there = await logIn(service.url, 'owner@example.com');
    await there.put('/session/organisation', { id });
    const { invite_code } = dataOf<{ invite_code: string }>(
      await there.post('/members', { email: 'watched@example.com', role: 'viewer' }),
    );
    await openBrowser(service.url).post(`/invitations/${invite_code}`, { password: PASSWORD });

    const failures = async (as: Browser) =>
      (await actionsOn(userId, as)).filter(action => action === 'login.failed').length;
    for (let i = 0; i < 2; i++) await attempt('watched', { password: 'not it' });
    await logIn(service.url, 'watched@example.com');
    expect(await actionsOn(userId, owner)).toContain('session.started');
    expect(await actionsOn(userId, there)).not.toContain('session.started');
    for (let i = 0; i < 4; i++) await attempt('watched', { password: 'not it' });
    for (const as of [owner, there])
      await until(async () => (await failures(as)) === 2, 'a failure is missing');
    const [failed] = listOf<AuditRecord>(await owner.get('/audit?limit=100')).data.filter(
      ({ action }) => action === 'login.failed',
    );
    expect(failed).toMatchObject({
      actor: 'unknown',
      target: userId,
      details: { address: '127.0.0.1', outcome: 'wrong_password' },
    });
  });

  test('tell only admins and above how and from where somebody comes', async () => {
    const here = await newcomer('private');
    const userId = await idOf(here);
    await logIn(service.url, 'private@example.com');
    const [session] = (await sessionsOf(here)).filter(({ current }) => !current);
    await here.delete(`/account/sessions/${session?.id}`);
    const detailsFor = async (as: Browser) => {
      const listed = listOf<AuditRecord>(await as.get('/audit?limit=100')).data.filter(
        ({ target }) => target === userId,
      );
      expect(listed.map(({ action }) => action)).toEqual([
        'session.ended',
        'session.started',
        'member.joined',
      ]);
      for (const { id, details } of listed)
        expect(dataOf<AuditRecord>(await as.get(`/audit/${id}`)).details).toEqual(details);
      return Object.assign({}, ...listed.map(({ details }) => details)) as object;
    };
    const told = { address: '127.0.0.1', began_from: '127.0.0.1', second_factor: 'none' };
    const [admin, member] = [
      await join(service.url, owner, 'private-admin@example.com', 'admin'),
      await join(service.url, owner, 'private-member@example.com', 'member'),
    ];
    for (const as of [owner, admin]) expect(await detailsFor(as)).toMatchObject(told);
    for (const as of [here, member]) {
      const details = await detailsFor(as);
      expect(details).toMatchObject({ role: 'viewer', began_at: session?.started_at ?? '' });
      for (const name of Object.keys(told)) expect(details).not.toHaveProperty(name);
    }
  });
});
