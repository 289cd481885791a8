import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { minutes, seconds } from '../../core/clock.ts';
import { afterAttempt, type Breaker, closedBreaker, nextProbeAfter, probeMoment } from './breaker.ts';

const FIFTY = 50;

const afterFailures = (count: number, now = 0, from: Breaker = closedBreaker): Breaker =>
  Array.from({ length: count }).reduce<Breaker>(breaker => afterAttempt(breaker, false, now), from);

function open(now = 0) {
  const breaker = afterFailures(FIFTY, now);
  if (breaker.state === 'closed') throw new Error('It is closed.');
  return breaker;
}

describe('the breaker', () => {
  test('opens at the fiftieth failure in a row, and a success closes it', () => {
    expect(afterFailures(49).state).toBe('closed');
    expect(afterFailures(49, 0, afterAttempt(afterFailures(49), true, 0)).state).toBe('closed');
    expect(afterFailures(FIFTY, 1_000)).toMatchObject({ state: 'open', openedAt: 1_000, nextProbeAt: 2_000 });
    expect(afterAttempt(open(), true, 31_000)).toEqual(closedBreaker);
  });

  test('stays open as it is while attempts fail that began before', () => {
    expect(afterAttempt(open(1_000), false, 9_000)).toEqual(open(1_000));
  });

  test('is open exactly when the last fifty or more attempts all failed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(120), { maxLength: 6 }), runs => {
        let breaker = closedBreaker;
        let inARow = 0;
        for (const failures of runs) {
          breaker = afterAttempt(afterFailures(failures, 0, breaker), true, 0);
          expect(breaker).toEqual(closedBreaker);
          breaker = afterFailures(failures, 0, breaker);
          inARow = failures;
        }
        expect(breaker.state).toBe(inARow >= FIFTY ? 'open' : 'closed');
      }),
    );
  });
});

describe('probes', () => {
  test('leave 1, 2, 4, 8, 16 and then every 30 seconds after it opened', () => {
    const moments: number[] = [];
    for (let now = 5_000; moments.length < 9; now = moments.at(-1) ?? now)
      moments.push(nextProbeAfter(5_000, now));
    expect(moments.map(moment => (moment - 5_000) / 1_000)).toEqual([1, 2, 4, 8, 16, 30, 60, 90, 120]);
  });

  test('of the moments that passed while one was under way none is made up for', () => {
    expect(nextProbeAfter(0, seconds(15))).toBe(seconds(16));
    expect(nextProbeAfter(0, seconds(16.2))).toBe(seconds(30));
    expect(nextProbeAfter(0, seconds(95))).toBe(seconds(120));
  });

  test('leave within half a minute, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -1e9, max: 1e9 }), (openedAt, elapsed) => {
        const now = openedAt + elapsed;
        const next = nextProbeAfter(openedAt, now);
        expect(next).toBeGreaterThan(now);
        expect(next).toBeLessThanOrEqual(now + seconds(30));
      }),
    );
  });

  test('leave at their moment while something waits, and at once with what comes after nothing waited', () => {
    const opened = open(0);
    expect(probeMoment(opened, -1)).toBe(seconds(1));
    expect(probeMoment(opened, 0)).toBe(seconds(1));
    expect(probeMoment(opened, 300)).toBe(300);
    const failed = { ...opened, nextProbeAt: seconds(8), probeEndedAt: seconds(5) };
    expect(probeMoment(failed, seconds(5))).toBe(seconds(8));
    expect(probeMoment(failed, minutes(20))).toBe(minutes(20));
  });
});
