import { afterEach, beforeEach, expect, test } from 'bun:test';
import { openPrivateCalls, type PrivateCalls } from '../../../../test/support/private-calls.ts';
import { systemClock } from '../../../core/clock.ts';
import { newTotpSecret, totpCode } from '../../../core/secrets/totp.ts';
import { accountCalls } from './account.ts';

let dashboard: PrivateCalls;
beforeEach(async () => {
  dashboard = await openPrivateCalls();
  const { calls, storage, user } = dashboard;
  accountCalls(calls, {
    accounts: storage,
    passwords: { hash: async () => 'of whoever was late', matches: async () => true },
    // The password is right, and changed right after: by the person elsewhere, or by whoever has the machine.
    checkPassword: async () => {
      await storage.setPassword(user.id, 'of whoever was first', { keepSession: dashboard.tokenHash });
      return user;
    },
    secondFactors: { seal: (_userId, secret) => secret, check: async () => 'none' },
    clock: systemClock,
  });
});
afterEach(() => dashboard.close());

const send = async (method: string, path: string, body: object) => {
  const response = await dashboard.send(method, path, JSON.stringify(body));
  return { status: response.status, body: await response.json() };
};
const refused = { status: 400, body: { error: { code: 'validation_failed', path: 'password' } } };
const recorded = () => dashboard.storage.listAudit(dashboard.orgId, { limit: 10, below: null });

test('a password that was changed after it was proved is not changed once more', async () => {
  const answer = await send('PUT', '/account/password', { password: 'old', new_password: 'of somebody' });
  expect(answer).toMatchObject(refused);
  const { storage, user } = dashboard;
  expect((await storage.findUserByEmail(user.email))?.passwordHash).toBe('of whoever was first');
  expect(await recorded()).toEqual([]);
});

test('nor does the second factor go on or off, or its codes', async () => {
  const { storage, user } = dashboard;
  const secret = newTotpSecret();
  const on = { password: 'old', secret, code: totpCode(secret, Date.now()) };
  expect(await send('PUT', '/account/second-factor', on)).toMatchObject(refused);
  expect(await storage.findSecondFactor(user.id)).toBeNull();

  const proved = { id: user.id, passwordHash: 'of whoever was first' };
  const factor = { sealedSecret: secret, step: 0, createdAt: 0 };
  await storage.turnOnSecondFactor(proved, factor, ['hash']);
  for (const path of ['/account/second-factor/off', '/account/second-factor/recovery-codes'])
    expect(await send('POST', path, { password: 'old' })).toMatchObject(refused);
  expect(await storage.findSecondFactor(user.id)).toMatchObject({ recoveryCodesLeft: 1 });
  expect(await recorded()).toEqual([]);
});
