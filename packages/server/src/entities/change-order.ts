import type { Clock } from '../core/clock.ts';
import { toChanged } from '../core/entities/write.ts';

/** A clock that is this far behind what was given out has been set back, and is believed. */
const SET_BACK = toChanged(1_000);

/**
 * When something changed, in microseconds that rise with each change: those of one millisecond are told apart by
 * its last three digits, so that what was written later is the newer one also when it was written at once.
 */
export function createChangeOrder(clock: Clock): () => number {
  let last = 0;
  return () => {
    const now = toChanged(clock.now());
    last = now > last || now < last - SET_BACK ? now : last + 1;
    return last;
  };
}
