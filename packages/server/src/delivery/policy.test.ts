import { expect, test } from 'bun:test';
import { validate } from '../core/validate.ts';
import { deliveryPolicy, retryPolicyOf } from './policy.ts';

test('a policy that says nothing is eight attempts over about nine hours', () => {
  const policy = validate(deliveryPolicy, {}, 'policy');
  expect(policy).toMatchObject({ concurrency: 16, rate_per_second: 0 });
  const retry = retryPolicyOf(policy);
  expect(retry).toMatchObject({ attempts: 8, timeoutMs: 15_000 });
  expect(retry.delaysS.reduce((sum, delay) => sum + delay) / 3_600).toBeCloseTo(8.7, 1);
});

test('a policy past its bounds is refused by name', () => {
  const cases: [object, string][] = [
    [{ attempts: 0 }, 'policy.attempts'],
    [{ attempts: 51 }, 'policy.attempts'],
    [{ concurrency: 1_001 }, 'policy.concurrency'],
    [{ schedule_s: [] }, 'policy.schedule_s'],
    [{ schedule_s: [0, -1] }, 'policy.schedule_s[1]'],
    [{ timeout_s: 0 }, 'policy.timeout_s'],
    [{ retries: 3 }, 'policy.retries'],
  ];
  for (const [policy, path] of cases) {
    expect(() => validate(deliveryPolicy, policy, 'policy')).toThrow(expect.objectContaining({ path }));
  }
});
