import { threadMs } from '../../core/expressions/cel/budget.ts';

/** So near to each other the clock is good enough; to ask for the time of the processor takes several times as long. */
const NEAR_MS = 10;

/**
 * What a thread spends on one thing after the other. Time that the machine spends on others, or stands still for, does
 * not count: being busy must fail no event.
 */
export function createBusyTime() {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let spentThen = 0;
  return {
    /** Something begins now. Answers a moment for `since`. */
    begin(): number {
      const now = performance.now();
      if (now - lookedAt > NEAR_MS) {
        lookedAt = now;
        spentThen = threadMs();
      }
      return now;
    },
    /** What was spent since the last beginning, or a little more. */
    since(began: number): number {
      const passed = performance.now() - began;
      return passed <= NEAR_MS ? passed : Math.min(passed, threadMs() - spentThen);
    },
  };
}
