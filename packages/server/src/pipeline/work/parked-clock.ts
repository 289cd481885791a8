import { type Clock, days, minutes } from '../../core/clock.ts';
import type { EventQueue } from '../../core/stores/event-queue.ts';

/**
 * Events that wait to be tried again, and a clock that goes back: what was parked before would wait for as long as it
 * went back. Whoever sees it go back makes all of that due. Whoever has just started cannot know whether it did, and
 * takes only what gives it away: what is due later than it can be, or was received later than now.
 */

/** Less than this may well be waited for. */
const LEAST_JUMP_MS = minutes(1);
/** No step puts an event off for longer, jitter included. */
const LONGEST_WAIT_MS = days(1.2);
const BROUGHT_AT_ONCE = 500;

/** To be called now and then. What fails is done the next time. */
export function createClockCheck(options: {
  readonly eventQueue: Pick<EventQueue, 'bringParkedForward'>;
  readonly clock: Clock;
  onBroughtForward(): void;
}): () => Promise<void> {
  const { eventQueue, clock } = options;
  let lastSeen: number | null = null;

  return async () => {
    const now = clock.now();
    const wentBack = lastSeen !== null && now < lastSeen - LEAST_JUMP_MS;
    if (lastSeen === null || wentBack) {
      const latest = wentBack ? now : now + LONGEST_WAIT_MS;
      for (let brought = BROUGHT_AT_ONCE; brought >= BROUGHT_AT_ONCE; ) {
        brought = await eventQueue.bringParkedForward(latest, now, BROUGHT_AT_ONCE);
        if (brought > 0) options.onBroughtForward();
      }
    }
    lastSeen = now;
  };
}
