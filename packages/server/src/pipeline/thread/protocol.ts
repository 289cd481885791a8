import type { RunOutcome, Said, StepTally } from '../../core/event/outcome.ts';
import type { PipelineEvent } from '../../core/event/scope.ts';
import type { RoutingNote, SettledRun } from '../../core/stores/event-queue.ts';
import type { LoadedPipeline } from '../definitions/definitions.ts';
import type { DryRun } from '../ports/port.ts';
import type { PortCall } from '../ports/serve.ts';

/** The protocol between the main thread and a thread of pipelines: runs, reports, and progress. */

/** One event to be run through one pipeline. */
export interface RunRequest {
  readonly orgId: string;
  readonly pipeline: LoadedPipeline;
  readonly event: PipelineEvent;
  readonly payload: string;
  readonly sourceName: string | null;
  /** How often it was tried before. */
  readonly retries: number;
  readonly dryRun?: DryRun;
}

/** How a run ended. */
export type RunReport = {
  readonly tallies: readonly StepTally[];
  /** How long it kept the thread to itself. */
  readonly busyMs: number;
} & (
  | {
      readonly kind: 'settled';
      readonly outcome: RunOutcome['kind'];
      readonly step: number | null;
      readonly reason: string | null;
      readonly trace: string;
      readonly output: string;
      readonly notes: readonly RoutingNote[];
      readonly claims: SettledRun['claims'];
      readonly destinations: readonly string[];
      /** What whoever the failed step asked has answered. */
      readonly said?: Said;
      /** See `SettledRun`. */
      readonly durations: string;
    }
  | {
      readonly kind: 'retry';
      readonly afterMs: number;
      readonly step: number;
      readonly reason: string;
      readonly said: Said | null;
      readonly trace: string;
    }
  /** Storage was away: nobody's fault, and soon tried again. */
  | { readonly kind: 'unavailable' }
);

/** What a thread says of a run: how it ended, or that somebody with more time should do it. */
export type ThreadReport = RunReport | { readonly kind: 'handed_back' };

/** A run that ended without a single step having said so. */
export const failedReport = (step: number | null, reason: string): RunReport => ({
  kind: 'settled',
  outcome: 'failed',
  step,
  reason,
  trace: '{"steps":[],"states":[]}',
  output: '',
  notes: [],
  claims: [],
  destinations: [],
  durations: '',
  tallies: [],
  busyMs: 0,
});

// --- Between the two threads -----------------------------------------------------------------------------

export interface PostedRun extends Omit<RunRequest, 'pipeline'> {
  readonly n: number;
  /** By the name that the pipeline was posted under. */
  readonly pipelineName: string;
}

export type ToThread =
  | {
      readonly kind: 'open';
      readonly secretKey: string;
      readonly progress: SharedArrayBuffer;
      /** Whether runs of a pipeline that proves slow are handed back. */
      readonly handsBack: boolean;
    }
  | {
      readonly kind: 'run';
      readonly pipelines: readonly { readonly name: string; readonly pipeline: LoadedPipeline }[];
      /** Packed: see `pack.ts`. */
      readonly runs: string;
    }
  /** These pipelines may be let go of: what comes for them again brings them along. */
  | { readonly kind: 'invalidate'; readonly names: readonly string[] }
  | { readonly kind: 'answer'; readonly call: number; readonly answer: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly message: string; readonly isAway: boolean };

export type FromThread =
  /** It was opened, and takes runs. */
  | { readonly kind: 'up' }
  /** Packed: see `pack.ts`. */
  | { readonly kind: 'reports'; readonly reports: string }
  | { readonly kind: 'call'; readonly call: number; readonly asked: PortCall };

/**
 * What the thread leaves in shared memory while it works, so that it can be judged while it cannot answer: a count
 * that rises as long as it gets on, and the run and step that it works on.
 */
export const progressFields = { count: 0, run: 1, step: 2 } as const;
export const newProgress = (): Int32Array<SharedArrayBuffer> =>
  new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * 3));
