import { describe, expect, test } from 'bun:test';
import { minutes, seconds } from '../../core/clock.ts';
import type { StoredBreaker } from '../../core/stores/configuration/destinations.ts';
import type { WaitingDelivery } from '../../core/stores/delivery-queue.ts';
import { isGivenUp } from './given-up.ts';

const OPENED = 1_000_000;

const policyOf = (attempts: number, ...schedule_s: number[]) => ({
  attempts,
  schedule_s,
  timeout_s: 10,
  concurrency: 16,
  rate_per_second: 0,
});
const short = policyOf(2, 0, 1);
const long = policyOf(2, 0, 3_600);

const breaker: StoredBreaker = {
  openedAt: OPENED,
  nextProbeAt: 0,
  probeUntil: null,
  lastProbeAt: null,
  probeEndedAt: null,
  lastFailure: null,
};

const probed = (lastProbeAt: number | null, policy = short, formerPolicies: object[] = []) => ({
  policy,
  formerPolicies: formerPolicies as [],
  breaker: { ...breaker, lastProbeAt },
});

const waiting = (over: Partial<WaitingDelivery> = {}): WaitingDelivery => ({
  id: 'dlv',
  dueAt: OPENED,
  waitingFrom: OPENED,
  attemptsMade: 0,
  budgetAt: OPENED,
  ...over,
});

describe('a delivery that waits for a destination that is down', () => {
  test('is not given up before that was down for 15 minutes and a probe failed that left after them', () => {
    const quarter = OPENED + minutes(15);
    for (const lastProbeAt of [null, OPENED, quarter - 1, quarter]) {
      expect(isGivenUp(waiting(), probed(lastProbeAt))).toBe(false);
    }
    expect(isGivenUp(waiting(), probed(quarter + 1))).toBe(true);
    expect(isGivenUp(waiting(), { ...probed(null), breaker: null })).toBe(false);
  });

  test('is not given up before its own schedule would have ended, jitter and the last answer included', () => {
    const end = OPENED + seconds(3_600 * 1.2 + 10);
    expect(isGivenUp(waiting(), probed(end, long))).toBe(false);
    expect(isGivenUp(waiting(), probed(end + 1, long))).toBe(true);
    expect(isGivenUp(waiting({ attemptsMade: 1 }), probed(OPENED + minutes(15) + 1, long))).toBe(true);
  });

  test('has not waited for it while it stood in a backlog before, and has while it was probed with', () => {
    const aged = waiting({ dueAt: 0, waitingFrom: 0 });
    expect(isGivenUp(aged, probed(OPENED + minutes(60), long))).toBe(false);
    const rotated = waiting({ dueAt: OPENED + minutes(80) });
    expect(isGivenUp(rotated, probed(OPENED + minutes(75), long))).toBe(true);
  });

  test('keeps the longer schedule where its policy was changed while it was open, and only then', () => {
    const before = { ...long, until: OPENED + 5 };
    const destination = probed(OPENED + minutes(20), short, [before]);
    expect(isGivenUp(waiting({ budgetAt: OPENED + 5 }), destination)).toBe(false);
    expect(isGivenUp(waiting({ budgetAt: OPENED + 6 }), destination)).toBe(true);
    // A longer one counts for all.
    const lengthened = probed(OPENED + minutes(20), long, [{ ...short, until: OPENED + 5 }]);
    expect(isGivenUp(waiting({ budgetAt: OPENED }), lengthened)).toBe(false);
  });
});
