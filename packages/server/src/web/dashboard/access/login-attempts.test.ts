import { expect, test } from 'bun:test';
import { until } from '../../../../test/support/until.ts';
import type { NewAlert } from '../../../core/stores/alerts.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { createLoginAttempts } from './login-attempts.ts';
import { createPasswordCheck } from './passwords.ts';
import { createThrottle } from './throttle.ts';

const user = { id: 'usr_1', email: 'a@example.com', passwordHash: 'hash of right', createdAt: 0 };

function watchLogins() {
  const lines: string[] = [];
  const records: { orgId: string; details: object }[] = [];
  const begun: NewAlert[] = [];
  const clock = { now: () => 1_000 };
  const attempts = createLoginAttempts({
    accounts: { listOrganisationsOf: async () => [{ id: 'org_1' }, { id: 'org_2' }] as never },
    configuration: {
      async recordAudit({ orgId, details }) {
        records.push({ orgId, details });
      },
    },
    alerts: {
      async beginAlert(alert) {
        begun.push(alert);
        return null;
      },
    },
    clock,
    logger: createLogger('info', { write: line => void lines.push(line) }),
    throttle: createThrottle(clock),
  });
  const check = createPasswordCheck(
    { findUserByEmail: async email => (email === user.email ? user : null) },
    {
      hash: async password => `hash of ${password}`,
      matches: async (password, hash) => hash === `hash of ${password}`,
    },
    attempts,
  );
  const guess = (email: string, password: string) =>
    check(email, password, '192.0.2.1').catch((error: { code: string }) => error.code);
  const logged = () =>
    lines.map(line => {
      const { level, address, outcome, user: who } = JSON.parse(line);
      return [level, address, outcome, who];
    });
  return { attempts, guess, logged, lines, records, begun };
}

test('every attempt is in the log with address and outcome, and with neither email nor password', async () => {
  const { attempts, guess, logged, lines } = watchLogins();
  await guess(user.email, 'secret-guess');
  await guess('secret-typed-as-email', 'secret-guess');
  attempts.halfWay(user, '192.0.2.2');
  attempts.refused({ email: user.email, user, address: '192.0.2.2', outcome: 'wrong_code' });
  attempts.succeeded(user, '192.0.2.3', 'totp');
  for (let i = 0; i < 18; i++) await guess('other', 'x');
  expect(await guess('other', 'x')).toBe('rate_limited');
  expect(logged().slice(0, 5)).toEqual([
    ['warn', '192.0.2.1', 'wrong_password', 'usr_1'],
    ['warn', '192.0.2.1', 'unknown_account', undefined],
    ['info', '192.0.2.2', 'code_required', 'usr_1'],
    ['warn', '192.0.2.2', 'wrong_code', 'usr_1'],
    ['info', '192.0.2.3', 'succeeded', 'usr_1'],
  ]);
  expect(logged().at(-1)).toEqual(['warn', '192.0.2.1', 'rate_limited', undefined]);
  for (const line of lines) expect(line).not.toMatch(/secret-|example\.com/);
});

test('failures are audited from the third in a row on, and a success begins the count again', async () => {
  const { attempts, guess, records } = watchLogins();
  for (let i = 0; i < 2; i++) await guess(user.email, 'wrong');
  attempts.succeeded(user, '192.0.2.1', 'none');
  for (let i = 0; i < 3; i++) await guess(user.email, 'wrong');
  for (let i = 0; i < 5; i++) await guess('nobody@example.com', 'wrong');
  expect(records).toEqual(
    ['org_1', 'org_2'].map(orgId => ({
      orgId,
      details: { address: '192.0.2.1', outcome: 'wrong_password', in_a_row: 3 },
    })),
  );
});

test('from the tenth failure in a row on each of the person’s organisations has an alert, and a login ends the row', async () => {
  const { attempts, guess, begun } = watchLogins();
  for (let n = 0; n < 9; n++) await guess(user.email, 'wrong');
  expect(begun).toEqual([]);
  await guess(user.email, 'wrong');
  await until(() => begun.length === 2, 'There is no alert.');
  expect(
    begun.map(({ orgId, type, subjectId, details }) => [orgId, type, subjectId, details?.counts]),
  ).toEqual([
    ['org_1', 'sluice.login.suspicious', user.id, { failed: 10 }],
    ['org_2', 'sluice.login.suspicious', user.id, { failed: 10 }],
  ]);
  expect(begun[0]?.details).toMatchObject({ address: '192.0.2.1', subject: { name: user.email } });
  attempts.succeeded(user, '192.0.2.1', 'none');
  await guess(user.email, 'wrong');
  expect(begun).toHaveLength(2);
});
