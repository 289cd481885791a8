import { expect, test } from 'bun:test';
import { describeInterval, formatPerMinute } from './format.ts';

test('rates and steps are written in few characters', () => {
  expect([0.2, 12.4, 3_100].map(formatPerMinute)).toEqual(['0.2/min', '12.4/min', '3.1K/min']);
  expect([60, 900, 3_600, 7_200].map(describeInterval)).toEqual(['minute', '15 minutes', 'hour', '2 hours']);
});
