import { expect, test } from 'bun:test';
import { keyOfList, startOf } from './use-time-range.ts';

const NOW = Date.UTC(2026, 4, 1, 12, 34, 5);

test('a span moves on with the minute, a long one with the steps of its chart, and is the same in between', () => {
  expect(startOf('15m', NOW)).toBe(Date.UTC(2026, 4, 1, 12, 20) - 1);
  expect(startOf('15m', NOW + 54_999)).toBe(startOf('15m', NOW));
  expect(startOf('15m', NOW + 3_600_000)).toBe(startOf('15m', NOW) + 3_600_000);
  expect(startOf('24h', NOW + 60_000)).toBe(startOf('24h', NOW));
  expect(startOf('24h', NOW + 900_000)).toBe(startOf('24h', NOW) + 900_000);
});

test('a list whose span moves on is the same one; between other moments it is another', () => {
  const query = { state: 'dead', after: '12:20' };
  const later = { ...query, after: '12:21' };
  expect(keyOfList(later, '15m')).toBe(keyOfList(query, '15m'));
  expect(keyOfList(later, '1h')).not.toBe(keyOfList(query, '15m'));
  expect(keyOfList(later, undefined)).not.toBe(keyOfList(query, undefined));
});
