import { minutes, seconds } from '../core/clock.ts';
import { LATE_MS } from '../core/stores/counters.ts';
import type { UpkeepStore } from '../core/stores/upkeep.ts';

/**
 * How long after a node was declared dead its last minutes are counted again. The last of these begins no later than 15 s
 * after the death was noted, for clocks that are apart, and lasts a minute. Whoever lives counts in it for `LATE_MS`
 * after its end, and writes that within `UNWRITTEN_MS` or not at all. The rest is for the commit, and for clocks again.
 */
const RECOUNT_AFTER_MS = LATE_MS + minutes(1) + seconds(45);

/** One round of counting again what dead nodes took with them, in small pieces with a pause after each. */
export function createRecounts(options: {
  readonly upkeep: Pick<UpkeepStore, 'recountAfter'>;
  /** Lets others at storage between two pieces. */
  pause(): Promise<void>;
  isStopping(): boolean;
}): () => Promise<void> {
  const { upkeep, pause, isStopping } = options;
  return async () => {
    while (!isStopping() && (await upkeep.recountAfter(RECOUNT_AFTER_MS))) await pause();
  };
}
