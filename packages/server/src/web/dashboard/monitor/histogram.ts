import type { ChartWindow } from '@sluice/contract/chart-window';
import { days, hours, minutes, seconds } from '../../../core/clock.ts';

/** The bars of a histogram: how many of some moments there are in each stretch of a time. */

const MOST_BARS = 60;
/** Such as a person would choose them. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map(seconds),
  ...[1, 2, 5, 10, 15, 30].map(minutes),
  ...[1, 2, 3, 6, 12].map(hours),
  ...[1, 2, 7, 14, 30].map(days),
];

/** From one moment up to another, exclusive, in steps that begin where a clock would begin them. */
export function histogramWindow(from: number, to: number, leastStepMs = 0): ChartWindow {
  const end = Math.max(to, from + 1);
  const steps = STEPS_MS.filter(step => step >= leastStepMs);
  const fits = (step: number) => pointsOf(from, end, step) <= MOST_BARS;
  const longest = STEPS_MS.at(-1) ?? 1;
  // Of a time that no step fits, one that does is made.
  const stepMs = steps.find(fits) ?? Math.ceil((end - from) / (MOST_BARS - 1) / longest) * longest;
  return { from: Math.floor(from / stepMs) * stepMs, stepMs, points: pointsOf(from, end, stepMs) };
}

const pointsOf = (from: number, end: number, step: number): number =>
  Math.ceil(end / step) - Math.floor(from / step);

export function barsOf(times: readonly number[], { from, stepMs, points }: ChartWindow): number[] {
  const bars = new Array<number>(points).fill(0);
  for (const at of times) {
    const point = Math.floor((at - from) / stepMs);
    // An id may be a little newer than this node's clock.
    const shown = Math.min(Math.max(point, 0), points - 1);
    bars[shown] = (bars[shown] ?? 0) + 1;
  }
  return bars;
}
