import type { JsonObject } from '../json/json.ts';
import type { DedupeClaim } from '../kinds/step-ports.ts';

/**
 * What a step may say, and how a run may end. Both sets are closed: `pipeline/run.ts` is the only reader of the
 * first, settling the only reader of the second.
 */
export type StepOutcome =
  | {
      readonly kind: 'keep';
      /** Left out where the step did not change it. */
      readonly payload?: JsonObject;
      readonly labels?: JsonObject;
      readonly note?: string;
      /** To be written when the run is settled. */
      readonly claim?: DedupeClaim;
      readonly tally?: Tally;
    }
  | { readonly kind: 'drop'; readonly note: string }
  /** The cause lies outside the event: try again later. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly reason: string; readonly tally?: Tally }
  | { readonly kind: 'fail'; readonly reason: string; readonly tally?: Tally };

/** What is counted while steps run: what a model was asked, and what it did not have to be asked. */
export const tallies = ['model_called', 'cache_hit', 'call_shared'] as const;
export type Tally = (typeof tallies)[number];

export type RunOutcome =
  | { readonly kind: 'routed' }
  | { readonly kind: 'dropped'; readonly step: number; readonly stepKind: string; readonly reason: string }
  | { readonly kind: 'failed'; readonly step: number; readonly stepKind: string; readonly reason: string };

/**
 * Where an event failed of which nobody could find out what it was to go through. As part of a plan it stands for
 * every pipeline that listens by then, and once these are through with the event that failure is made good.
 */
export const UNKNOWN_PIPELINE = 'unknown';

export const runOutcomes = ['routed', 'dropped', 'failed'] as const satisfies readonly RunOutcome['kind'][];

export const stepOutcomes = ['kept', 'changed', 'dropped', 'failed'] as const;
/** What a trace says that a step did. */
export type TracedOutcome = (typeof stepOutcomes)[number];
