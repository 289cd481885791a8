import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { MemberRecord, WhoAmI } from '@sluice/contract/dashboard-accounts';
import { days } from '../../src/core/clock.ts';
import {
  type Browser,
  dataOf,
  join,
  listOf,
  logIn,
  openBrowser,
  PASSWORD,
  readAll,
  setUp,
} from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

const conflict = { status: 409, code: 'conflict' };
const forbidden = { status: 403, code: 'forbidden' };
const notFound = { status: 404, code: 'not_found' };

type Invited = MemberRecord & { invite_code: string };

let service: TestService;
let owner: Browser;
let admin: Browser;
let now = Date.now() - days(60);
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } });
  owner = await setUp(service);
  admin = await join(service.url, owner, 'admin@example.com', 'admin');
});
afterAll(() => service.stop());

const invite = async (email: string, role = 'member') =>
  dataOf<Invited>(await owner.post('/members', { email, role }));
const accept = (code: string, password = PASSWORD) =>
  openBrowser(service.url).post(`/invitations/${code}`, { password });
const idOf = async (browser: Browser) => dataOf<WhoAmI>(await browser.get('/session')).user.id;

describe('an invitation', () => {
  test('makes its holder a member with the role that was offered', async () => {
    const answer = await owner.post('/members', { email: 'New@Example.com', role: 'member' });
    expect(answer.status).toBe(201);
    const invited = dataOf<Invited>(answer);
    expect(invited).toEqual({
      id: expect.stringMatching(/^inv_/),
      email: 'new@example.com',
      role: 'member',
      status: 'invited',
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + days(7)).toISOString(),
      last_login_at: null,
      invite_code: expect.stringMatching(/^invite_[\w-]{43}$/),
    });
    const { invite_code, ...record } = invited;
    expect(listOf(await owner.get('/members')).data).toContainEqual(record);
    expect(dataOf(await owner.get(`/members/${invited.id}`))).toEqual(record);

    const accepted = await accept(invite_code);
    expect(accepted.status).toBe(201);
    expect(dataOf(accepted)).toMatchObject({
      user: { email: 'new@example.com' },
      organisation: { name: 'Acme' },
      role: 'member',
    });
    expectRefused(await owner.get(`/members/${invited.id}`), notFound);
    expectRefused(await accept(invite_code), notFound);
  });

  test('ends after a week, when withdrawn, and when there is a newer one', async () => {
    const first = await invite('late@example.com');
    now += days(7) - 1;
    const second = await invite('late@example.com');
    expectRefused(await accept(first.invite_code), notFound);
    now += days(7);
    expectRefused(await accept(second.invite_code), notFound);
    owner = await logIn(service.url, 'owner@example.com');
    admin = await logIn(service.url, 'admin@example.com');

    const third = await invite('late@example.com');
    expect(dataOf(await owner.delete(`/members/${third.id}`))).toEqual({ id: third.id, deleted: true });
    expectRefused(await accept(third.invite_code), notFound);
    expectRefused(await owner.delete(`/members/${third.id}`), notFound);
    expectRefused(await accept('invite_x'), notFound);
  });

  test('asks somebody with an account for the password of that account', async () => {
    const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: 'Second' }));
    const other = await logIn(service.url, 'owner@example.com');
    await other.put('/session/organisation', { id });
    const { invite_code } = dataOf<Invited>(
      await other.post('/members', { email: 'admin@example.com', role: 'viewer' }),
    );
    expectRefused(await accept(invite_code, 'another password'), { status: 401, code: 'unauthenticated' });
    const me = dataOf<WhoAmI>(await accept(invite_code));
    expect(me.organisation.id).toBe(id);
    expect(me.organisations.map(({ role }) => role)).toEqual(['admin', 'viewer']);
    expect(me.user.id).toBe(await idOf(admin));
  });

  test('asks somebody new for a password worth the name, and is not spent by a bad one', async () => {
    const { invite_code } = await invite('careless@example.com');
    for (const body of [{ password: 'short' }, { password: null }, {}]) {
      expectRefused(await openBrowser(service.url).post(`/invitations/${invite_code}`, body), {
        status: 400,
        code: 'validation_failed',
        path: 'password',
      });
    }
    expect((await accept(invite_code)).status).toBe(201);
  });

  test('goes to nobody who is a member already', async () => {
    expectRefused(await owner.post('/members', { email: 'ADMIN@example.com', role: 'viewer' }), {
      ...conflict,
      path: 'email',
    });
  });

  test('is checked', async () => {
    for (const [path, body] of [
      ['email', { email: 'x', role: 'member' }],
      ['role', { email: 'x@example.com', role: 'king' }],
      ['role', { email: 'x@example.com' }],
      ['role', { email: 'x@example.com', role: null }],
      ['name', { email: 'x@example.com', role: 'member', name: 'x' }],
    ] as const) {
      expectRefused(await owner.post('/members', body), { status: 400, code: 'validation_failed', path });
    }
  });
});

describe('roles', () => {
  test('a changed role holds from the next call on', async () => {
    const person = await join(service.url, owner, 'rising@example.com', 'viewer');
    const path = `/members/${await idOf(person)}`;
    expectRefused(await person.post('/sources', { kind: 'sdk', name: 'x', match: '*' }), forbidden);
    expect(dataOf(await admin.patch(path, { role: 'member' }))).toMatchObject({ role: 'member' });
    expect((await person.post('/sources', { kind: 'sdk', name: 'x', match: '*' })).status).toBe(201);
    expect((await admin.delete(path)).status).toBe(200);
    expectRefused(await person.get('/session'), { status: 401, code: 'unauthenticated' });
    expectRefused(await admin.get(path), notFound);
  });

  test('admins manage everybody up to admins; owners are made, changed and removed by owners', async () => {
    const second = await join(service.url, owner, 'second@example.com', 'owner');
    const secondPath = `/members/${await idOf(second)}`;
    const person = await join(service.url, admin, 'person@example.com', 'admin');
    const personPath = `/members/${await idOf(person)}`;

    expectRefused(await admin.post('/members', { email: 'x@example.com', role: 'owner' }), forbidden);
    expectRefused(await admin.patch(personPath, { role: 'owner' }), forbidden);
    expectRefused(await admin.patch(secondPath, { role: 'viewer' }), forbidden);
    expectRefused(await admin.delete(secondPath), forbidden);
    const { id } = await invite('future@example.com', 'owner');
    expectRefused(await admin.delete(`/members/${id}`), forbidden);

    expect((await admin.patch(personPath, { role: 'viewer' })).status).toBe(200);
    expect((await owner.patch(personPath, { role: 'owner' })).status).toBe(200);
    expect((await owner.patch(personPath, { role: 'member' })).status).toBe(200);
    expect((await owner.delete(secondPath)).status).toBe(200);
    expect((await owner.delete(`/members/${id}`)).status).toBe(200);
  });

  test('the last owner stays', async () => {
    const path = `/members/${await idOf(owner)}`;
    expectRefused(await owner.patch(path, { role: 'admin' }), conflict);
    expectRefused(await owner.delete(path), conflict);
    expect((await owner.patch(path, { role: 'owner' })).status).toBe(200);
  });

  test('an invitation keeps the role it was made with', async () => {
    const { id } = await invite('fixed@example.com');
    expectRefused(await owner.patch(`/members/${id}`, { role: 'viewer' }), conflict);
  });
});

test('members come first, each group by email, page by page', async () => {
  await invite('aaa@example.com');
  const all = await readAll<MemberRecord>(owner, '/members?limit=2');
  const order = all.map(({ status, email }) => `${status} ${email}`);
  expect(order).toEqual([...order].sort());
  expect(order).toContain('active owner@example.com');
  expect(order).toContain('invited aaa@example.com');
  expect(new Set(order).size).toBe(order.length);
});

test('whoever accepts two invitations at once joins both, with one account', async () => {
  const email = 'eager@example.com';
  const first = await invite(email);
  const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: 'Second' }));
  const elsewhere = await logIn(service.url, 'owner@example.com');
  await elsewhere.put('/session/organisation', { id });
  const second = dataOf<Invited>(await elsewhere.post('/members', { email, role: 'viewer' }));
  const answers = await Promise.all([accept(first.invite_code), accept(second.invite_code)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(dataOf<WhoAmI>(await (await logIn(service.url, email)).get('/session')).organisations).toHaveLength(
    2,
  );
});

test('the holder of a link sees what it is an invitation to', async () => {
  const { invite_code } = await invite('curious@example.com', 'viewer');
  const seen = dataOf(await openBrowser(service.url).get(`/invitations/${invite_code}`));
  expect(seen).toEqual({
    email: 'curious@example.com',
    role: 'viewer',
    organisation: { name: 'Acme' },
    has_account: false,
  });
  expectRefused(await openBrowser(service.url).get('/invitations/invite_nothing'), notFound);
});
