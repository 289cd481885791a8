import { expect, test } from 'bun:test';
import { latencyAt, latencyName, latencyNames } from './latency.ts';

const counted = (times: readonly number[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const ms of times) counts.set(latencyName(ms), (counts.get(latencyName(ms)) ?? 0) + 1);
  return counts;
};

test('every duration has a class, from nothing to more than a day', () => {
  for (const ms of [-5, 0, 0.2, 1, 1.5, 2, 1_000, 86_400_000, 1e12]) {
    expect(latencyNames).toContain(latencyName(ms));
  }
  expect(new Set(latencyNames).size).toBe(latencyNames.length);
  expect(latencyNames.length).toBeLessThan(60);
});

test.each([1, 3, 12, 45, 250, 999, 1_000, 60_000, 3_600_000, 86_400_000])(
  'what always takes %d ms is estimated to within a class',
  ms => {
    const counts = counted(Array.from({ length: 100 }, () => ms));
    for (const share of [0.5, 0.95]) {
      const estimate = latencyAt(share, counts) ?? 0;
      expect(Math.max(estimate / ms, ms / estimate)).toBeLessThan(1.43);
    }
  },
);

test('percentiles of a mixture lie where they should', () => {
  const counts = counted([
    ...Array.from({ length: 90 }, () => 10),
    ...Array.from({ length: 10 }, () => 5_000),
  ]);
  expect(latencyAt(0.5, counts)).toBeLessThan(12);
  expect(latencyAt(0.95, counts)).toBeGreaterThan(3_500);
});

test('nothing that was delivered has no percentile', () => {
  expect(latencyAt(0.5, new Map())).toBeNull();
});
