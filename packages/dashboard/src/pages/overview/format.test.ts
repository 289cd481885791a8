import { expect, test } from 'bun:test';
import { describeInterval, formatPerMinute, formatShare } from './format.ts';

test.each([
  [0, 0, ''],
  [0, 10, ''],
  [5, 10, '50 %'],
  [1, 30, '3.3 %'],
  [1, 100_000, '< 0.1 %'],
])('%d of %d is %p', (part, of, text) => {
  expect(formatShare(part, of)).toBe(text);
});

test('rates and steps are written in few characters', () => {
  expect([0.2, 12.4, 3_100].map(formatPerMinute)).toEqual(['0.2/min', '12.4/min', '3.1K/min']);
  expect([60, 900, 3_600, 7_200].map(describeInterval)).toEqual(['minute', '15 minutes', 'hour', '2 hours']);
});
