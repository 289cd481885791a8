import { expect, test } from 'bun:test';
import { createChangeOrder } from './change-order.ts';

test('changes rise, also within a millisecond, and follow the clock', () => {
  let now = 1_000;
  const next = createChangeOrder({ now: () => now });
  expect([next(), next(), next()]).toEqual([1_000_000, 1_000_001, 1_000_002]);
  now = 1_001;
  expect(next()).toBe(1_001_000);
  now = 1_000;
  expect(next()).toBe(1_001_001);
});

test('more than a thousand in a millisecond go on into the next one', () => {
  let now = 1_000;
  const next = createChangeOrder({ now: () => now });
  const all = Array.from({ length: 1_500 }, next);
  now = 1_001;
  all.push(next());
  expect(all).toEqual(all.toSorted((a, b) => a - b));
  expect(new Set(all).size).toBe(1_501);
});

test('a clock that was set back is believed', () => {
  let now = 100_000;
  const next = createChangeOrder({ now: () => now });
  next();
  now = 98_000;
  expect(next()).toBe(98_000_000);
});
