/**
 * The pace of pipelines. Those hold up the others whose runs keep the thread to themselves for long, several in a
 * row: one alone may have been the first ever, or a busy machine's. After a while they are forgiven.
 */
interface Pace {
  ended(pipeline: string, busyMs: number): void;
  isSlow(pipeline: string): boolean;
}

const SLOW_MS = 50;
const SLOW_IN_A_ROW = 3;
const FORGIVEN_AFTER_MS = 30_000;

export function createPace(now: () => number = () => performance.now()): Pace {
  /** In the order of their last slow run, so that those to be forgiven stand first. */
  const slow = new Map<string, { readonly inARow: number; readonly at: number }>();
  const isForgiven = (at: number) => now() - at >= FORGIVEN_AFTER_MS;

  function forgive(): void {
    for (const [pipeline, { at }] of slow) {
      if (!isForgiven(at)) return;
      slow.delete(pipeline);
    }
  }

  return {
    ended(pipeline, busyMs) {
      if (busyMs <= SLOW_MS) {
        slow.delete(pipeline);
        return;
      }
      forgive();
      const inARow = (slow.get(pipeline)?.inARow ?? 0) + 1;
      slow.delete(pipeline);
      slow.set(pipeline, { inARow, at: now() });
    },
    isSlow(pipeline) {
      const found = slow.get(pipeline);
      return found !== undefined && found.inARow >= SLOW_IN_A_ROW && !isForgiven(found.at);
    },
  };
}
