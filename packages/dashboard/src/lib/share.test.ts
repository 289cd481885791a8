import { expect, test } from 'bun:test';
import { addCapped, deliveredPercent, formatDelivered, formatPercent, formatShare } from './share.ts';

const exactly = (count: number) => ({ count, more: false });
const present = (delivered: number, waiting: number, dead: number, more = false) => ({
  delivered,
  waiting: { count: waiting, more },
  retrying: exactly(0),
  held: exactly(0),
  dead: exactly(dead),
});

test.each([
  [0, 0, ''],
  [0, 10, ''],
  [5, 10, '50%'],
  [1, 30, '3.3%'],
  [1, 100_000, '<0.1%'],
])('%d of %d is %p', (part, of, text) => {
  expect(formatShare(part, of)).toBe(text);
});

test('what waits and what is dead counts against what was delivered', () => {
  expect(deliveredPercent(present(1, 1, 2))).toBe(25);
  expect(deliveredPercent(present(0, 0, 0))).toBeNull();
  expect(formatDelivered(present(0, 0, 0))).toBe('–');
  expect(formatDelivered(present(0, 1_299, 0))).toBe('0%');
});

test.each([
  [30_000, 10_000, '<75%'],
  // With one more waiting it is 83.32%.
  [5_000, 1_000, '<84%'],
  [3, 1_000, '<0.3%'],
  [1, 10_000, '<0.1%'],
  [1_999_999, 1_000, '<100%'],
  [0, 1_000, '0%'],
])('%d delivered beside more than %d that wait is %p', (delivered, waiting, text) => {
  expect(formatDelivered(present(delivered, waiting, 0, true))).toBe(text);
});

test('nearly all is never all of it', () => {
  expect([100, 99.99, 99.4, 42.4, 0.01, 0].map(formatPercent)).toEqual([
    '100%',
    '99.9%',
    '99.4%',
    '42%',
    '<0.1%',
    '0%',
  ]);
});

test('counts that end early stay so when they are added up', () => {
  expect(addCapped(exactly(2), { count: 3, more: true })).toEqual({ count: 5, more: true });
});
