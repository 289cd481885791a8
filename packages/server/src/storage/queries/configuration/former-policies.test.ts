import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { FormerPolicy } from '../../../core/stores/configuration/destinations.ts';
import { withFormer } from './former-policies.ts';

const policy = fc.record({
  attempts: fc.integer({ min: 1, max: 50 }),
  schedule_s: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 5 }),
  timeout_s: fc.integer({ min: 1, max: 300 }),
});

/** When the last attempt of a delivery would be made that has made so many. */
function endOf({ attempts, schedule_s, timeout_s }: FormerPolicy, made: number): number {
  let end = timeout_s;
  for (let n = made; n < attempts; n++) end += schedule_s[n] ?? schedule_s.at(-1) ?? 0;
  return end;
}

test('however many changes there are, few are kept, and nothing that waited since has a shorter schedule', () => {
  fc.assert(
    fc.property(fc.array(policy, { maxLength: 40 }), fc.nat(49), (changes, made) => {
      const all = changes.map((one, n): FormerPolicy => ({ ...one, until: n }));
      const kept = all.reduce<FormerPolicy[]>(withFormer, []);
      expect(kept.length).toBeLessThanOrEqual(8);
      for (const since of [0, 5, 20, 39]) {
        const longest = (policies: readonly FormerPolicy[]) =>
          Math.max(0, ...policies.filter(({ until }) => until >= since).map(one => endOf(one, made)));
        expect(longest(kept)).toBeGreaterThanOrEqual(longest(all));
      }
    }),
  );
});

test('one that comes back is kept once', () => {
  const [a, b] = [1, 2].map(attempts => ({ attempts, schedule_s: [0], timeout_s: 15 }));
  if (!a || !b) throw new Error('There are two.');
  const kept = [
    { ...a, until: 1 },
    { ...b, until: 2 },
    { ...a, until: 3 },
  ].reduce<FormerPolicy[]>(withFormer, []);
  expect(kept).toEqual([
    { ...b, until: 2 },
    { ...a, until: 3 },
  ]);
});
