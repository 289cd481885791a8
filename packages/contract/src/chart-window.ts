/**
 * The windows of charts. A list that stands behind a figure begins where its chart does, so that so many are listed as
 * are counted.
 */

/** `points` stretches of `stepMs` each, from `from` on, in epoch milliseconds. */
export interface ChartWindow {
  readonly from: number;
  readonly stepMs: number;
  readonly points: number;
}

const MINUTE_MS = 60_000;
/** Such as a person would choose them. */
const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map(minutes => minutes * MINUTE_MS);
const LONGEST_STEP_MS = 1_440 * MINUTE_MS;
const MOST_POINTS = 120;

/** The longest time between two moments that a chart is drawn of. */
export const MOST_CHART_DAYS = 90;

/** So many minutes up to now in steps that make no more points than a chart can show. */
export function chartWindow(minutes: number, now: number): ChartWindow {
  const asked = minutes * MINUTE_MS;
  const stepMs = stepFor(asked);
  return windowUpTo(now, stepMs, Math.ceil(asked / stepMs));
}

/** The whole steps that hold the time between two moments. */
export function chartWindowBetween(from: number, to: number): ChartWindow {
  const stepMs = stepFor(to - from);
  const first = Math.floor(from / stepMs) * stepMs;
  return { from: first, stepMs, points: Math.max(1, Math.ceil((to - first) / stepMs)) };
}

/** Where a window ends: the first moment that is not in it. */
export const endOfWindow = ({ from, stepMs, points }: ChartWindow): number => from + stepMs * points;

const stepFor = (lengthMs: number): number =>
  STEPS_MS.find(step => lengthMs / step <= MOST_POINTS) ?? LONGEST_STEP_MS;

/** The last step is the one that now is in. */
export function windowUpTo(now: number, stepMs: number, points: number): ChartWindow {
  const end = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: end - points * stepMs, stepMs, points };
}
