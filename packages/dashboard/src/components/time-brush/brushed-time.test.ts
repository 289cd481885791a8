import { expect, test } from 'bun:test';
import { brushedTime } from './brushed-time.ts';

const window = { from: 1_000, stepMs: 10, points: 20 };

test('whole steps are chosen, whichever way the pointer went, and one at least', () => {
  expect(brushedTime(window, 0.26, 0.49)).toEqual({ from: 1_050, to: 1_100 });
  expect(brushedTime(window, 0.49, 0.26)).toEqual({ from: 1_050, to: 1_100 });
  expect(brushedTime(window, 0.5, 0.5)).toEqual({ from: 1_100, to: 1_110 });
});

test('nothing beyond the chart is chosen', () => {
  expect(brushedTime(window, -1, 2)).toEqual({ from: 1_000, to: 1_200 });
  expect(brushedTime(window, 1, 1)).toEqual({ from: 1_190, to: 1_200 });
});
