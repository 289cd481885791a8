import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { delayBefore, jittered, remainingDelays } from './backoff.ts';

const schedule = fc.record({
  attempts: fc.integer({ min: 1, max: 50 }),
  delaysS: fc.array(fc.double({ min: 0, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 12 }),
});

describe('the delay before an attempt', () => {
  test('is the one of the schedule, and the last repeats', () => {
    const short = { attempts: 6, delaysS: [0, 5, 30.5] };
    expect([1, 2, 3, 4, 6].map(n => delayBefore(short, n))).toEqual([0, 5_000, 30_500, 30_500, 30_500]);
  });

  test('is spread by a fifth either way and no further', () => {
    expect(jittered(10_000, () => 0)).toBe(8_000);
    expect(jittered(10_000, () => 0.5)).toBe(10_000);
    expect(jittered(10_000, () => 0.999999)).toBe(12_000);
    expect(jittered(0, () => 0.9)).toBe(0);
    fc.assert(
      fc.property(
        fc.nat(10_000_000),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (ms, x) => {
          const spread = jittered(ms, () => x);
          expect(spread).toBeGreaterThanOrEqual(Math.floor(ms * 0.8));
          expect(spread).toBeLessThanOrEqual(Math.ceil(ms * 1.2));
        },
      ),
    );
  });

  test('adds up to what remains', () => {
    fc.assert(
      fc.property(schedule, fc.integer({ min: 1, max: 50 }), (given, attempt) => {
        const next = attempt < given.attempts ? delayBefore(given, attempt + 1) : 0;
        const difference = remainingDelays(given, attempt) - remainingDelays(given, attempt + 1);
        expect(Math.abs(difference - next)).toBeLessThan(1);
      }),
    );
    expect(remainingDelays({ attempts: 8, delaysS: [0, 5, 30, 120, 600, 1_800, 7_200, 21_600] }, 1)).toBe(
      31_355_000,
    );
  });
});
