import { expect, test } from 'bun:test';
import { readRetryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 0, 31, 12);

test.each([
  ['17', 17_000],
  [' 0.5 ', 500],
  ['0', 0],
  ['-5', 0],
  ['Sat, 31 Jan 2026 12:00:40 GMT', 40_000],
  ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
  ['soon', null],
  ['', null],
  [null, null],
])('%j is read as milliseconds from now', (header, ms) => {
  expect(readRetryAfter(header, now)).toBe(ms);
});
