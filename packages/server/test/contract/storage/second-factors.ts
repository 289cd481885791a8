import { expect, test } from 'bun:test';
import { NOW, storedOwner } from './samples.ts';
import type { Subject } from './suite.ts';

export function secondFactorsContract(subject: Subject): void {
  const factor = { sealedSecret: 'sealed', step: 100, createdAt: NOW };

  test('is on once, with its recovery codes, and off with them', async () => {
    const { storage } = subject;
    const [{ user }, { user: other }] = [await storedOwner(storage), await storedOwner(storage)];
    expect(await storage.findSecondFactor(user.id)).toBeNull();
    expect(await storage.turnOnSecondFactor(user, factor, ['a', 'b'])).toBe('changed');
    expect(await storage.turnOnSecondFactor(user, { ...factor, sealedSecret: 'x' }, ['c'])).toBe(
      'already_on',
    );
    expect(await storage.turnOnSecondFactor(other, factor, ['a'])).toBe('changed');
    expect(await storage.findSecondFactor(user.id)).toEqual({
      sealedSecret: 'sealed',
      createdAt: NOW,
      recoveryCodesLeft: 2,
    });
    expect(await storage.turnOffSecondFactor(user)).toBe('changed');
    expect(await storage.turnOffSecondFactor(user)).toBe('already_off');
    expect(await storage.spendRecoveryCode(user.id, 'a')).toBe(false);
    expect(await storage.spendTotpStep(user.id, 200)).toBe(false);
    expect(await storage.findSecondFactor(other.id)).toMatchObject({ recoveryCodesLeft: 1 });
  });

  test('accepts each step once and none before the last, of many at once one', async () => {
    const { storage } = subject;
    const { user } = await storedOwner(storage);
    await storage.turnOnSecondFactor(user, factor, []);
    expect(await storage.spendTotpStep(user.id, 100)).toBe(false);
    expect(await storage.spendTotpStep(user.id, 102)).toBe(true);
    expect(await storage.spendTotpStep(user.id, 101)).toBe(false);
    const spent = await subject.atOnce(8, node => node.spendTotpStep(user.id, 103));
    expect(spent.filter(Boolean)).toHaveLength(1);
  });

  test('accepts each recovery code once, until they are replaced', async () => {
    const { storage } = subject;
    const { user } = await storedOwner(storage);
    expect(await storage.replaceRecoveryCodes(user, ['a'])).toBe('already_off');
    await storage.turnOnSecondFactor(user, factor, ['a', 'b']);
    const spent = await subject.atOnce(8, node => node.spendRecoveryCode(user.id, 'a'));
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect(await storage.replaceRecoveryCodes(user, ['c', 'd', 'e'])).toBe('changed');
    expect(await storage.spendRecoveryCode(user.id, 'b')).toBe(false);
    expect(await storage.findSecondFactor(user.id)).toMatchObject({ recoveryCodesLeft: 3 });
  });

  test('stays on when the password changes, unless that says otherwise', async () => {
    const { storage } = subject;
    const { user } = await storedOwner(storage);
    await storage.turnOnSecondFactor(user, factor, ['a']);
    await storage.setPassword(user.id, 'another hash');
    expect(await storage.findSecondFactor(user.id)).not.toBeNull();
    await storage.setPassword(user.id, 'another hash', { turnOffSecondFactor: true });
    expect(await storage.findSecondFactor(user.id)).toBeNull();
  });

  test('is changed by nobody whose password has been changed since it was proved', async () => {
    const { storage } = subject;
    const { user } = await storedOwner(storage);
    const late = { id: user.id, passwordHash: 'a hash of before' };
    expect(await storage.turnOnSecondFactor(late, factor, ['a'])).toBe('password_changed');
    expect(await storage.findSecondFactor(user.id)).toBeNull();
    await storage.turnOnSecondFactor(user, factor, ['a']);
    expect(await storage.replaceRecoveryCodes(late, ['b', 'c'])).toBe('password_changed');
    expect(await storage.turnOffSecondFactor(late)).toBe('password_changed');
    expect(await storage.findSecondFactor(user.id)).toMatchObject({ recoveryCodesLeft: 1 });
  });
}
