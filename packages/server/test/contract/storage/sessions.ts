import { expect, test } from 'bun:test';
import {
  anOrganisation,
  aSession,
  idAt,
  joinedMember,
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
    await subject.storage.createSession(session);
    const expected = {
      ...session,
      lastUsedAt: NOW,
      email: user.email,
      role: 'owner' as const,
      orgName: org.name,
    };
    expect(await subject.storage.findSession(session.tokenHash, NOW)).toEqual(expected);
    await subject.storage.setRole(org.id, user.id, 'viewer');
    expect(await subject.storage.findSession(session.tokenHash, NOW)).toEqual({
      ...expected,
      role: 'viewer',
    });
  });

  test('ends at the moment it expires', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const session = aSession(user.id, org.id, { expiresAt: NOW + 10 });
    await subject.storage.createSession(session);
    expect(await subject.storage.findSession(session.tokenHash, NOW + 9)).not.toBeNull();
    expect(await subject.storage.findSession(session.tokenHash, NOW + 10)).toBeNull();
  });

  test('ends when it is deleted, alone', async () => {
    const { org, user } = await storedOwner(subject.storage);
    const [one, other] = [aSession(user.id, org.id), aSession(user.id, org.id)];
    await subject.storage.createSession(one);
    await subject.storage.createSession(other);
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
    await subject.storage.createSession(session);
    await subject.storage.moveSession(session.tokenHash, second.id);
    expect(await subject.storage.findSession(session.tokenHash, NOW)).toMatchObject({
      orgId: second.id,
      orgName: second.name,
    });
    await subject.storage.moveSession(session.tokenHash, await storedOrganisation(subject.storage));
    expect(await subject.storage.findSession(session.tokenHash, NOW)).toBeNull();
  });

  test('finds nothing under a token that was never given', async () => {
    for (const token of ['', 'unknown', '\0', "' OR 1=1 --", idAt('usr', NOW)]) {
      expect(await subject.storage.findSession(token, NOW)).toBeNull();
    }
  });
}
