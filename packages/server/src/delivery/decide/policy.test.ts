import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { FormerPolicy } from '../../core/stores/configuration/destinations.ts';
import { policyFor } from './policy.ts';

const fields = {
  attempts: fc.integer({ min: 1, max: 50 }),
  schedule_s: fc.array(fc.double({ min: 0, max: 30_000, noNaN: true }), { minLength: 1, maxLength: 6 }),
  timeout_s: fc.integer({ min: 1, max: 300 }),
};
const formers = fc.array(fc.record({ ...fields, until: fc.nat(100) }), { maxLength: 4 });
const current = fc.record({ ...fields, concurrency: fc.constant(1), rate_per_second: fc.constant(0) });

test('a delivery is tried as often as any policy since its budget began says, and by no other', () => {
  fc.assert(
    fc.property(
      current,
      formers,
      fc.nat(100),
      fc.nat(55),
      (policy, formerPolicies, budgetAt, attemptsMade) => {
        const chosen = policyFor({ policy, formerPolicies }, { budgetAt, attemptsMade });
        const counts = [policy, ...formerPolicies.filter(({ until }) => until >= budgetAt)];
        const goesOn = counts.some(({ attempts }) => attempts > attemptsMade);
        expect(chosen.attempts > attemptsMade).toBe(goesOn);
        expect(counts.map(({ schedule_s }) => schedule_s)).toContain(chosen.delaysS as number[]);
      },
    ),
  );
});

test('of two that go on the one that takes longer is taken', () => {
  const policy = { attempts: 8, schedule_s: [0, 1], timeout_s: 15, concurrency: 1, rate_per_second: 0 };
  const former: FormerPolicy = { attempts: 3, schedule_s: [0, 60], timeout_s: 15, until: 5 };
  const of = (attemptsMade: number) =>
    policyFor({ policy, formerPolicies: [former] }, { budgetAt: 0, attemptsMade }).attempts;
  expect([of(0), of(1), of(2), of(3)]).toEqual([3, 3, 8, 8]);
});
