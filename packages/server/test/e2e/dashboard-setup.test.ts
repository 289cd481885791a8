import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { days, minutes } from '../../src/core/clock.ts';
import { type Browser, dataOf, listOf, logIn, openBrowser, PASSWORD, setUp } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService, temporaryDirectory } from '../support/service.ts';

let service: TestService;
let browser: Browser;
let now = Date.now() - days(60);
beforeEach(async () => {
  service = await startTestService({ clock: { now: () => now } });
  browser = openBrowser(service.url);
});
afterEach(() => service.stop());

const input = { organisation: 'Acme', email: 'Owner@Example.com', password: PASSWORD };
const codeOf = ({ service: { setupCode } }: TestService): string => {
  if (setupCode === null) throw new Error('set-up is closed');
  return setupCode;
};

test('the printed code makes the first user, who is logged in as owner', async () => {
  expect(dataOf(await browser.get('/setup'))).toEqual({ open: true });
  const answer = await browser.post('/setup', { code: codeOf(service), ...input });
  expect(answer.status).toBe(201);
  expect(dataOf(answer)).toMatchObject({
    user: { email: 'owner@example.com' },
    organisation: { name: 'Acme' },
    role: 'owner',
  });
  expect(dataOf(await browser.get('/session'))).toEqual(dataOf(answer));
  await logIn(service.url, 'OWNER@example.com');

  const { data: audit } = listOf(await browser.get('/audit'));
  expect(audit).toMatchObject([
    { actor: 'owner@example.com', action: 'session.started' },
    { actor: 'owner@example.com', action: 'organisation.created' },
  ]);
});

test('the code works once: afterwards set-up is closed', async () => {
  await setUp(service);
  expect(dataOf(await browser.get('/setup'))).toEqual({ open: false });
  expectRefused(await browser.post('/setup', { code: codeOf(service), ...input }), {
    status: 409,
    code: 'conflict',
  });
});

test('two at once make one user', async () => {
  const body = { code: codeOf(service), ...input };
  const answers = await Promise.all([1, 2, 3].map(() => openBrowser(service.url).post('/setup', body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
});

test('a wrong code is refused, and guessing is slowed down', async () => {
  for (const code of ['x', codeOf(service).toUpperCase(), codeOf(service).slice(1)]) {
    expectRefused(await browser.post('/setup', { code, ...input }), { status: 401, code: 'unauthenticated' });
  }
  for (let i = 3; i < 20; i++) await browser.post('/setup', { code: 'x', ...input });
  const slowed = await browser.post('/setup', { code: codeOf(service), ...input });
  expectRefused(slowed, { status: 429, code: 'rate_limited' });
  expect(slowed.headers.get('retry-after')).toBe(String(minutes(15) / 1_000));
  now += minutes(15);
  expect((await browser.post('/setup', { code: codeOf(service), ...input })).status).toBe(201);
});

test('what is asked for is checked', async () => {
  const code = codeOf(service);
  const refusals: [string, Record<string, unknown>][] = [
    ['organisation', { code, ...input, organisation: ' ' }],
    ['email', { code, ...input, email: 'nobody' }],
    ['password', { code, ...input, password: 'seven77' }],
    ['name', { code, ...input, name: 'x' }],
    ['code', input],
  ];
  for (const [path, body] of refusals) {
    expectRefused(await browser.post('/setup', body), { status: 400, code: 'validation_failed', path });
  }
  const withoutHeader = await browser.send('POST', '/setup', {
    body: { code, ...input },
    headers: { 'X-Sluice-CSRF': '' },
  });
  expectRefused(withoutHeader, { status: 403, code: 'csrf_rejected' });
});

test('the code is the same after a restart, and gone once it was used', async () => {
  const directory = temporaryDirectory();
  const codes: (string | null)[] = [];
  for (const act of [async () => {}, setUp, async () => {}]) {
    const started = await startTestService({ directory });
    codes.push(started.service.setupCode);
    await act(started);
    await started.stop();
  }
  expect(codes[0]).toBe(codes[1] ?? '');
  expect(codes[0]).toMatch(/^[0-9a-f]{24}$/);
  expect(codes[2]).toBeNull();
  rmSync(directory, { recursive: true });
});

test('settings can make the first user instead, and never a second one', async () => {
  const directory = temporaryDirectory();
  const start = (email: string) =>
    startTestService({
      directory,
      settings: { SLUICE_ADMIN_EMAIL: email, SLUICE_ADMIN_PASSWORD: PASSWORD },
    });
  const first = await start('admin@example.com');
  expect(first.service.setupCode).toBeNull();
  const admin = await logIn(first.url, 'admin@example.com');
  expect(dataOf(await admin.get('/session'))).toMatchObject({ role: 'owner' });
  await first.stop();

  const second = await start('other@example.com');
  const other = await openBrowser(second.url).post('/session', {
    email: 'other@example.com',
    password: PASSWORD,
  });
  expect(other.status).toBe(401);
  await logIn(second.url, 'admin@example.com');
  await second.stop();
  rmSync(directory, { recursive: true });
});

test('the pages open before anybody is logged in, under a strict policy, and never hold the code', async () => {
  for (const path of ['/', '/setup', '/login', '/invitations/x']) {
    const response = await fetch(`${service.url}${path}`);
    expect(response.status, path).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const nonce = /nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1] ?? '';
    expect(response.headers.get('content-security-policy')).toStartWith(
      "default-src 'none'; script-src 'self';",
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const document = await response.text();
    expect(document).toContain(`content="${nonce}"`);
    expect(document).not.toContain(codeOf(service));
  }
});

test('a process without the dashboard role serves none of it', async () => {
  const ingestOnly = await startTestService({ settings: { SLUICE_ROLES: 'ingest' } });
  expect(ingestOnly.service.setupCode).toBeNull();
  expect((await openBrowser(ingestOnly.url).get('/session')).status).toBe(404);
  expect((await fetch(`${ingestOnly.url}/`)).status).toBe(404);
  await ingestOnly.stop();
});
