import { type Clock, seconds } from '../core/clock.ts';
import type { CounterStore, Waiting } from '../core/stores/counters.ts';
import { within } from '../core/work/within.ts';

/** How far each is counted: beyond it nobody needs the figure to know that something is wrong. */
export const MOST_WAITING_COUNTED = 100_000;
const FRESH_MS = seconds(5);
/** Whoever asks wants the other figures all the more while storage is slow. */
const STUCK_AFTER_MS = seconds(2);

/**
 * What waits in the whole installation, for `/metrics`, which anybody may ask for as often as they like: those who ask
 * within a few seconds share one look. Null while it is not known.
 */
export function createWaitingCounts(
  counters: Pick<CounterStore, 'countWaiting'>,
  clock: Clock,
): () => Promise<Waiting | null> {
  let known: { readonly at: number; readonly counts: Waiting } | null = null;
  let look: Promise<Waiting | null> | null = null;

  async function lookAgain(): Promise<Waiting | null> {
    try {
      const counts = await counters.countWaiting(MOST_WAITING_COUNTED);
      known = { at: clock.now(), counts };
      return counts;
    } catch {
      return null;
    } finally {
      look = null;
    }
  }

  return () => {
    if (known && Math.abs(clock.now() - known.at) < FRESH_MS) return Promise.resolve(known.counts);
    look ??= lookAgain();
    return within(look, STUCK_AFTER_MS);
  };
}
