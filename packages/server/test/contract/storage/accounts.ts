import { expect, test } from 'bun:test';
import { everyStore } from '../../support/every-store.ts';
import {
  anInvitation,
  anOrganisation,
  aSession,
  aUser,
  idAt,
  joinedMember,
  memberOf,
  NOW,
  storedOrganisation,
  storedOwner,
} from './samples.ts';
import type { Subject } from './suite.ts';

export function accountsContract(subject: Subject): void {
  test('lets exactly one of many set up the installation', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    expect(await storage.hasUsers()).toBe(false);
    const tries = Array.from({ length: 8 }, () => ({ user: aUser(), org: anOrganisation() }));
    const made = await Promise.all(
      tries.map(({ user, org }, n) =>
        (nodes[n % nodes.length] ?? nodes[0]).accounts.createFirstUser(user, org),
      ),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    const winner = tries[made.indexOf(true)];
    expect(await storage.hasUsers()).toBe(true);
    expect(await storage.listOrganisations()).toMatchObject([winner?.org as never]);
    expect(await storage.findUserByEmail(winner?.user.email ?? '')).toEqual(winner?.user as never);
    expect(await memberOf(storage, winner?.org.id ?? '', winner?.user.id ?? '')).toMatchObject({
      role: 'owner',
    });
    expect(await storage.createFirstUser(aUser(), anOrganisation())).toBe(false);
    await remove();
  });

  test('finds a person by their email address alone', async () => {
    const { user } = await storedOwner(subject.storage);
    expect(await subject.storage.findUserByEmail(user.email)).toEqual(user);
    for (const email of ['nobody@example.com', '', 'x\0', `${user.email}' --`]) {
      expect(await subject.storage.findUserByEmail(email)).toBeNull();
    }
  });

  test('ends every session of a person whose password changes', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const other = await joinedMember(subject.storage, org.id, 'member');
    const [mine, theirs] = [aSession(user.id, org.id), aSession(other.id, org.id)];
    await subject.storage.beginSession(mine, user.passwordHash);
    await subject.storage.beginSession(theirs, other.passwordHash);
    await subject.storage.setPassword(user.id, 'another hash');
    expect((await subject.storage.findUserByEmail(user.email))?.passwordHash).toBe('another hash');
    expect(await subject.storage.findSession(mine.tokenHash, NOW)).toBeNull();
    expect(await subject.storage.findSession(theirs.tokenHash, NOW)).not.toBeNull();
  });

  test('changes no password that is not the one that was proved', async () => {
    const { storage } = subject;
    const { org, user } = await storedOwner(storage);
    const session = aSession(user.id, org.id);
    await storage.beginSession(session, user.passwordHash);
    const hashNow = async () => (await storage.findUserByEmail(user.email))?.passwordHash;
    expect(await storage.setPassword(user.id, 'mine', { provedHash: 'a hash of before' })).toBe(false);
    expect(await hashNow()).toBe(user.passwordHash);
    expect(await storage.findSession(session.tokenHash, NOW)).not.toBeNull();
    const [first, second] = await subject.atOnce(2, (node, n) =>
      node.setPassword(user.id, `hash ${n}`, { provedHash: user.passwordHash }),
    );
    expect(first).toBe(!second);
    expect(await hashNow()).toBe(first ? 'hash 0' : 'hash 1');
    expect(await storage.setPassword(idAt('usr', NOW), 'nobody')).toBe(false);
  });

  test('lists members by their address, and finds none of another organisation', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const emails = [`Zoe.${org.id}@example.com`, `adam.${org.id}@example.com`, `_b.${org.id}@example.com`];
    for (const email of emails) await joinedMember(subject.storage, org.id, 'viewer', aUser({ email }));
    const members = await subject.storage.listMembers(org.id);
    expect(members.map(({ email }) => email)).toEqual([...emails, user.email].toSorted());
    expect(members.find(({ email }) => email === user.email)).toEqual({
      userId: user.id,
      email: user.email,
      role: 'owner',
      lastLoginAt: null,
      createdAt: NOW,
    });
    const other = await storedOrganisation(subject.storage);
    expect(await subject.storage.listMembers(other)).toEqual([]);
    expect(await subject.storage.setRole(other, user.id, 'viewer')).toBe('not_found');
    expect(await subject.storage.removeMember(other, user.id)).toBe('not_found');
    expect((await memberOf(subject.storage, org.id, user.id))?.role).toBe('owner');
  });

  test('changes roles but never takes the last owner away', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const second = await joinedMember(subject.storage, org.id, 'admin');
    expect(await subject.storage.setRole(org.id, user.id, 'admin')).toBe('last_owner');
    expect(await subject.storage.removeMember(org.id, user.id)).toBe('last_owner');
    expect(await subject.storage.setRole(org.id, second.id, 'owner')).toBe('changed');
    expect(await subject.storage.setRole(org.id, user.id, 'viewer')).toBe('changed');
    expect((await memberOf(subject.storage, org.id, user.id))?.role).toBe('viewer');
    expect(await subject.storage.setRole(org.id, second.id, 'member')).toBe('last_owner');
    expect(await subject.storage.setRole(org.id, second.id, 'owner')).toBe('changed');
    expect(await subject.storage.setRole(org.id, idAt('usr', NOW), 'viewer')).toBe('not_found');
  });

  test('keeps one owner when all of them leave or step down at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { org, user } = await storedOwner(subject.storage);
      const owners = [user, await joinedMember(subject.storage, org.id, 'owner')];
      const outcomes = await subject.atOnce(2, async (storage, n) =>
        n === 0
          ? storage.removeMember(org.id, owners[0]?.id ?? '')
          : storage.setRole(org.id, owners[1]?.id ?? '', 'member'),
      );
      expect(outcomes.filter(outcome => outcome === 'last_owner')).toHaveLength(1);
      const left = await subject.storage.listMembers(org.id);
      expect(left.filter(({ role }) => role === 'owner')).toHaveLength(1);
    }
  });

  test('removes a member with their sessions there and leaves those elsewhere', async () => {
    const { org } = await storedOwner(subject.storage);
    const { org: elsewhere } = await storedOwner(subject.storage);
    const member = await joinedMember(subject.storage, org.id, 'member');
    await joinedMember(subject.storage, elsewhere.id, 'member', member);
    const [here, there] = [aSession(member.id, org.id), aSession(member.id, elsewhere.id)];
    await subject.storage.beginSession(here, member.passwordHash);
    await subject.storage.beginSession(there, member.passwordHash);
    expect(await subject.storage.removeMember(org.id, member.id)).toBe('removed');
    expect(await subject.storage.removeMember(org.id, member.id)).toBe('not_found');
    expect(await subject.storage.findSession(here.tokenHash, NOW)).toBeNull();
    expect(await subject.storage.findSession(there.tokenHash, NOW)).not.toBeNull();
  });

  test('keeps an invitation until it is accepted, once', async () => {
    const { org } = await storedOwner(subject.storage);
    const invitation = anInvitation(org.id, { role: 'admin' });
    expect(await subject.storage.createInvitation(invitation)).toBe('created');
    expect(await subject.storage.findInvitation(invitation.codeHash, NOW)).toEqual({
      ...invitation,
      hasAccount: false,
    });
    expect(await subject.storage.listInvitations(org.id, NOW)).toEqual([invitation]);
    const user = aUser({ email: 'what the invitation says counts' });
    expect(await subject.storage.acceptInvitation(invitation.codeHash, NOW + 5, user)).toEqual({
      userId: user.id,
      orgId: org.id,
    });
    expect(await memberOf(subject.storage, org.id, user.id)).toEqual({
      userId: user.id,
      email: invitation.email,
      role: 'admin',
      createdAt: NOW + 5,
      lastLoginAt: null,
    });
    expect(await subject.storage.acceptInvitation(invitation.codeHash, NOW + 6, aUser())).toBeNull();
    expect(await subject.storage.findInvitation(invitation.codeHash, NOW)).toBeNull();
    expect(await subject.storage.listInvitations(org.id, NOW)).toEqual([]);
    const again = anInvitation(org.id, { email: invitation.email });
    expect(await subject.storage.createInvitation(again)).toBe('already_member');
  });

  test('lets exactly one of many accept an invitation', async () => {
    const { org } = await storedOwner(subject.storage);
    const invitation = anInvitation(org.id);
    await subject.storage.createInvitation(invitation);
    const accepted = await subject.atOnce(8, storage =>
      storage.acceptInvitation(invitation.codeHash, NOW, aUser()),
    );
    expect(accepted.filter(result => result !== null)).toHaveLength(1);
    expect(await subject.storage.listMembers(org.id)).toHaveLength(2);
  });

  test('lets nobody accept an invitation that has expired', async () => {
    const { org } = await storedOwner(subject.storage);
    const invitation = anInvitation(org.id, { expiresAt: NOW + 10 });
    await subject.storage.createInvitation(invitation);
    expect(await subject.storage.findInvitation(invitation.codeHash, NOW + 9)).not.toBeNull();
    expect(await subject.storage.findInvitation(invitation.codeHash, NOW + 10)).toBeNull();
    expect(await subject.storage.listInvitations(org.id, NOW + 10)).toEqual([]);
    expect(await subject.storage.acceptInvitation(invitation.codeHash, NOW + 10, aUser())).toBeNull();
    expect(await subject.storage.listMembers(org.id)).toHaveLength(1);
  });

  test('adds a person who has an account without touching the account', async () => {
    const { user } = await storedOwner(subject.storage);
    const { org } = await storedOwner(subject.storage);
    const invitation = anInvitation(org.id, { email: user.email, role: 'viewer' });
    await subject.storage.createInvitation(invitation);
    expect(await subject.storage.acceptInvitation(invitation.codeHash, NOW, user)).toEqual({
      userId: user.id,
      orgId: org.id,
    });
    expect(await subject.storage.findUserByEmail(user.email)).toEqual(user);
  });

  test('an invitation accepted with another account than its email has by now stays as it is', async () => {
    const { user } = await storedOwner(subject.storage);
    const { org } = await storedOwner(subject.storage);
    const invitation = anInvitation(org.id, { email: user.email });
    await subject.storage.createInvitation(invitation);
    expect(
      await subject.storage.acceptInvitation(invitation.codeHash, NOW, aUser({ passwordHash: 'other' })),
    ).toBe('other_account');
    expect(await subject.storage.findUserByEmail(user.email)).toEqual(user);
    expect(await subject.storage.listMembers(org.id)).toHaveLength(1);
    expect(await subject.storage.listInvitations(org.id, NOW)).toEqual([invitation]);
  });

  test('two invitations of somebody new, accepted at once, make one account', async () => {
    const orgs = [await storedOwner(subject.storage), await storedOwner(subject.storage)].map(
      ({ org }) => org,
    );
    const email = `twice.${orgs[0]?.id}@example.com`;
    const invitations = orgs.map(org => anInvitation(org.id, { email }));
    for (const invitation of invitations) await subject.storage.createInvitation(invitation);
    const accepted = await subject.atOnce(2, (storage, n) =>
      storage.acceptInvitation(invitations[n]?.codeHash ?? '', NOW, aUser()),
    );
    expect(accepted.filter(result => result === 'other_account')).toHaveLength(1);
    const [joined] = accepted.filter(result => typeof result === 'object');
    expect((await subject.storage.findUserByEmail(email))?.id).toBe(joined?.userId ?? '');
  });

  test('replaces an invitation of the same person, in that organisation only', async () => {
    const [{ org }, { org: elsewhere }] = [
      await storedOwner(subject.storage),
      await storedOwner(subject.storage),
    ];
    const email = `invited.${org.id}@example.com`;
    const [first, second] = [anInvitation(org.id, { email }), anInvitation(org.id, { email })];
    const other = anInvitation(elsewhere.id, { email });
    for (const invitation of [first, other, second]) await subject.storage.createInvitation(invitation);
    expect(await subject.storage.findInvitation(first.codeHash, NOW)).toBeNull();
    expect(await subject.storage.listInvitations(org.id, NOW)).toEqual([second]);
    expect(await subject.storage.listInvitations(elsewhere.id, NOW)).toEqual([other]);
  });

  test('an invitation goes with the role of its maker, and is replaced by nobody below', async () => {
    const { storage } = subject;
    const { org, user } = await storedOwner(storage);
    const second = await joinedMember(storage, org.id, 'owner');
    const admin = await joinedMember(storage, org.id, 'admin');
    const by = (maker: string, role: 'owner' | 'viewer', email?: string) =>
      anInvitation(org.id, { invitedBy: maker, role, ...(email ? { email } : {}) });
    const [toOwner, toViewer, ofAdmin] = [
      by(second.id, 'owner'),
      by(second.id, 'viewer'),
      by(admin.id, 'viewer'),
    ];
    for (const one of [toOwner, toViewer, ofAdmin])
      expect(await storage.createInvitation(one)).toBe('created');
    expect(await storage.createInvitation(by(admin.id, 'owner'))).toBe('may_not_grant');
    expect(await storage.createInvitation(by(admin.id, 'viewer', toOwner.email))).toBe('may_not_grant');
    expect(await storage.createInvitation(by(idAt('usr', NOW), 'viewer'))).toBe('may_not_grant');
    expect(await storage.listInvitations(org.id, NOW)).toEqual([toOwner, toViewer, ofAdmin]);

    expect(await storage.setRole(org.id, second.id, 'admin')).toBe('changed');
    expect(await storage.listInvitations(org.id, NOW)).toEqual([toViewer, ofAdmin]);
    expect(await storage.removeMember(org.id, second.id)).toBe('removed');
    expect(await storage.listInvitations(org.id, NOW)).toEqual([ofAdmin]);
    expect(await storage.acceptInvitation(toViewer.codeHash, NOW, aUser())).toBeNull();
    expect(await storage.setRole(org.id, user.id, 'owner')).toBe('changed');
    expect(await storage.acceptInvitation(ofAdmin.codeHash, NOW, aUser())).not.toBeNull();
  });

  test('tells of an account only whoever shares an organisation with it', async () => {
    const { storage } = subject;
    const { org, user } = await storedOwner(storage);
    const { org: elsewhere, user: stranger } = await storedOwner(storage);
    const invitation = anInvitation(elsewhere.id, { email: user.email, invitedBy: stranger.id });
    await storage.createInvitation(invitation);
    expect(await storage.findInvitation(invitation.codeHash, NOW)).toMatchObject({ hasAccount: false });
    await joinedMember(storage, org.id, 'viewer', stranger);
    expect(await storage.findInvitation(invitation.codeHash, NOW)).toMatchObject({ hasAccount: true });
  });

  test('leaves an account that belongs to no organisation as it is, until its own password is given', async () => {
    const { storage } = subject;
    const { org } = await storedOwner(storage);
    const member = await joinedMember(storage, org.id, 'member');
    await storage.turnOnSecondFactor(member, { sealedSecret: 'x', step: 1, createdAt: NOW }, ['a']);
    await storage.removeMember(org.id, member.id);
    const invitation = anInvitation(org.id, { email: member.email });
    await storage.createInvitation(invitation);
    const accept = (account: typeof member) => storage.acceptInvitation(invitation.codeHash, NOW, account);
    const other = { email: member.email, passwordHash: 'another' };
    expect(await accept(aUser(other))).toBe('other_account');
    expect(await accept(aUser({ ...other, id: member.id }))).toBe('other_account');
    expect(await storage.findUserByEmail(member.email)).toEqual(member);
    expect(await accept(member)).toEqual({ userId: member.id, orgId: org.id });
    expect(await storage.findSecondFactor(member.id)).not.toBeNull();
  });

  test('takes an invitation back, but not one of another organisation', async () => {
    const [{ org }, { org: elsewhere }] = [
      await storedOwner(subject.storage),
      await storedOwner(subject.storage),
    ];
    const invitation = anInvitation(org.id);
    await subject.storage.createInvitation(invitation);
    expect(await subject.storage.deleteInvitation(elsewhere.id, invitation.id)).toBe(false);
    expect(await subject.storage.deleteInvitation(org.id, invitation.id)).toBe(true);
    expect(await subject.storage.deleteInvitation(org.id, invitation.id)).toBe(false);
    expect(await subject.storage.acceptInvitation(invitation.codeHash, NOW, aUser())).toBeNull();
  });
}
