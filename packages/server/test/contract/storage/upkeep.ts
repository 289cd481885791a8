import { expect, test } from 'bun:test';
import { everyStore } from '../../support/every-store.ts';
import { aClaim, anEvent, anInvitation, aRequest, aSession, fresh, NOW, storedOwner } from './samples.ts';
import type { Subject } from './suite.ts';

export function upkeepContract(subject: Subject): void {
  test('keeps the first value of a setting, whoever writes it', async () => {
    const answers = await subject.atOnce(8, (storage, n) => storage.keepSetting('colour', `value ${n}`));
    expect(new Set(answers).size).toBe(1);
    expect(await subject.storage.keepSetting('colour', 'late')).toBe(answers[0] ?? '');
  });

  test('replaces a setting for whoever knew the value before', async () => {
    expect(await subject.storage.findSetting('shade')).toBeNull();
    await subject.storage.keepSetting('shade', 'a');
    expect(await subject.storage.findSetting('shade')).toBe('a');
    const answers = await subject.atOnce(8, (storage, n) => storage.replaceSetting('shade', 'a', `b ${n}`));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await subject.storage.keepSetting('shade', 'a')).toBe(`b ${answers.indexOf(true)}`);
    expect(await subject.storage.replaceSetting('shape', 'a', 'b')).toBe(false);
  });

  test('prunes what has expired, in slices, and nothing else', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const { org, user } = await storedOwner(storage);
    const expiries = [NOW + 10, NOW + 10, NOW + 10, NOW + 11];
    const claims = expiries.map(expiresAt => aClaim(org.id, { expiresAt }));
    const sessions = expiries.map(expiresAt => aSession(user.id, org.id, { expiresAt }));
    const invitations = expiries.map(expiresAt => anInvitation(org.id, { expiresAt }));
    await storage.append(claims.map(idempotency => aRequest(org.id, [anEvent()], { idempotency })));
    for (const session of sessions) await storage.beginSession(session, user.passwordHash);
    for (const invitation of invitations) await storage.createInvitation(invitation);

    expect(await storage.pruneExpired(NOW + 9, 100)).toBe(0);
    expect(await storage.listInvitations(org.id, NOW)).toHaveLength(4);
    let pruned = 0;
    for (let slice = await storage.pruneExpired(NOW + 10, 2); slice > 0; ) {
      expect(slice).toBeLessThanOrEqual(2);
      pruned += slice;
      slice = await storage.pruneExpired(NOW + 10, 2);
    }
    expect(pruned).toBe(3);
    // Asked as of a moment when all of them were valid, so that only pruning can have taken them.
    expect(await storage.listInvitations(org.id, NOW)).toEqual(invitations.slice(3));
    const found = await Promise.all(sessions.map(({ tokenHash }) => storage.findSession(tokenHash, NOW)));
    expect(found.map(session => session !== null)).toEqual([false, false, false, true]);
    const again = claims.map(idempotency => aRequest(org.id, [anEvent()], { idempotency }));
    const results = await storage.append(again);
    expect(results.slice(0, 3)).toEqual(again.slice(0, 3).map(({ events }) => fresh(events[0]?.id ?? '')));
    expect(results[3]).toMatchObject({ events: [{ duplicate: true }] });
    await remove();
  });
}
