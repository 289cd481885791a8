import { expect, test } from 'bun:test';
import { slugOf } from '../../../src/core/slug.ts';
import {
  anOrganisation,
  aSession,
  idAt,
  joinedMember,
  memberOf,
  NOW,
  storedOrganisation,
  storedOwner,
} from './samples.ts';
import type { Subject } from './suite.ts';

export function sessionsContract(subject: Subject): void {
  test('answers a session with the person, the organisation and the present role', async () => {
    const { org, user } = await storedOwner(subject.storage);
    await joinedMember(subject.storage, org.id, 'owner');
    const session = aSession(user.id, org.id);
    await subject.storage.beginSession(session, user.passwordHash);
    const expected = {
      ...session,
      lastUsedAt: NOW,
      email: user.email,
      timeZone: 'local' as const,
      clock: '24h' as const,
      role: 'owner' as const,
      orgName: org.name,
      orgSlug: slugOf(org.name),
      lastOrgId: null,
    };
    expect(await subject.storage.findSession(session.tokenHash, NOW)).toEqual(expected);
    await subject.storage.setRole(org.id, user.id, 'viewer');
    expect(await subject.storage.findSession(session.tokenHash, NOW)).toEqual({
      ...expected,
      role: 'viewer',
    });
  });

  test('knows how the person wants times to be written, in every session of theirs', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const other = await storedOwner(subject.storage);
    const [one, two] = [aSession(user.id, org.id), aSession(user.id, org.id)];
    const strangers = aSession(other.user.id, other.org.id);
    for (const session of [one, two]) await subject.storage.beginSession(session, user.passwordHash);
    await subject.storage.beginSession(strangers, other.user.passwordHash);
    await subject.storage.setTimeDisplay(user.id, { time_zone: 'utc' });
    await subject.storage.setTimeDisplay(user.id, { clock: '12h' });
    await subject.storage.setTimeDisplay(user.id, {});
    for (const { tokenHash } of [one, two])
      expect(await subject.storage.findSession(tokenHash, NOW)).toMatchObject({
        timeZone: 'utc',
        clock: '12h',
      });
    expect(await subject.storage.findSession(strangers.tokenHash, NOW)).toMatchObject({
      timeZone: 'local',
      clock: '24h',
    });
  });

  test('says of each member when they last came to this organisation, and nothing of others', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const second = anOrganisation();
    await subject.storage.createOrganisation(second, user.id);
    const lastLoginAt = async (id: string) => (await memberOf(subject.storage, id, user.id))?.lastLoginAt;
    expect([await lastLoginAt(org.id), await lastLoginAt(second.id)]).toEqual([null, null]);
    const session = aSession(user.id, org.id);
    await subject.storage.beginSession(session, user.passwordHash);
    expect([await lastLoginAt(org.id), await lastLoginAt(second.id)]).toEqual([session.createdAt, null]);
    await subject.storage.moveSession(session.tokenHash, second.id, NOW + 5);
    expect([await lastLoginAt(org.id), await lastLoginAt(second.id)]).toEqual([session.createdAt, NOW + 5]);
  });

  test('knows where the person was last, and stays where it is when they are elsewhere', async () => {
    const { storage } = subject;
    const { org, user } = await storedOwner(storage);
    const second = anOrganisation();
    await storage.createOrganisation(second, user.id);
    const other = await storedOwner(storage);
    const session = aSession(user.id, org.id);
    await storage.beginSession(session, user.passwordHash);
    await storage.rememberOrganisation(user.id, second.id);
    expect(await storage.findSession(session.tokenHash, NOW)).toMatchObject({
      orgId: org.id,
      lastOrgId: second.id,
    });
    expect(await storage.findLastOrganisation(user.id)).toBe(second.id);
    // They have not logged in there.
    expect((await memberOf(storage, second.id, user.id))?.lastLoginAt).toBeNull();
    expect(await storage.findLastOrganisation(other.user.id)).toBeNull();
  });

  test('ends at the moment it expires', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const session = aSession(user.id, org.id, { expiresAt: NOW + 10 });
    await subject.storage.beginSession(session, user.passwordHash);
    expect(await subject.storage.findSession(session.tokenHash, NOW + 9)).not.toBeNull();
    expect(await subject.storage.findSession(session.tokenHash, NOW + 10)).toBeNull();
  });

  test('ends when it is deleted, alone', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const [one, other] = [aSession(user.id, org.id), aSession(user.id, org.id)];
    await subject.storage.beginSession(one, user.passwordHash);
    await subject.storage.beginSession(other, user.passwordHash);
    await subject.storage.deleteSession(one.tokenHash);
    await subject.storage.deleteSession('unknown');
    expect(await subject.storage.findSession(one.tokenHash, NOW)).toBeNull();
    expect(await subject.storage.findSession(other.tokenHash, NOW)).not.toBeNull();
  });

  test('moves to another organisation, and is worth nothing in one that the person is not in', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const second = anOrganisation();
    await subject.storage.createOrganisation(second, user.id);
    const session = aSession(user.id, org.id);
    await subject.storage.beginSession(session, user.passwordHash);
    await subject.storage.moveSession(session.tokenHash, second.id, NOW);
    expect(await subject.storage.findSession(session.tokenHash, NOW)).toMatchObject({
      orgId: second.id,
      orgName: second.name,
    });
    const foreign = await storedOrganisation(subject.storage);
    await subject.storage.moveSession(session.tokenHash, foreign, NOW);
    expect(await subject.storage.findSession(session.tokenHash, NOW)).toBeNull();
  });

  test('begins only with the password that the person has at that moment', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const [late, good] = [aSession(user.id, org.id), aSession(user.id, org.id)];
    expect(await subject.storage.beginSession(late, 'a hash of before')).toBe(false);
    expect(await subject.storage.findSession(late.tokenHash, NOW)).toBeNull();
    expect(await subject.storage.beginSession(good, user.passwordHash)).toBe(true);
    expect(await subject.storage.findSession(good.tokenHash, NOW)).not.toBeNull();
  });

  test('none that was begun with the old password outlives its change', async () => {
    for (let round = 0; round < 10; round++) {
      const { org, user } = await storedOwner(subject.storage);
      const sessions = Array.from({ length: 5 }, () => aSession(user.id, org.id));
      await subject.atOnce(6, async (storage, n) => {
        const session = sessions[n];
        if (session) await storage.beginSession(session, user.passwordHash);
        else await storage.setPassword(user.id, 'another hash');
      });
      expect(await subject.storage.listSessions(user.id, NOW)).toEqual([]);
    }
  });

  test('are listed for one person, the latest first, and ended by nobody else', async () => {
    const { storage } = subject;
    const [{ org, user }, { user: stranger }] = [await storedOwner(storage), await storedOwner(storage)];
    const first = aSession(user.id, org.id);
    const second = aSession(user.id, org.id, { createdAt: NOW + 1 });
    const expired = aSession(user.id, org.id, { expiresAt: NOW });
    await storage.beginSession({ ...first, address: '192.0.2.1', userAgent: 'Firefox' }, user.passwordHash);
    for (const session of [second, expired]) await storage.beginSession(session, user.passwordHash);
    await storage.touchSession(first.tokenHash, NOW + 5);
    const shown = { address: null, userAgent: null };
    expect(await storage.listSessions(user.id, NOW)).toEqual([
      { tokenHash: second.tokenHash, createdAt: NOW + 1, lastUsedAt: NOW + 1, ...shown },
      {
        tokenHash: first.tokenHash,
        createdAt: NOW,
        lastUsedAt: NOW + 5,
        address: '192.0.2.1',
        userAgent: 'Firefox',
      },
    ]);
    expect(await storage.endSession(stranger.id, first.tokenHash)).toBe(false);
    expect(await storage.endOtherSessions(stranger.id, 'none')).toBe(false);
    expect(await storage.endSession(user.id, second.tokenHash)).toBe(true);
    expect(await storage.endSession(user.id, second.tokenHash)).toBe(false);
    await storage.beginSession(second, user.passwordHash);
    expect(await storage.endOtherSessions(user.id, first.tokenHash)).toBe(true);
    expect((await storage.listSessions(user.id, NOW)).map(one => one.tokenHash)).toEqual([first.tokenHash]);
  });

  test('finds nothing under a token that was never given', async () => {
    for (const token of ['', 'unknown', '\0', "' OR 1=1 --", idAt('usr', NOW)]) {
      expect(await subject.storage.findSession(token, NOW)).toBeNull();
    }
  });
}
