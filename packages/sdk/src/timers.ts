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
  const timer: unknown = setTimeout(work, Math.min(ms, LONGEST_TIMER_MS));
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as NodeJS.Timeout).unref();
  else (globalThis as DenoGlobal).Deno?.unrefTimer?.(timer);
  return () => clearTimeout(timer as number);
}

/** Deno's timers are numbers, as in a browser. */
interface DenoGlobal {
  readonly Deno?: { unrefTimer?(timer: unknown): void };
}
