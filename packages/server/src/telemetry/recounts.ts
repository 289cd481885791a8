import { RECOUNT_AFTER_MS } from '../core/stores/counters.ts';
import type { UpkeepStore } from '../core/stores/upkeep.ts';

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
