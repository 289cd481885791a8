import { afterAll, beforeAll, expect, test } from 'bun:test';
import { days, minutes } from '../../src/core/clock.ts';
import { logIn, openBrowser, PASSWORD, setUp } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let now = Date.now() - days(60);
beforeAll(async () => {
  service = await startTestService({
    clock: { now: () => now },
    settings: { SLUICE_TRUST_PROXY: 'true' },
  });
  await setUp(service);
});
afterAll(() => service.stop());

const attempt = (email: string, from: string, password = 'not the password') =>
  openBrowser(service.url).send('POST', '/session', {
    body: { email, password },
    headers: { 'X-Forwarded-For': from },
  });

/** Every failure costs an argon2id on both sides of the wall, so this is the one slow way through it. */
test('after 20 failures for one email even its right password waits, but nobody else', async () => {
  const failures = Array.from({ length: 20 }, (_, i) => attempt('owner@example.com', `192.0.2.${i}`));
  for (const answer of await Promise.all(failures)) expect(answer.status).toBe(401);

  const slowed = await attempt('owner@example.com', '192.0.2.99', PASSWORD);
  expectRefused(slowed, { status: 429, code: 'rate_limited' });
  expect(slowed.headers.get('retry-after')).toBe('900');
  expect((await attempt('other@example.com', '192.0.2.99')).status).toBe(401);

  now += minutes(15) - 1;
  const later = await attempt('owner@example.com', '192.0.2.99', PASSWORD);
  expect([later.status, later.headers.get('retry-after')]).toEqual([429, '1']);
  now += 1;
  await logIn(service.url, 'owner@example.com');
});
