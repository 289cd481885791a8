import { chartWindow, chartWindowBetween, endOfWindow, windowUpTo } from '@sluice/contract/chart-window';
import { days, hours, minutes } from '../../../core/clock.ts';
import type { CounterSum, CounterWindow } from '../../../core/stores/counters.ts';
import { latencyAt, latencyNames } from '../../../core/stores/latency.ts';

/** Sums of counters as a chart wants them, and as totals over the same time. */

/** As it is asked for: the last so many minutes, or the time between two moments. */
interface AskedTime {
  readonly minutes: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The steps of a chart. */
export const stepsOf = ({ minutes, from, to }: AskedTime, now: number): CounterWindow =>
  from === undefined || to === undefined ? chartWindow(minutes, now) : chartWindowBetween(from, to);

/** A window as one stretch. */
export const wholeOf = ({ from, stepMs, points }: CounterWindow): CounterWindow => ({
  from,
  stepMs: stepMs * points,
  points: 1,
});

/** The events that were received within it, as lists of them are asked. */
export const receivedIn = (window: CounterWindow) => ({
  receivedAfter: window.from - 1,
  receivedBefore: endOfWindow(window),
});

/**
 * The time of a chart as one stretch. From a day on it is counted in whole hours, which are read faster; below that it is
 * exact to the minute, and storage reads what it can by the hour.
 */
export function totalWindow(minuteCount: number, now: number): CounterWindow {
  const asked = minutes(minuteCount);
  const grain = asked >= days(1) ? hours(1) : minutes(1);
  const { from, stepMs, points } = windowUpTo(now, grain, Math.ceil(asked / grain));
  return { from, stepMs: stepMs * points, points: 1 };
}

/** By name, with a zero wherever nothing happened; and where a process that was killed took counts with it. */
export function seriesOf(
  sums: readonly CounterSum[],
  names: readonly string[],
  points: number,
): Record<string, number[]> {
  const series = Object.fromEntries(names.map(name => [name, new Array<number>(points).fill(0)]));
  for (const { name, point, amount } of sums) {
    const line = series[name];
    if (line !== undefined) line[point] = Math.max(0, (line[point] ?? 0) + amount);
  }
  return series;
}

/** All names of a subject together, as one line for each. */
export function seriesBySubject(sums: readonly CounterSum[], points: number): Map<string, number[]> {
  const lines = new Map<string, number[]>();
  for (const { subject, point, amount } of sums) {
    const line = lines.get(subject) ?? new Array<number>(points).fill(0);
    line[point] = Math.max(0, (line[point] ?? 0) + amount);
    lines.set(subject, line);
  }
  return lines;
}

/** How long this share of what a subject counted took at most, from its classes of latency. */
export const percentileOf = (
  share: number,
  subject: string,
  total: ReturnType<typeof totalsOf>,
): number | null => latencyAt(share, new Map(latencyNames.map(name => [name, total(subject, name)])));

/** The amounts of one stretch, by subject and name; none is below zero, though what moved may stand in another stretch. */
export function totalsOf(sums: readonly CounterSum[]): (subject: string, name: string) => number {
  const totals = new Map<string, number>();
  for (const { subject, name, amount } of sums) {
    const key = `${subject}\n${name}`;
    totals.set(key, (totals.get(key) ?? 0) + amount);
  }
  return (subject, name) => Math.max(0, totals.get(`${subject}\n${name}`) ?? 0);
}
