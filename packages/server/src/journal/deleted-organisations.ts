import { type Clock, minutes } from '../core/clock.ts';
import type { UpkeepStore } from '../core/stores/upkeep.ts';

const SLICE = 250;
/**
 * Who writes something for an organisation that is long gone was held up for long: that need not be noticed at once.
 */
const LOOK_AGAIN_MS = minutes(10);

/** One round of removing what deleted organisations left behind, in small slices with a pause after each. */
export function createRemoval(options: {
  readonly upkeep: Pick<UpkeepStore, 'pruneDeleted' | 'reopenDeleted'>;
  readonly clock: Clock;
  /** Lets others at storage between two slices. */
  pause(): Promise<void>;
  isStopping(): boolean;
}): () => Promise<void> {
  const { upkeep, clock, pause, isStopping } = options;
  let lookedAt: number | null = null;

  return async () => {
    while (!isStopping() && (await upkeep.pruneDeleted(clock.now(), SLICE)) > 0) await pause();
    const now = clock.now();
    // Also where the clock went back.
    if (lookedAt !== null && Math.abs(now - lookedAt) < LOOK_AGAIN_MS) return;
    // A look that fails is not repeated at once. What it finds goes in the next round.
    lookedAt = now;
    await upkeep.reopenDeleted();
  };
}
