import { minutes } from '../../../core/clock.ts';
import { CLOCKS_APART_MS, LATE_MS, UNWRITTEN_MS, WRITTEN_BY_MS } from '../../../core/stores/counters.ts';

/** The minutes in which somebody may have counted something that was not written: the first and the last. */
export interface UnwrittenMinutes {
  readonly from: number;
  readonly to: number;
}

const MINUTE = minutes(1);

export const startOfMinute = (at: number): number => Math.floor(at / MINUTE) * MINUTE;

/**
 * Whether nobody has counted this minute again so far, by the database's clock. It may be noted for that as long before
 * it begins as clocks are apart, and is due `RECOUNT_AFTER_MS` later: whoever writes until this moment, dead or late, is
 * in time.
 */
export const isNotRecounted = (at: number, now: number): boolean => {
  const age = now - startOfMinute(at);
  return age >= -CLOCKS_APART_MS && age < WRITTEN_BY_MS;
};

/** Of whoever was at work between these two moments, and was killed. */
export const minutesOf = (from: number, to: number): UnwrittenMinutes => ({
  from: startOfMinute(from - LATE_MS - UNWRITTEN_MS - CLOCKS_APART_MS),
  to: startOfMinute(to + CLOCKS_APART_MS),
});
