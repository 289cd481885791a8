import type { EventState } from '../core/event/event.ts';
import { UNSETTLED } from '../core/event/state.ts';
import { isLate } from '../core/stores/counters.ts';
import {
  deliveryClaimOf,
  type MadeDelivery,
  type RepeatedRun,
  type Settlement,
  type SettleResult,
} from '../core/stores/event-queue.ts';

/** The result of a settlement, put together from what an engine counted while it wrote. */

/** What a settlement has made so far. */
export interface Made {
  deliveries: number;
  readonly claimed: MadeDelivery[];
  /** Dead deliveries that were cancelled because it made them again. */
  replayed: number;
  /** Destinations that it was to make deliveries to. */
  readonly gone: string[];
}

/** Of the event, and of its runs that are not the first by their pipeline. */
export type SettledStates = EventStates & { readonly repeated?: readonly RepeatedRun[] };

/** Of the event, `before` where it was in one. */
type EventStates = Pick<Extract<SettleResult, { kind: 'settled' }>, 'state' | 'before'>;

/** Events mostly make what they were to make, and an answer without news is short on its way between threads. */
export const settledResult = (
  { eventId }: Settlement,
  { deliveries, claimed, replayed, gone }: Made,
  { repeated = [], ...states }: SettledStates,
  at: number,
): SettleResult => ({
  kind: 'settled',
  deliveries,
  ...(claimed.length > 0 ? { claimed } : {}),
  ...states,
  ...(states.state !== null && isLate(eventId, at) ? { isCounted: true } : {}),
  ...(replayed > 0 ? { replayed } : {}),
  ...(gone.length > 0 ? { gone } : {}),
  ...(repeated.length > 0 ? { repeated } : {}),
});

/** An event that was accepted, or put off, had no state yet that anybody counted. */
export const settledBefore = (state: string | undefined): Pick<EventStates, 'before'> =>
  state === undefined || UNSETTLED.includes(state) ? {} : { before: state as EventState };

/** Under which a delivery is made as claimed; null where it is to wait. */
export const tokenOf = (
  { claimedDeliveries }: Settlement,
  run: number,
  destinationId: string,
): string | null =>
  claimedDeliveries?.claims.includes(deliveryClaimOf(run, destinationId)) ? claimedDeliveries.token : null;
