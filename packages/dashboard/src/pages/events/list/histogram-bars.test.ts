import { expect, test } from 'bun:test';
import { barAt, barsOfHistogram, timeOfBars } from './histogram-bars.ts';

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

test('a brush narrows to exactly the bars under it, drawn in either direction', () => {
  const bars = barsOfHistogram(histogram);
  const time = { after: '2026-11-18T12:00:59.999Z', before: '2026-11-18T12:03:00.000Z' };
  expect(timeOfBars(bars, 1, 2)).toEqual(time);
  expect(timeOfBars(bars, 2, 1)).toEqual(time);
  expect(timeOfBars([], 0, 0)).toBeNull();
});

test('a place is in the bar that is drawn there, and beyond the edges in the last one', () => {
  expect([-5, 0, 99, 100, 299, 400].map(x => barAt(x, 300, 3))).toEqual([0, 0, 0, 1, 2, 2]);
  expect(barAt(10, 0, 3)).toBe(0);
});
