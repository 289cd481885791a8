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
const LONGEST_STEP_MS = 720 * MINUTE_MS;
const MOST_POINTS = 120;

/** So many minutes up to now in steps that make no more points than a chart can show. */
export function chartWindow(minutes: number, now: number): ChartWindow {
  const asked = minutes * MINUTE_MS;
  const stepMs = STEPS_MS.find(step => asked / step <= MOST_POINTS) ?? LONGEST_STEP_MS;
  return windowUpTo(now, stepMs, Math.ceil(asked / stepMs));
}

/** The last step is the one that now is in. */
export function windowUpTo(now: number, stepMs: number, points: number): ChartWindow {
  const end = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: end - points * stepMs, stepMs, points };
}
