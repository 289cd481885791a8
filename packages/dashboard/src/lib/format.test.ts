import { expect, test } from 'bun:test';
import { formatCapped, formatDuration } from './format.ts';

test('counts that went no further say so', () => {
  expect(formatCapped({ count: 10_000, more: true })).toBe('10,000+');
  expect(formatCapped({ count: 7, more: false })).toBe('7');
});

test.each([
  [null, '–'],
  [0, '0 ms'],
  [0.042, '0.04 ms'],
  [3.21, '3.2 ms'],
  [1, '1 ms'],
  [999, '999 ms'],
  [1_230, '1.2 s'],
  [45_400, '45 s'],
  [240_000, '4 min'],
  [9_000_000, '2.5 h'],
  [86_400_000, '24 h'],
])('%p ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
