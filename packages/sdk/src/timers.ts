/** The time, as the outbox sees it; tests move it by hand. */
export interface Timers {
  /** Calls once after so many milliseconds; answers how to call that off. */
  after(ms: number, work: () => void): () => void;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

export const systemTimers: Timers = { after: startTimer, random: Math.random };

/** A timer that keeps no process alive: what is unsent at its end is seen to there, with a bound. */
function startTimer(ms: number, work: () => void): () => void {
  const timer: unknown = setTimeout(work, ms);
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as NodeJS.Timeout).unref();
  return () => clearTimeout(timer as number);
}
