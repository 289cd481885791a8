import { expect, test } from 'bun:test';
import { days, hours, minutes, seconds } from '../../../core/clock.ts';
import { barsOf, histogramWindow } from './histogram.ts';

const NOON = Date.parse('2026-11-18T12:00:00Z');

test('steps are such as a clock has, and no more than sixty of them', () => {
  expect(histogramWindow(NOON - minutes(15) + 1, NOON)).toEqual({
    from: NOON - minutes(15),
    stepMs: seconds(15),
    points: 60,
  });
  expect(histogramWindow(NOON - hours(24), NOON).stepMs).toBe(minutes(30));
  expect(histogramWindow(NOON - days(30), NOON).stepMs).toBe(hours(12));
  for (const span of [1, seconds(61), hours(7), days(400), days(20_000)]) {
    const { from, stepMs, points } = histogramWindow(NOON - span, NOON);
    expect(points).toBeGreaterThan(0);
    expect(points).toBeLessThanOrEqual(60);
    expect(from).toBeLessThanOrEqual(NOON - span);
    expect(from + points * stepMs).toBeGreaterThanOrEqual(NOON);
  }
});

test('what is counted by the minute has steps of minutes', () => {
  expect(histogramWindow(NOON - minutes(5), NOON, minutes(1))).toEqual({
    from: NOON - minutes(5),
    stepMs: minutes(1),
    points: 5,
  });
});

test('a time that ends before it begins has one bar', () => {
  expect(histogramWindow(NOON, NOON - hours(1))).toMatchObject({ points: 1 });
});

test('each moment stands in one bar, so that they add up to all of them', () => {
  const window = histogramWindow(NOON - minutes(1), NOON);
  const times = [NOON - minutes(1), NOON - 1, NOON - 1, NOON + 5];
  const bars = barsOf(times, window);
  expect(bars[0]).toBe(1);
  expect(bars.at(-1)).toBe(3);
  expect(bars.reduce((sum, n) => sum + n, 0)).toBe(times.length);
});
