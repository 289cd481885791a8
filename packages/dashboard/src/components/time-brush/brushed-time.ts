import type { ChartWindow } from '@sluice/contract/chart-window';

/** The whole steps of a chart between two places on it, each from 0 on its left to 1 on its right. */
export function brushedTime(
  { from, stepMs, points }: ChartWindow,
  begin: number,
  end: number,
): { from: number; to: number } {
  const [left, right] = [Math.min(begin, end), Math.max(begin, end)];
  const first = Math.min(Math.max(Math.floor(left * points), 0), points - 1);
  const past = Math.min(Math.max(Math.ceil(right * points), first + 1), points);
  return { from: from + first * stepMs, to: from + past * stepMs };
}
