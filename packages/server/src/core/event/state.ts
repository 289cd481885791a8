import type { EventState } from './event.ts';
import type { RunOutcome } from './outcome.ts';

/** What an event's state is once these are the outcomes of its pipelines, of each the latest. */
export function stateAfter(outcomes: readonly RunOutcome['kind'][]): EventState {
  if (outcomes.length === 0) return 'unrouted';
  if (outcomes.includes('routed')) return 'processed';
  return outcomes.includes('failed') ? 'failed' : 'dropped';
}

/**
 * The state of an event that the node which accepted it works on, as its row says, from memory. Nobody is shown it: it
 * is accepted still.
 */
export const CLAIMED = 'claimed';

/** The state that an event is stored with. */
export function firstStateOf(how: { readonly claimToken?: string; readonly unrouted?: object }): string {
  if (how.unrouted !== undefined) return stateAfter([]);
  return how.claimToken === undefined ? 'accepted' : CLAIMED;
}

/** The state of an event that waits for one of its runs to be tried again. Nobody is shown it: it is accepted still. */
export const DEFERRED = 'deferred';

/** All that is shown as accepted. */
export const UNSETTLED: readonly string[] = ['accepted', CLAIMED, DEFERRED];

/** An event's state as everybody outside is told it. */
export const shownState = (state: string): EventState =>
  UNSETTLED.includes(state) ? 'accepted' : (state as EventState);
