import { expect, test } from 'bun:test';
import { chartWindow, chartWindowBetween, endOfWindow } from '@sluice/contract/chart-window';
import { days, hours, minutes } from '../../../core/clock.ts';
import { seriesOf, stepsOf, totalsOf, totalWindow, wholeOf } from './counter-windows.ts';

const NOW = Date.UTC(2026, 4, 1, 12, 34, 56);

test.each([
  [1, 1, 1],
  [60, 1, 60],
  [120, 1, 120],
  [121, 2, 61],
  [1_440, 15, 96],
  [10_080, 120, 84],
  [43_200, 360, 120],
])('%d minutes are shown in steps of %d minutes, %d of them', (asked, step, points) => {
  const window = chartWindow(asked, NOW);
  expect(window).toMatchObject({ stepMs: minutes(step), points });
  expect(window.from % window.stepMs).toBe(0);
  const end = window.from + window.points * window.stepMs;
  expect(end > NOW && end - window.stepMs <= NOW).toBe(true);
});

test('a total reaches as far back as was asked, in whole hours where that is a day or more', () => {
  for (const asked of [1, 60, 1_439, 1_440, 10_080, 43_200]) {
    const { from, stepMs, points } = totalWindow(asked, NOW);
    expect(points).toBe(1);
    expect(from + stepMs).toBeGreaterThan(NOW);
    expect(NOW - from).toBeGreaterThanOrEqual(minutes(asked) - hours(1));
    if (asked >= 1_440) expect([from % hours(1), stepMs % hours(1)]).toEqual([0, 0]);
  }
  expect(totalWindow(1_440, NOW).stepMs).toBe(days(1));
});

test('series have a zero wherever nothing happened, and a line for every name', () => {
  const sums = [
    { subject: '', name: 'a', point: 1, amount: 5 },
    { subject: '', name: 'a', point: 2, amount: -1 },
  ];
  expect(seriesOf(sums, ['a', 'b'], 3)).toEqual({ a: [0, 5, 0], b: [0, 0, 0] });
  expect(totalsOf(sums.slice(0, 1))('', 'a')).toBe(5);
  expect(totalsOf(sums)('other', 'a')).toBe(0);
});

test.each([
  [1, 1],
  [7, 1],
  [121, 2],
  [1_440, 15],
  [86_400, 720],
  [129_600, 1_440],
])('%d minutes between two moments are held by whole steps of %d minutes', (length, step) => {
  const [from, to] = [NOW, NOW + minutes(length)];
  const window = chartWindowBetween(from, to);
  expect(window.stepMs).toBe(minutes(step));
  expect(window.from % window.stepMs).toBe(0);
  expect(window.from <= from && from - window.from < window.stepMs).toBe(true);
  expect(endOfWindow(window) >= to && endOfWindow(window) - to < window.stepMs).toBe(true);
  expect(stepsOf({ minutes: 60, from, to }, 0)).toEqual(window);
  expect(wholeOf(window)).toEqual({
    from: window.from,
    stepMs: endOfWindow(window) - window.from,
    points: 1,
  });
});

test('two moments within one minute are that minute', () => {
  expect(chartWindowBetween(NOW, NOW + 1)).toMatchObject({ stepMs: minutes(1), points: 1 });
});
