import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { MemberRecord, NewInvitationRecord, WhoAmI } from '@sluice/contract/dashboard-accounts';
import { totpCode } from '../../src/core/secrets/totp.ts';
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
  stranger,
} from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

const forbidden = { status: 403, code: 'forbidden' };
const notFound = { status: 404, code: 'not_found' };

let service: TestService;
let owner: Browser;
let admin: Browser;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
  admin = await join(service.url, owner, 'admin@example.com', 'admin');
});
afterAll(() => service.stop());

const invite = async (email: string, role = 'member') =>
  dataOf<NewInvitationRecord>(await owner.post('/members', { email, role }));
const accept = (code: string, password = PASSWORD) =>
  openBrowser(service.url).post(`/invitations/${code}`, { password });
const idOf = async (browser: Browser) => dataOf<WhoAmI>(await browser.get('/session')).user.id;

describe('an invitation is worth what its maker may grant', () => {
  /** Somebody new who may invite. */
  const inviter = async (name: string, role: 'admin' | 'owner') => {
    const browser = await join(service.url, owner, `${name}@example.com`, role);
    const path = `/members/${await idOf(browser)}`;
    const inviteTo = async (email: string, granted: string) =>
      dataOf<NewInvitationRecord>(
        await browser.post('/members', { email: `${email}@example.com`, role: granted }),
      );
    return { path, inviteTo };
  };
  const listed = async () => (await readAll<MemberRecord>(owner, '/members')).map(({ email }) => email);
  const newestEntry = async () =>
    listOf<{ action: string; details: object }>(await owner.get('/audit?limit=1')).data[0];

  test('it goes with whoever is removed, and that is on record', async () => {
    const { path, inviteTo } = await inviter('removed', 'admin');
    const { invite_code } = await inviteTo('of-removed', 'viewer');
    expect((await owner.delete(path)).status).toBe(200);
    expect(await newestEntry()).toMatchObject({
      action: 'member.removed',
      details: { withdrawn_invitations: ['of-removed@example.com'] },
    });
    expectRefused(await accept(invite_code), notFound);
    expectRefused(await openBrowser(service.url).get(`/invitations/${invite_code}`), notFound);
    expect(await listed()).not.toContain('of-removed@example.com');
  });

  test('of whoever loses a role, those go that take the role', async () => {
    const { path, inviteTo } = await inviter('demoted', 'owner');
    const [toOwner, toAdmin] = [
      await inviteTo('future-owner', 'owner'),
      await inviteTo('future-admin', 'admin'),
    ];
    expect((await owner.patch(path, { role: 'admin' })).status).toBe(200);
    expect(await newestEntry()).toMatchObject({
      details: { withdrawn_invitations: ['future-owner@example.com'] },
    });
    expectRefused(await accept(toOwner.invite_code), notFound);
    expect((await accept(toAdmin.invite_code)).status).toBe(201);
    const last = await inviteTo('future-viewer', 'viewer');
    expect((await owner.patch(path, { role: 'member' })).status).toBe(200);
    expectRefused(await accept(last.invite_code), notFound);
    // What was withdrawn stays so, whatever becomes of its maker.
    expect((await owner.patch(path, { role: 'owner' })).status).toBe(200);
    for (const { invite_code } of [toOwner, last]) expectRefused(await accept(invite_code), notFound);
  });

  test('it is asked once more when it is accepted', async () => {
    const { path, inviteTo } = await inviter('slipped', 'admin');
    const { invite_code } = await inviteTo('of-slipped', 'viewer');
    // As if it had been made at the very moment that its maker lost the role.
    const database = new Database(`${service.directory}/sluice.db`);
    database.run('PRAGMA busy_timeout = 5000');
    database
      .query("UPDATE memberships SET role = 'member' WHERE user_id = ?")
      .run(path.slice('/members/'.length));
    database.close();
    expectRefused(await openBrowser(service.url).get(`/invitations/${invite_code}`), notFound);
    expectRefused(await accept(invite_code), notFound);
    expect(await listed()).not.toContain('of-slipped@example.com');
  });

  test('it is replaced only by somebody who could have made it', async () => {
    const { invite_code } = await invite('chosen@example.com', 'owner');
    expectRefused(await admin.post('/members', { email: 'chosen@example.com', role: 'viewer' }), forbidden);
    expect(dataOf<WhoAmI>(await accept(invite_code)).role).toBe('owner');

    const first = await invite('replaced@example.com', 'admin');
    const second = dataOf<NewInvitationRecord>(
      await admin.post('/members', { email: 'replaced@example.com', role: 'viewer' }),
    );
    expectRefused(await accept(first.invite_code), notFound);
    expect(dataOf<WhoAmI>(await accept(second.invite_code)).role).toBe('viewer');
  });
});

describe('an account elsewhere', () => {
  /** Another organisation, whose owner shares none with anybody here. */
  const secondOrganisation = async (name: string) => {
    const theirs = await stranger(service.url, owner, `${name}@example.com`);
    const inviteThere = async (email: string) =>
      dataOf<NewInvitationRecord>(await theirs.post('/members', { email, role: 'viewer' })).invite_code;
    return inviteThere;
  };
  const seen = async (code: string) =>
    dataOf<{ has_account: boolean }>(await openBrowser(service.url).get(`/invitations/${code}`)).has_account;

  test('is not told of to whoever shares no organisation with it', async () => {
    const inviteThere = await secondOrganisation('curious-owner');
    await join(service.url, owner, 'discreet@example.com', 'viewer');
    expect(await seen(await inviteThere('discreet@example.com'))).toBe(false);
    expect(await seen(await inviteThere('nobody-at-all@example.com'))).toBe(false);
    const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: 'Shared' }));
    const shared = await logIn(service.url, 'owner@example.com');
    await shared.put('/session/organisation', { id });
    const { invite_code } = dataOf<NewInvitationRecord>(
      await shared.post('/members', { email: 'discreet@example.com', role: 'viewer' }),
    );
    expect(await seen(invite_code)).toBe(true);
  });

  test('is joined with its own password only, whoever holds the code', async () => {
    const inviteThere = await secondOrganisation('greedy-owner');
    const person = await join(service.url, owner, 'valued@example.com', 'viewer');
    const code = await inviteThere('valued@example.com');
    expectRefused(await accept(code, 'a password of the greedy'), { status: 401, code: 'unauthenticated' });
    // A password that is too short is refused as such whether there is an account or not.
    const short = await accept(code, 'short');
    expectRefused(short, { status: 400, code: 'validation_failed', path: 'password' });
    expect((await person.get('/session')).status).toBe(200);
    expect((await accept(code)).status).toBe(201);
  });

  test('that belongs to no organisation any more stays the person of before, whoever holds the code', async () => {
    const colleague = await join(service.url, owner, 'colleague@example.com', 'viewer');
    const userId = await idOf(colleague);
    const { secret } = dataOf<{ secret: string }>(await colleague.post('/account/second-factor/offer'));
    const on = { password: PASSWORD, secret, code: totpCode(secret, Date.now()) };
    const [recoveryCode] = dataOf<{ recovery_codes: string[] }>(
      await colleague.put('/account/second-factor', on),
    ).recovery_codes;
    expect((await owner.delete(`/members/${userId}`)).status).toBe(200);

    const { invite_code } = await invite('colleague@example.com');
    const taken = await accept(invite_code, 'a password of the one who removed them');
    expectRefused(taken, { status: 401, code: 'unauthenticated' });
    expectRefused(await accept(invite_code), { status: 401, code: 'second_factor_required' });
    const body = { password: PASSWORD, code: recoveryCode };
    const joined = await openBrowser(service.url).post(`/invitations/${invite_code}`, body);
    expect(dataOf<WhoAmI>(joined).user.id).toBe(userId);
  });
});
