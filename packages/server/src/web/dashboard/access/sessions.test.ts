import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { everyStore } from '../../../../test/support/every-store.ts';
import { temporaryDirectory } from '../../../../test/support/service.ts';
import { systemClock } from '../../../core/clock.ts';
import type { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import type { StorageEngine } from '../../../core/stores/engine.ts';
import { openStorage } from '../../../storage/open.ts';
import { type ClientSettings, clientOf } from '../../client.ts';
import { createSessions, type LoginSessions } from './sessions.ts';

const directory = temporaryDirectory();
const user = { id: newId('usr'), email: 'a@example.com', passwordHash: '', createdAt: 0 };
const org = { id: newId('org'), name: 'Acme', retentionDays: null, searchableTraits: [], createdAt: 0 };
/** When the bound cookie came to be. */
const SINCE = Date.now() - 1_000;
let engine: StorageEngine;
let sessions: LoginSessions;
beforeAll(async () => {
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  await engine.accounts.createFirstUser(user, org);
  sessions = createSessions(everyStore(engine), systemClock, SINCE);
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

const settings = { trustProxy: true, baseUrl: undefined };
const peer = { address: '127.0.0.1' };
const https = { 'X-Forwarded-Proto': 'https' };
const requestWith = (headers: Record<string, string>) => new Request('http://localhost:8080/', { headers });
const clientWith = (headers: Record<string, string>, given: Partial<ClientSettings> = {}) =>
  clientOf(requestWith(headers), peer, { ...settings, ...given });

const cookieFor = async (headers: Record<string, string>, given: Partial<ClientSettings> = {}) =>
  (
    await sessions.begin(user, org.id, {
      client: clientWith(headers, given),
      request: requestWith(headers),
    })
  ).cookie;
const tokenIn = (cookie: string) => /=([^;]*)/.exec(cookie)?.[1] ?? '';

/** Whose session it is, or why there is none. */
const askWith = (headers: Record<string, string>) =>
  sessions.of(requestWith(headers), clientWith(headers)).then(
    ({ userId }) => userId,
    (error: Problem) => error.code as string,
  );

test('the cookie is bound to this host and TLS wherever the browser speaks it, and only there', async () => {
  const bound =
    /^__Host-sluice_session=ses_[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/;
  expect(await cookieFor({}, { baseUrl: 'https://sluice.example.com' })).toMatch(bound);
  expect(await cookieFor(https)).toMatch(bound);
  const plain = /^sluice_session=ses_[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/;
  expect(await cookieFor({})).toMatch(plain);
  expect(await cookieFor(https, { trustProxy: false })).toMatch(plain);
});

test('over TLS only the bound cookie counts, since a neighbouring host can plant the other one', async () => {
  const token = tokenIn(await cookieFor(https));
  const mine = tokenIn(await cookieFor({}));
  expect(await askWith({ ...https, Cookie: `__Host-sluice_session=${token}` })).toBe(user.id);
  expect(await askWith({ ...https, Cookie: `sluice_session=${token}` })).toBe('unauthenticated');
  expect(await askWith({ ...https, Cookie: `sluice_session=${mine}` })).toBe('unauthenticated');
  expect(await askWith({ Cookie: `sluice_session=${mine}` })).toBe(user.id);
  // One that does not hold is not made up for by the other.
  const both = `sluice_session=${mine}; __Host-sluice_session=ses_x`;
  expect(await askWith({ ...https, Cookie: both })).toBe('unauthenticated');
});

test('a session from before there was a bound cookie goes on over TLS, and gets one', async () => {
  const before = createSessions(everyStore(engine), { now: () => SINCE - 1 }, SINCE);
  const { session, cookie } = await before.begin(user, org.id, {
    client: clientWith({}),
    request: requestWith({}),
  });
  const token = tokenIn(cookie);
  const headers = { ...https, Cookie: `sluice_session=${token}` };
  expect(await askWith(headers)).toBe(user.id);
  const renewed = before.renewedCookies(requestWith(headers), clientWith(headers), session);
  expect(renewed).toEqual([
    `__Host-sluice_session=${token}; Max-Age=1209600; Path=/; HttpOnly; Secure; SameSite=Lax`,
    'sluice_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
  ]);
  const bound = { ...https, Cookie: `__Host-sluice_session=${token}` };
  expect(sessions.renewedCookies(requestWith(bound), clientWith(bound), session)).toEqual([]);
  const plain = { Cookie: `sluice_session=${token}` };
  expect(sessions.renewedCookies(requestWith(plain), clientWith(plain), session)).toEqual([]);
});

test('whoever logs out keeps neither cookie', () => {
  expect(sessions.expiredCookies(clientWith(https))).toEqual([
    '__Host-sluice_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    'sluice_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
  ]);
  expect(sessions.expiredCookies(clientWith({}))).toEqual([
    'sluice_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
  ]);
});

test('storage never sees the token, so a copy of it opens no session', async () => {
  const token = tokenIn(await cookieFor({}));
  const headers = (value: string) => ({ Cookie: `a=b; sluice_session=${value}` });
  const session = await sessions.of(requestWith(headers(token)), clientWith({}));
  expect(session).toMatchObject({ userId: user.id, orgId: org.id, role: 'owner' });
  expect(session.tokenHash).not.toContain(token);
  expect(await askWith(headers(session.tokenHash))).toBe('unauthenticated');
});
