import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  afterAttempt,
  askBreaker,
  type Breaker,
  closedBreaker,
  FAILURES_TO_OPEN,
  PROBE_EVERY_MS,
} from './breaker.ts';

const afterFailures = (count: number, now = 0, from: Breaker = closedBreaker): Breaker =>
  Array.from({ length: count }).reduce<Breaker>(breaker => afterAttempt(breaker, false, now), from);

describe('the breaker', () => {
  test('lets everything through while fewer than fifty attempts in a row have failed', () => {
    const almost = afterFailures(49);
    expect(askBreaker(almost, 0).kind).toBe('go');
    expect(askBreaker(afterFailures(49, 0, afterAttempt(almost, true, 0)), 0).kind).toBe('go');
  });

  test('opens at the fiftieth and lets nothing through for thirty seconds', () => {
    const open = afterFailures(50, 1_000);
    expect(askBreaker(open, 1_000)).toMatchObject({ kind: 'wait', until: 31_000 });
    expect(askBreaker(open, 30_999)).toMatchObject({ kind: 'wait', until: 31_000 });
    expect(askBreaker(open, 31_000).kind).toBe('probe');
  });

  test('sends one probe every thirty seconds, also where a probe never reports', () => {
    let breaker = afterFailures(50);
    const probes: number[] = [];
    for (let now = 0; now <= 120_000; now += 500) {
      const permit = askBreaker(breaker, now);
      breaker = permit.breaker;
      if (permit.kind === 'probe') probes.push(now);
    }
    expect(probes).toEqual([30_000, 60_000, 90_000, 120_000]);
  });

  test('stays open when a probe fails and closes when one succeeds', () => {
    const { breaker } = askBreaker(afterFailures(50), 30_000);
    expect(askBreaker(afterAttempt(breaker, false, 31_000), 31_000).kind).toBe('wait');
    expect(afterAttempt(breaker, true, 31_000)).toEqual(closedBreaker);
  });

  test('goes on probing when the clock is put back', () => {
    const open = afterFailures(50, 86_400_000);
    const permit = askBreaker(open, 0);
    expect(permit).toMatchObject({ kind: 'wait', until: PROBE_EVERY_MS });
    expect(askBreaker(permit.breaker, PROBE_EVERY_MS).kind).toBe('probe');
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
        expect(breaker.state).toBe(inARow >= FAILURES_TO_OPEN ? 'open' : 'closed');
      }),
    );
  });
});
