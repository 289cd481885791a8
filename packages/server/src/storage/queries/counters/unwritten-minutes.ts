import { minutes, seconds } from '../../../core/clock.ts';
import { LATE_MS, UNWRITTEN_MS } from '../../../core/stores/counters.ts';

/** The minutes in which somebody may have counted something that was not written: the first and the last. */
export interface UnwrittenMinutes {
  readonly from: number;
  readonly to: number;
}

const MINUTE = minutes(1);
/** The clocks of nodes and of the database are no further apart, and what is committed is counted by then. */
const MARGIN_MS = seconds(15);

export const startOfMinute = (at: number): number => Math.floor(at / MINUTE) * MINUTE;

/**
 * Whether nobody has counted this minute again so far, by the database's clock. It may be noted for that up to 15 s before
 * it begins, and is due `RECOUNT_AFTER_MS` later: whoever writes until this moment, dead or late, is in time.
 */
export const isNotRecounted = (at: number, now: number): boolean => {
  const age = now - startOfMinute(at);
  return age >= -MARGIN_MS && age < MINUTE + LATE_MS + UNWRITTEN_MS;
};

/** Of whoever was at work between these two moments, and was killed. */
export const minutesOf = (from: number, to: number): UnwrittenMinutes => ({
  from: startOfMinute(from - LATE_MS - UNWRITTEN_MS - MARGIN_MS),
  to: startOfMinute(to + MARGIN_MS),
});
