import { expect, test } from 'bun:test';
import { tellCapped, tellDuration, tellRate, tellShare, tellStep } from './amounts.ts';

test('counts that went no further say so', () => {
  expect(tellCapped({ count: 10_000, more: true })).toBe('10,000+');
  expect(tellCapped({ count: 7, more: false })).toBe('7');
});

test.each([
  [null, '–'],
  [1, '1 ms'],
  [999, '999 ms'],
  [1_230, '1.2 s'],
  [45_400, '45 s'],
  [240_000, '4 min'],
  [9_000_000, '2.5 h'],
  [86_400_000, '24 h'],
])('%p ms are %s', (ms, told) => {
  expect(tellDuration(ms)).toBe(told);
});

test.each([
  [0, 0, ''],
  [0, 10, ''],
  [5, 10, '50 %'],
  [1, 30, '3.3 %'],
  [1, 100_000, '< 0.1 %'],
])('%d of %d is %p', (part, of, told) => {
  expect(tellShare(part, of)).toBe(told);
});

test('rates and steps are told in few characters', () => {
  expect([0.2, 12.4, 3_100].map(tellRate)).toEqual(['0.2/min', '12.4/min', '3.1K/min']);
  expect([60, 900, 3_600, 7_200].map(tellStep)).toEqual(['minute', '15 minutes', 'hour', '2 hours']);
});
