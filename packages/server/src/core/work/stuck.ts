/**
 * Tells whether somebody who counts on while getting on has got stuck. Looks are counted, not time: a machine that
 * slept, or stopped this process, has not been stuck.
 */
interface StuckDetector {
  /** Looks at the count; answers whether it has stood still for too long. */
  look(count: number): boolean;
  /** From now on it is somebody else, or there is nothing to get on with. */
  reset(): void;
}

/** Somebody who is looked at so often, and may stand still for so long. */
export function createStuckDetector(everyMs: number, stuckAfterMs: number): StuckDetector {
  const mostLooks = Math.ceil(stuckAfterMs / everyMs);
  let last = 0;
  let looksWithout = 0;
  return {
    look(count) {
      looksWithout = count === last ? looksWithout + 1 : 0;
      last = count;
      return looksWithout >= mostLooks;
    },
    reset() {
      last = 0;
      looksWithout = 0;
    },
  };
}
