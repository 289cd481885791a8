import { afterAll, beforeAll, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { days } from '../../src/core/clock.ts';
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
import { expectRefused, toAnswer } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

const unauthenticated = { status: 401, code: 'unauthenticated' };

let service: TestService;
let owner: Browser;
let now = Date.now() - days(60);
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } });
  owner = await setUp(service);
});
afterAll(() => service.stop());

const attempt = (email: string, password: string, headers: Record<string, string> = {}) =>
  openBrowser(service.url).send('POST', '/session', { body: { email, password }, headers });

test('a login answers who it is, and sets a cookie that scripts and other sites cannot use', async () => {
  const browser = await logIn(service.url, 'owner@example.com');
  expect(browser.setCookie).toMatch(
    /^sluice_session=ses_[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const me = dataOf<WhoAmI>(await browser.get('/session'));
  expect(me).toEqual({
    user: {
      id: expect.stringMatching(/^usr_/),
      email: 'owner@example.com',
      time_zone: 'local',
      clock: '24h',
    },
    organisation: { id: expect.stringMatching(/^org_/), name: 'Acme', slug: 'acme' },
    role: 'owner',
    permissions: expect.arrayContaining(['read', 'keys.change', 'organisations.change']),
    organisations: [{ id: me.organisation.id, name: 'Acme', slug: 'acme', role: 'owner' }],
  });
});

test('a wrong password and an unknown email get the same answer', async () => {
  const wrong = await attempt('owner@example.com', 'not the password');
  const unknown = await attempt('nobody@example.com', 'not the password');
  const nonsense = await attempt('no email at all', 'not the password');
  for (const answer of [wrong, unknown, nonsense]) expectRefused(answer, unauthenticated);
  expect(unknown.body).toEqual(wrong.body);
  expect(nonsense.body).toEqual(wrong.body);
  expect(wrong.headers.get('set-cookie')).toBeNull();
});

test('logging out ends the session for good', async () => {
  const browser = await logIn(service.url, 'owner@example.com');
  const cookie = cookieOf(browser);
  expect(dataOf(await browser.delete('/session'))).toEqual({ ended: true });
  expect(browser.setCookie).toStartWith('sluice_session=; Max-Age=0; Path=/');
  expectRefused(await browser.send('GET', '/session', { headers: { Cookie: cookie } }), unauthenticated);
});

test('a session ends by itself after two weeks', async () => {
  const browser = await logIn(service.url, 'owner@example.com');
  now += days(14) - 1;
  expect((await browser.get('/session')).status).toBe(200);
  now += 1;
  expectRefused(await browser.get('/session'), unauthenticated);
  owner = await logIn(service.url, 'owner@example.com');
});

test('only the cookie counts: an API key, a made-up cookie and nothing at all are 401', async () => {
  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
  const headers: Record<string, string>[] = [
    { Authorization: `Bearer ${secret}` },
    { Authorization: `Bearer ${secret}`, Cookie: `sluice_session=${secret}` },
    { Cookie: 'sluice_session=ses_x' },
    { Cookie: 'sluice_session=' },
    {},
  ];
  for (const header of headers) {
    const answer = await openBrowser(service.url).send('GET', '/keys', { headers: header });
    expectRefused(answer, unauthenticated);
    expect(answer.headers.get('www-authenticate')).toBeNull();
  }
});

test('a session moves between the organisations of its user, and nowhere else', async () => {
  const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: 'Second' }));
  const browser = await logIn(service.url, 'owner@example.com');
  const moved = dataOf(await browser.put('/session/organisation', { id }));
  expect(moved).toMatchObject({ organisation: { id, name: 'Second' }, role: 'owner' });
  expect(dataOf(await browser.get('/session'))).toEqual(moved);

  const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  for (const elsewhere of [id, 'org_00000000000000000000000000', '']) {
    expectRefused(await viewer.put('/session/organisation', { id: elsewhere }), {
      status: 404,
      code: 'not_found',
    });
  }
});

test('somebody who was removed is out at once, and cannot log in without an organisation', async () => {
  const leaver = await join(service.url, owner, 'leaver@example.com', 'member');
  const { user } = dataOf<{ user: { id: string } }>(await leaver.get('/session'));
  expect((await owner.delete(`/members/${user.id}`)).status).toBe(200);
  expectRefused(await leaver.get('/session'), unauthenticated);
  expectRefused(await attempt('leaver@example.com', PASSWORD), { status: 403, code: 'forbidden' });
});

test('a login is on record', async () => {
  const browser = await logIn(service.url, 'owner@example.com');
  const { user } = dataOf<WhoAmI>(await browser.get('/session'));
  const [newest] = listOf(await browser.get('/audit?limit=1')).data;
  expect(newest).toMatchObject({
    actor: 'owner@example.com',
    action: 'session.started',
    target: user.id,
    details: { address: '127.0.0.1' },
  });
});

test('what anybody may send is small, and refused before it is read otherwise', async () => {
  const body = { email: 'owner@example.com', password: 'x'.repeat(64 * 1024) };
  const answer = await openBrowser(service.url).send('POST', '/session', { body });
  expectRefused(answer, { status: 413, code: 'payload_too_large' });
});

test('whoever is logged in sends as much as a call needs, and no more', async () => {
  const browser = await logIn(service.url, 'owner@example.com');
  const tooLarge = { status: 413, code: 'payload_too_large' };
  expectRefused(await browser.post('/keys', { name: 'x'.repeat(96 * 1024) }), tooLarge);
  expectRefused(await browser.post('/conditions/check', { condition: ' '.repeat(96 * 1024) }), tooLarge);
  const named = { status: 400, code: 'validation_failed', path: 'name' };
  expectRefused(await browser.post('/pipelines', { name: 'x'.repeat(900 * 1024) }), named);
  // Packed, so that none of it is left unread.
  const answer = await fetch(`${service.url}/dashboard/api/pipelines`, {
    method: 'POST',
    headers: { 'X-Sluice-CSRF': '1', 'Content-Encoding': 'gzip', Cookie: cookieOf(browser) },
    body: new Uint8Array(gzipSync(JSON.stringify({ name: 'x'.repeat(1024 * 1024) }))),
  });
  expectRefused(await toAnswer(answer), tooLarge);
});

test('behind a proxy that is trusted and speaks TLS, the cookie is bound to this host, and logging out takes it away', async () => {
  const behind = await startTestService({ settings: { SLUICE_TRUST_PROXY: 'true' } });
  await setUp(behind);
  const https = { 'X-Forwarded-Proto': 'https' };
  const browser = openBrowser(behind.url);
  const body = { email: 'owner@example.com', password: PASSWORD };
  const login = await browser.send('POST', '/session', { body, headers: https });
  expect(login.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-sluice_session=ses_[\w-]{43}; .*Path=\/; HttpOnly; Secure; SameSite=Lax$/),
  ]);
  const cookie = cookieOf(browser);
  const token = cookie.slice(cookie.indexOf('=') + 1);
  const ask = (method: string, given: string) =>
    openBrowser(behind.url).send(method, '/session', { headers: { ...https, Cookie: given } });
  expect((await ask('GET', cookie)).status).toBe(200);
  expectRefused(await ask('GET', `sluice_session=${token}`), unauthenticated);
  const left = await ask('DELETE', cookie);
  expect(left.headers.getSetCookie().map(text => text.slice(0, text.indexOf(';')))).toEqual([
    '__Host-sluice_session=',
    'sluice_session=',
  ]);
  expectRefused(await ask('GET', cookie), unauthenticated);
  await behind.stop();
});
