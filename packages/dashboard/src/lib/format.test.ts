import { expect, test } from 'bun:test';
import { formatCapped, formatDuration, formatLatency, formatPerHour, formatWholeMs } from './format.ts';

test('counts that went no further say so', () => {
  expect(formatCapped({ count: 10_000, more: true })).toBe('10,000+');
  expect(formatCapped({ count: 7, more: false })).toBe('7');
});

test.each([
  [null, '–'],
  [0, '0 ms'],
  [0.003, '<0.01 ms'],
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

test('what took no whole millisecond took less than one', () => {
  expect([0, 1, 1_230].map(formatWholeMs)).toEqual(['<1 ms', '1 ms', '1.2 s']);
});

test('a rate an hour keeps what would be rounded away', () => {
  expect([0, 1, 100, 229, 24_000].map(amount => formatPerHour(amount, 24))).toEqual([
    '0',
    '0.1',
    '4.2',
    '9.5',
    '1,000',
  ]);
  expect(formatPerHour(7, 1)).toBe('7');
});

test('a percentile in the first class says no more than is known', () => {
  expect([null, 1, 2.4].map(formatLatency)).toEqual(['–', '≤ 1 ms', '2.4 ms']);
});
