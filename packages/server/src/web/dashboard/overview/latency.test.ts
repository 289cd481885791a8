import { expect, test } from 'bun:test';
import { chartWindow, chartWindowBetween, endOfWindow } from '@sluice/contract/chart-window';
import { hours, minutes } from '../../../core/clock.ts';
import { latencyWindows } from './latency.ts';

const at = (hour: number, minute: number) => Date.UTC(2026, 4, 1, hour, minute);

test.each([
  ['an hour', chartWindow(60, at(12, 34))],
  ['six hours that begin and end within one', chartWindowBetween(at(9, 30), at(15, 30))],
  ['seven whole hours', chartWindowBetween(at(9, 0), at(16, 0))],
  ['a day', chartWindow(1_440, at(12, 34))],
  ['a week', chartWindow(10_080, at(12, 34))],
])('latency of %s is read from its beginning to its end, nothing twice', (_, window) => {
  const { chart, pieces } = latencyWindows(window);
  let read = window.from;
  for (const piece of pieces) {
    expect(piece.from).toBe(read);
    read = endOfWindow(piece);
  }
  expect(read).toBe(endOfWindow(window));
  expect(chart.from <= window.from && window.from - chart.from < hours(1)).toBe(true);
  expect(endOfWindow(chart) >= read && endOfWindow(chart) - read < hours(1)).toBe(true);
});

test('a chart of latency in hours has one more where it begins within one', () => {
  const { chart, pieces } = latencyWindows(chartWindowBetween(at(9, 30), at(15, 30)));
  expect(chart).toEqual({ from: at(9, 0), stepMs: hours(1), points: 7 });
  expect(pieces).toEqual([
    { from: at(9, 30), stepMs: minutes(30), points: 1 },
    { from: at(10, 0), stepMs: hours(1), points: 5 },
    { from: at(15, 0), stepMs: minutes(30), points: 1 },
  ]);
});
