import { expect, test } from 'bun:test';
import { describeSuccess } from './success-summary.ts';

test('what arrived is shown with what did not', () => {
  expect(describeSuccess({ delivered: [400, 12], failed: [3, 0], dead: [0, 1] })).toBe(
    '412 delivered, 3 tries failed, 1 given up: 99.3 % of tries arrived.',
  );
  expect(describeSuccess({ delivered: [5], failed: [0], dead: [0] })).toBe(
    '5 delivered: 100 % of tries arrived.',
  );
  expect(describeSuccess({ delivered: [99_999], failed: [1] })).toBe(
    '99,999 delivered, 1 try failed: 99.9 % of tries arrived.',
  );
  expect(describeSuccess({ delivered: [0], failed: [2] })).toBe(
    '0 delivered, 2 tries failed: 0 % of tries arrived.',
  );
});

test('where nothing was sent there is nothing to show', () => {
  expect(describeSuccess({ delivered: [0, 0], failed: [0, 0], dead: [0, 0] })).toBeNull();
  expect(describeSuccess({})).toBeNull();
});
