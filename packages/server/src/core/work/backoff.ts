/**
 * When to try again: the delays of a schedule, spread a little so that what failed together does not return together.
 */
export interface Schedule {
  /** How often at most, the first attempt included. */
  readonly attempts: number;
  /** The delay before each attempt, in seconds; the last repeats where there are more attempts than delays. */
  readonly delaysS: readonly number[];
}

/** A fraction from 0 up to 1, as `Math.random` gives. */
export type Random = () => number;

const JITTER = 0.2;
/** What jitter makes of a delay at most. */
export const LONGEST_JITTER = 1 + JITTER;

/** The planned delay before the n-th attempt (1 is the first), in milliseconds, without jitter. */
export function delayBefore(schedule: Pick<Schedule, 'delaysS'>, attempt: number): number {
  const { delaysS } = schedule;
  return (delaysS[Math.min(attempt, delaysS.length) - 1] ?? 0) * 1_000;
}

/** A delay made up to a fifth shorter or longer. */
export const jittered = (delayMs: number, random: Random): number =>
  Math.round(delayMs * (1 - JITTER + 2 * JITTER * random()));

/** How long all attempts after the n-th would still have been waited for. */
export function remainingDelays(schedule: Schedule, attempt: number): number {
  let total = 0;
  for (let next = attempt + 1; next <= schedule.attempts; next++) total += delayBefore(schedule, next);
  return total;
}
