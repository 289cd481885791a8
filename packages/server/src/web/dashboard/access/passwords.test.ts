import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { temporaryDirectory } from '../../../../test/support/service.ts';
import { newId } from '../../../core/ids.ts';
import type { StorageEngine } from '../../../core/stores/engine.ts';
import { openStorage } from '../../../storage/open.ts';
import { createLoginAttempts } from './login-attempts.ts';
import { type CheckPassword, createPasswordCheck } from './passwords.ts';
import { createThrottle } from './throttle.ts';

const directory = temporaryDirectory();
let engine: StorageEngine;
let verified: [password: string, hash: string][];
let check: CheckPassword;

beforeAll(async () => {
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  const user = { id: newId('usr'), email: 'a@example.com', passwordHash: 'hash of right', createdAt: 0 };
  const org = { id: newId('org'), name: 'Acme', retentionDays: null, searchableTraits: [], createdAt: 0 };
  await engine.accounts.createFirstUser(user, org);
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  verified = [];
  const passwords = {
    hash: async (password: string) => `hash of ${password}`,
    async matches(password: string, hash: string) {
      verified.push([password, hash]);
      return hash === `hash of ${password}`;
    },
  };
  const clock = { now: () => 1_000 };
  const logger = { info: () => undefined, warn: () => undefined };
  const { accounts, configuration, alerts } = engine;
  const attempts = createLoginAttempts({
    accounts,
    configuration,
    alerts,
    clock,
    logger,
    throttle: createThrottle(clock),
  });
  check = createPasswordCheck(accounts, passwords, attempts);
});

const outcome = (email: string, password: string, address = '192.0.2.1') =>
  check(email, password, address).then(
    user => user.email,
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

test('an unknown email costs the same one verification as a wrong password, and reads the same', async () => {
  const wrong = await outcome('a@example.com', 'wrong');
  const unknown = await outcome('b@example.com', 'wrong');
  expect(wrong).toBe('unauthenticated: Incorrect email or password.');
  expect(unknown).toBe(wrong);
  expect(verified).toEqual([
    ['wrong', 'hash of right'],
    ['wrong', expect.stringMatching(/^hash of nobody_/)],
  ]);
});

test('nobody gets in with the password of nobody', async () => {
  await outcome('b@example.com', 'x');
  const [[, hash = ''] = ['', '']] = verified;
  expect(await outcome('b@example.com', hash.replace('hash of ', ''))).toStartWith('unauthenticated');
});

test('twenty failures from one address, for whomever, and that address waits', async () => {
  for (let i = 0; i < 20; i++) {
    expect(await outcome(`guess${i}@example.com`, 'wrong')).toStartWith('unauthenticated');
  }
  expect(await outcome('a@example.com', 'right')).toStartWith('rate_limited');
  expect(verified).toHaveLength(20);
  expect(await outcome('a@example.com', 'right', '192.0.2.2')).toBe('a@example.com');
});

test('attempts that come all at once do not slip past the count', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, i) => outcome('a@example.com', 'wrong', `192.0.2.${i}`)),
  );
  expect(outcomes.filter(text => text.startsWith('unauthenticated'))).toHaveLength(20);
  expect(outcomes.filter(text => text.startsWith('rate_limited'))).toHaveLength(20);
});

test('logins that succeed are not counted', async () => {
  for (let i = 0; i < 50; i++) expect(await outcome('a@example.com', 'right')).toBe('a@example.com');
});
