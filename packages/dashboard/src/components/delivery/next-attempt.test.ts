import { expect, test } from 'bun:test';
import { formatDue } from '../relative-time.tsx';
import { nextAttemptOf } from './next-attempt.tsx';

const at = '2026-01-31T12:00:00.000Z';
const NOW = Date.parse(at);

test('a time that has passed is due now, and none is said to be ago', () => {
  expect(formatDue(NOW - 18_000, NOW)).toBe('now');
  expect(formatDue(NOW + 1_000, NOW)).toBe('now');
  expect(formatDue(NOW + 18_000, NOW)).toBe('in 18s');
});

test('what waits for a destination that is down has no time, nor has what is held or over', () => {
  const retrying = { state: 'retrying', next_attempt_at: at, outage: null } as const;
  const downSince = '2026-01-31T11:00:00.000Z';
  const outage = { down_since: downSince, last_probe_at: null };
  expect(nextAttemptOf(retrying)).toEqual({ at });
  expect(nextAttemptOf({ ...retrying, outage })).toEqual({ downSince });
  expect(nextAttemptOf({ ...retrying, state: 'held' })).toBeNull();
  expect(nextAttemptOf({ state: 'dead', next_attempt_at: null, outage })).toBeNull();
});
