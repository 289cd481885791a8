import { days, hours, minutes } from '../../../core/clock.ts';
import type { CounterSum, CounterWindow } from '../../../core/stores/counters.ts';

/** Windows over counters: the steps of a chart, and totals over the same time. */

/** The steps of charts, such as a person would choose them. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map(minutes);
const MOST_POINTS = 120;

/** So many minutes up to now in steps that make no more points than a chart can show. */
export function seriesWindow(minuteCount: number, now: number): CounterWindow {
  const asked = minutes(minuteCount);
  const stepMs = STEPS.find(step => asked / step <= MOST_POINTS) ?? hours(12);
  return endingAt(now, stepMs, Math.ceil(asked / stepMs));
}

/**
 * The same time as one stretch. From a day on it is counted in whole hours, which are read faster; below that it is
 * exact to the minute, and storage reads what it can by the hour.
 */
export function totalWindow(minuteCount: number, now: number): CounterWindow {
  const asked = minutes(minuteCount);
  const grain = asked >= days(1) ? hours(1) : minutes(1);
  const { from, stepMs, points } = endingAt(now, grain, Math.ceil(asked / grain));
  return { from, stepMs: stepMs * points, points: 1 };
}

/** The last step is the one that now is in. */
function endingAt(now: number, stepMs: number, points: number): CounterWindow {
  const end = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: end - points * stepMs, stepMs, points };
}

/** By name, with a zero wherever nothing happened. */
export function seriesOf(
  sums: readonly CounterSum[],
  names: readonly string[],
  points: number,
): Record<string, number[]> {
  const series = Object.fromEntries(names.map(name => [name, new Array<number>(points).fill(0)]));
  for (const { name, point, amount } of sums) {
    const line = series[name];
    if (line !== undefined) line[point] = (line[point] ?? 0) + amount;
  }
  return series;
}

/** The amounts of one stretch, by subject and name. */
export function totalsOf(sums: readonly CounterSum[]): (subject: string, name: string) => number {
  const totals = new Map<string, number>();
  for (const { subject, name, amount } of sums) {
    const key = `${subject}\n${name}`;
    totals.set(key, (totals.get(key) ?? 0) + amount);
  }
  return (subject, name) => totals.get(`${subject}\n${name}`) ?? 0;
}
