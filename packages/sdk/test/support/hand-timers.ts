import type { Timers } from '../../src/timers.ts';

/** Timers that a test moves by hand. */
export interface HandTimers extends Timers {
  /** Lets so much time pass, and what is due with it happen. */
  pass(ms: number): Promise<void>;
  /** The pauses that are being waited for, in milliseconds from now. */
  due(): number[];
}

export function createHandTimers(random = () => 0.5): HandTimers {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly work: () => void }>();
  return {
    random,
    after(ms, work) {
      const timer = { at: now + ms, work };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async pass(ms) {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)) {
        if (timers.delete(timer)) timer.work();
      }
      await settled();
    },
    due: () => [...timers].map(({ at }) => at - now),
  };
}

/** Until everything that promises had to do is done. */
export const settled = () => new Promise<void>(resolve => setImmediate(resolve));
