import { describe, expect, test } from 'bun:test';
import { failureCodes } from '@sluice/contract/failure';
import fc from 'fast-check';
import type { AttemptResult, Failed } from '../../core/http/attempt.ts';
import { decide, longestWait, type RetryPolicy } from './decide.ts';

const facts = {
  request: { target: 'POST https://example.com', headers: {}, body: '' },
  status: null,
  response: null,
  durationMs: 1,
};
const delivered: AttemptResult = { outcome: 'delivered', ...facts };
const failed = (over: Partial<Failed> = {}): Failed => ({
  outcome: 'failed',
  code: 'bad_status',
  message: 'Responded with 500.',
  retryAfterMs: null,
  ...facts,
  ...over,
});

const usual: RetryPolicy = {
  attempts: 8,
  delaysS: [0, 5, 30, 120, 600, 1_800, 7_200, 21_600],
  timeoutMs: 15_000,
};
const HOUR = 3_600_000;
const middle = () => 0.5;

const policies = fc.record({
  attempts: fc.integer({ min: 1, max: 50 }),
  delaysS: fc.array(fc.double({ min: 0, max: 30_000, noNaN: true }), { minLength: 1, maxLength: 10 }),
  timeoutMs: fc.integer({ min: 100, max: 60_000 }),
});
const failures = fc.record({
  code: fc.constantFrom(...failureCodes.filter(code => code !== 'address_not_allowed')),
  retryAfterMs: fc.option(fc.nat(10 * HOUR)),
});
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('after an attempt', () => {
  test('that was delivered, the delivery is done', () => {
    const context = { policy: usual, attemptsMade: 8, now: 0, isProbe: false };
    expect(decide(delivered, context, middle)).toEqual({ kind: 'delivered' });
  });

  test('that failed, the next comes after its delay in the schedule', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map(attemptsMade => {
      const decision = decide(failed(), { policy: usual, attemptsMade, now: 1_000, isProbe: false }, middle);
      return decision.kind === 'retry' ? (decision.at - 1_000) / 1_000 : decision;
    });
    expect(delays).toEqual([5, 30, 120, 600, 1_800, 7_200, 21_600]);
  });

  test('always failing: exactly as many attempts as allowed, then dead with the last reason', () => {
    fc.assert(
      fc.property(policies, failures, randoms, (policy, failure, random) => {
        let attemptsMade = 0;
        let now = 1_000_000;
        for (;;) {
          attemptsMade++;
          const decision = decide(
            failed(failure),
            { policy, attemptsMade, now, isProbe: false },
            () => random,
          );
          if (decision.kind !== 'retry') {
            expect(decision).toMatchObject({ kind: 'dead', code: failure.code });
            break;
          }
          expect(decision.at).toBeGreaterThanOrEqual(now);
          now = decision.at;
        }
        expect(attemptsMade).toBe(policy.attempts);
      }),
    );
  });

  test('an address that may not be connected to is final at once', () => {
    const result = failed({ code: 'address_not_allowed', message: 'private' });
    expect(decide(result, { policy: usual, attemptsMade: 1, now: 0, isProbe: false }, middle)).toEqual({
      kind: 'dead',
      code: 'address_not_allowed',
      message: 'private',
    });
  });

  test('Retry-After is never undercut, by jitter or schedule, and heeded for an hour at most', () => {
    fc.assert(
      fc.property(policies, failures, randoms, fc.nat(48), (policy, failure, random, made) => {
        const context = { policy, attemptsMade: made + 1, now: 5_000, isProbe: false };
        const decision = decide(failed(failure), context, () => random);
        const unasked = decide(failed({ ...failure, retryAfterMs: null }), context, () => random);
        if (decision.kind !== 'retry' || unasked.kind !== 'retry') return;
        const asked = Math.min(failure.retryAfterMs ?? 0, HOUR);
        expect(decision.at).toBe(Math.max(unasked.at, 5_000 + asked));
      }),
    );
  });
});

describe('a probe that failed', () => {
  const probe = { policy: usual, attemptsMade: 8, now: 5_000, isProbe: true };

  test('waits on, however many attempts were made, and the next leaves no sooner than it was asked to', () => {
    expect(decide(failed(), probe, middle)).toEqual({ kind: 'wait', at: 5_000, nextProbeFrom: 5_000 });
    expect(decide(failed({ retryAfterMs: 60_000 }), probe, middle)).toEqual({
      kind: 'wait',
      at: 5_000,
      nextProbeFrom: 65_000,
    });
  });

  test('by what its delivery is, ends that', () => {
    expect(decide(failed({ isFinal: true }), probe, middle).kind).toBe('dead');
    expect(decide(failed({ code: 'address_not_allowed' }), probe, middle).kind).toBe('dead');
  });
});

describe('a delivery that waits for its destination', () => {
  test('waits for as long as its own attempts would have gone on, and the last would have taken', () => {
    // Attempts 4 to 8 would have followed the third, which was due.
    expect(longestWait(usual, 2)).toBe((120 + 600 + 1_800 + 7_200 + 21_600) * 1_200 + 15_000);
    expect(longestWait(usual, 7)).toBe(15_000);
  });

  test('waits the less the more attempts it has made, and never less than one takes', () => {
    fc.assert(
      fc.property(policies, fc.nat(49), (policy, made) => {
        expect(longestWait(policy, made + 1)).toBeLessThanOrEqual(longestWait(policy, made));
        expect(longestWait(policy, made)).toBeGreaterThanOrEqual(policy.timeoutMs);
      }),
    );
  });
});
