import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { everyStore } from '../../../../test/support/every-store.ts';
import { temporaryDirectory } from '../../../../test/support/service.ts';
import { systemClock } from '../../../core/clock.ts';
import type { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import type { StorageEngine } from '../../../core/stores/engine.ts';
import { openStorage } from '../../../storage/open.ts';
import { clientOf } from '../../client.ts';
import { createSessions, type LoginSessions } from './sessions.ts';

const directory = temporaryDirectory();
const user = { id: newId('usr'), email: 'a@example.com', passwordHash: '', createdAt: 0 };
const org = { id: newId('org'), name: 'Acme', retentionDays: null, searchableTraits: [], createdAt: 0 };
let engine: StorageEngine;
let sessions: LoginSessions;
beforeAll(async () => {
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  await engine.accounts.createFirstUser(user, org);
  sessions = createSessions(everyStore(engine), systemClock);
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

const cookieFor = async (
  headers: Record<string, string>,
  settings: { trustProxy?: boolean; baseUrl?: string },
) => {
  const request = new Request('http://localhost:8080/', { headers });
  const client = clientOf(
    request,
    { address: '127.0.0.1' },
    { trustProxy: false, baseUrl: undefined, ...settings },
  );
  return (await sessions.begin(user, org.id, { client, request })).cookie;
};

test('the cookie is Secure wherever the browser speaks TLS, and only there', async () => {
  const https = { 'X-Forwarded-Proto': 'https' };
  expect(await cookieFor({}, { baseUrl: 'https://sluice.example.com' })).toContain('; Secure');
  expect(await cookieFor(https, { trustProxy: true })).toContain('; Secure');
  expect(await cookieFor({}, { trustProxy: true })).not.toContain('Secure');
  expect(await cookieFor(https, {})).not.toContain('Secure');
});

test('storage never sees the token, so a copy of it opens no session', async () => {
  const cookie = await cookieFor({}, {});
  const token = /sluice_session=([^;]+)/.exec(cookie)?.[1] ?? '';
  const ask = (value: string) =>
    sessions.of(new Request('http://localhost/', { headers: { Cookie: `a=b; sluice_session=${value}` } }));
  const session = await ask(token);
  expect(session).toMatchObject({ userId: user.id, orgId: org.id, role: 'owner' });
  expect(session.tokenHash).not.toContain(token);
  expect(await ask(session.tokenHash).catch((error: Problem) => error.code)).toBe('unauthenticated');
});
