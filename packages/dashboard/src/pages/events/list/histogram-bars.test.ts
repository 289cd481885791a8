import { expect, test } from 'bun:test';
import { brushedTime } from '../../../components/time-brush/brushed-time.ts';
import { barsOfHistogram, filterOfTime, windowOfHistogram } from './histogram-bars.ts';

const histogram = {
  from: '2026-11-18T12:00:00.000Z',
  step_s: 60,
  counts: [3, 0, 5],
  total: { count: 8, more: false },
  counted_from: null,
};

test('a bar stands for its stretch of time, and the bars follow each other', () => {
  const bars = barsOfHistogram(histogram);
  expect(bars.map(({ count }) => count)).toEqual([3, 0, 5]);
  expect(bars[1]?.from).toBe(bars[0]?.to);
  expect(bars.every(({ isUnknown }) => !isUnknown)).toBe(true);
});

test('what lies before the oldest that was counted is unknown', () => {
  const bars = barsOfHistogram({ ...histogram, counted_from: '2026-11-18T12:01:30.000Z' });
  expect(bars.map(({ isUnknown }) => isUnknown)).toEqual([true, false, false]);
});

test('what was drawn over narrows the list to exactly its bars', () => {
  const bars = barsOfHistogram(histogram);
  const { from, to } = brushedTime(windowOfHistogram(histogram), 0.4, 0.9);
  expect({ from, to }).toEqual({ from: bars[1]?.from ?? 0, to: bars[2]?.to ?? 0 });
  expect(filterOfTime(from, to)).toEqual({
    after: '2026-11-18T12:00:59.999Z',
    before: '2026-11-18T12:03:00.000Z',
  });
});
