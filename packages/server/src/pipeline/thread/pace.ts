/**
 * Which pipelines hold up the others: those whose runs keep the thread to themselves for long, several in a row. One
 * alone may have been the first ever, or a busy machine's. After a while they are forgiven.
 */
export interface Pace {
  ended(pipeline: string, busyMs: number): void;
  isSlow(pipeline: string): boolean;
}

const SLOW_MS = 50;
const SLOW_IN_A_ROW = 3;
const FORGIVEN_AFTER_MS = 30_000;

export function createPace(now: () => number = () => performance.now()): Pace {
  const slow = new Map<string, { readonly inARow: number; readonly at: number }>();
  return {
    ended(pipeline, busyMs) {
      if (busyMs > SLOW_MS) slow.set(pipeline, { inARow: (slow.get(pipeline)?.inARow ?? 0) + 1, at: now() });
      else slow.delete(pipeline);
    },
    isSlow(pipeline) {
      const found = slow.get(pipeline);
      if (found === undefined || found.inARow < SLOW_IN_A_ROW) return false;
      if (now() - found.at < FORGIVEN_AFTER_MS) return true;
      slow.delete(pipeline);
      return false;
    },
  };
}
