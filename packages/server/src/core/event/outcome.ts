/** Outcomes: how runs and steps may end, and what is counted on the way. */

/** What is counted while steps run: what a model was asked, and what it did not have to be asked. */
export const tallies = ['model_called', 'cache_hit', 'call_shared'] as const;
export type Tally = (typeof tallies)[number];
/** By the place of the step that was counted. */
export interface StepTally {
  readonly tally: Tally;
  readonly step: number;
}

/** What whoever a step asked has answered: its status, null where none came, and the beginning of its body. */
export interface Said {
  readonly status: number | null;
  readonly body: string | null;
}

/** One try of a step that did not end its run well. */
export interface FailedTry {
  readonly at: number;
  readonly reason: string;
  readonly said: Said | null;
}

/** How a run may end. The set is closed, and settling is its only reader. */
export type RunOutcome =
  | { readonly kind: 'routed' }
  | { readonly kind: 'dropped'; readonly step: number; readonly stepKind: string; readonly reason: string }
  | { readonly kind: 'failed'; readonly step: number; readonly stepKind: string; readonly reason: string };

/**
 * Where an event failed of which nobody could find out what it was to go through. As part of a plan it stands for
 * every pipeline that listens by then, and once these are through with the event that failure is resolved.
 */
export const UNKNOWN_PIPELINE = 'unknown';

/** What a trace says that a step did. */
export type TracedOutcome = 'kept' | 'changed' | 'dropped' | 'failed';
