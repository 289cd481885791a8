import { expect, test } from 'bun:test';
import { chartWindow } from '@sluice/contract/chart-window';
import { hours, minutes } from '../../../core/clock.ts';
import { STEP_MINUTES_MS } from '../../../core/stores/counters.ts';
import { rangesOf } from './counters.ts';

const END = Date.UTC(2026, 4, 1, 12, 35);

test('a long stretch is read by its whole hours, and by no more minutes than it has beside them', () => {
  for (const asked of [360, 719, 1_439]) {
    const window = { from: END - minutes(asked), stepMs: minutes(asked), points: 1 };
    const ranges = rangesOf(window);
    const covered = ranges.flatMap(({ span, from, to }) =>
      Array.from({ length: (to - from) / span }, (_, n) => [from + n * span, from + (n + 1) * span] as const),
    );
    expect(covered.length).toBeLessThanOrEqual(120 + asked / 60);
    // One after the other, without a gap.
    expect(covered[0]?.[0]).toBe(window.from);
    expect(covered.at(-1)?.[1]).toBe(END);
    for (const [n, [from]] of covered.entries()) if (n > 0) expect(from).toBe(covered[n - 1]?.[1] ?? 0);
  }
});

test('what is short, or drawn in steps, is read as it is asked for', () => {
  const short = { from: END - minutes(60), stepMs: minutes(60), points: 1 };
  expect(rangesOf(short)).toEqual([{ span: minutes(1), from: short.from, to: END }]);
  const steps = { from: END - hours(24), stepMs: minutes(15), points: 96 };
  expect(rangesOf(steps)).toEqual([{ span: minutes(1), from: steps.from, to: END }]);
  const whole = { from: END - (END % hours(1)) - hours(24), stepMs: hours(24), points: 1 };
  expect(rangesOf(whole)).toEqual([{ span: hours(1), from: whole.from, to: whole.from + hours(24) }]);
});

test('figures of the last minutes, hours or days need no minute that is older than those of steps are kept', () => {
  const oldest = Array.from({ length: 30 * 24 * 60 }, (_, n) => {
    const { from, stepMs, points } = chartWindow(n + 1, END);
    const ranges = rangesOf({ from, stepMs: stepMs * points, points: 1 });
    return Math.min(...ranges.filter(({ span }) => span < hours(1)).map(range => range.from));
  });
  expect(Math.min(...oldest)).toBeGreaterThan(END - STEP_MINUTES_MS);
});
