import type { EventState } from '../core/event/event.ts';
import { DEFERRED } from '../core/event/state.ts';
import type { SettleResult } from '../core/stores/event-queue.ts';

/** The result of a settlement, put together from what an engine counted while it wrote. */

/** What a settlement has made so far. */
export interface Made {
  deliveries: number;
  /** Dead deliveries that were cancelled because it made them again. */
  replayed: number;
  /** Destinations that it was to make deliveries to. */
  readonly gone: string[];
}

/** Of the event, `before` where it was in one. */
export type EventStates = Pick<Extract<SettleResult, { kind: 'settled' }>, 'state' | 'before'>;

/** Events mostly make what they were to make, and an answer without news is short on its way between threads. */
export const settledResult = ({ deliveries, replayed, gone }: Made, states: EventStates): SettleResult => ({
  kind: 'settled',
  deliveries,
  ...states,
  ...(replayed > 0 ? { replayed } : {}),
  ...(gone.length > 0 ? { gone } : {}),
});

/** An event that was accepted, or put off, had no state yet that anybody counted. */
export const settledBefore = (state: string | undefined): Pick<EventStates, 'before'> =>
  state === undefined || state === 'accepted' || state === DEFERRED ? {} : { before: state as EventState };
