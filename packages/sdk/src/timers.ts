/** The time, as the outbox sees it; tests move it by hand. */
export interface Timers {
  /** Calls once after so many milliseconds; answers how to call that off. */
  after(ms: number, work: () => void): () => void;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

export const systemTimers: Timers = { after: startTimer, random: Math.random };

/** About 25 days: asked for more, a timer ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Keeps no process alive: what is unsent at its end is seen to there, with a bound. */
export function startTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, Math.min(ms, LONGEST_TIMER_MS));
  // In a browser it is a number.
  (timer as Partial<typeof timer>).unref?.();
  return () => clearTimeout(timer);
}
