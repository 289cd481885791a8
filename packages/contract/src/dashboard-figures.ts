import { z } from 'zod';
import type { CappedCountRecord, PresentRecord } from './dashboard-overview.ts';

/** Private calls for the figures of lists, of one pipeline, and of the side bar. */

/** Of the last hour or the last day: what a list says of a hundred rows at once. */
export const listFiguresQuery = z.strictObject({
  minutes: z.enum(['60', '1440'], 'must be 60 or 1440.').default('60').transform(Number),
});

/** A line of numbers, one for each stretch of `step_s` seconds from `from` on; the last one is not over yet. */
interface Lines {
  readonly from: string;
  readonly step_s: number;
}

export interface DestinationRowFigures {
  readonly id: string;
  /** Deliveries that were made within the time, by the state that they are in now. */
  readonly present: PresentRecord;
  /** All that waits, is retried or held, whenever it was made. */
  readonly open: CappedCountRecord;
  /** Milliseconds from accepted to delivered; null where nothing was. */
  readonly p95_ms: number | null;
  /** The last attempt that failed, however long ago. */
  readonly last_error: { readonly at: string; readonly message: string } | null;
  readonly line: readonly number[];
}
export type DestinationListFigures = Lines & { readonly rows: readonly DestinationRowFigures[] };

export interface SourceRowFigures {
  readonly id: string;
  readonly received: number;
  /** Null where requests are not rejected source by source. */
  readonly rejected: number | null;
  readonly line: readonly number[];
}
export type SourceListFigures = Lines & { readonly rows: readonly SourceRowFigures[] };

/** Of events that came in within the time, each once, as their latest run ended; p95 is that of all steps together. */
interface RunFigures {
  readonly in: number;
  readonly dropped: number;
  /** Those of them that are dead letters now. */
  readonly failed: CappedCountRecord;
  readonly p95_ms: number | null;
}
export type PipelineRowFigures = RunFigures & { readonly id: string; readonly line: readonly number[] };
export type PipelineListFigures = Lines & { readonly rows: readonly PipelineRowFigures[] };

/** Of one pipeline: all its runs within the time, and step by step those of its present version. */
export interface PipelineFigures extends RunFigures {
  readonly version: number;
  /** Since when that version processes events. */
  readonly since: string;
  readonly steps: readonly StepFigures[];
  /** Of all its versions. */
  readonly classify: ClassifyFigures;
}

export type StepFigures = RunFigures & { readonly classify: ClassifyFigures };

/** What `classify` steps asked of models, and what they did not have to ask. */
export interface ClassifyFigures {
  readonly model_called: number;
  readonly cache_hit: number;
  readonly call_shared: number;
}

/** What the side bar says beside its pages. */
export interface BadgesRecord {
  readonly dead_letters: CappedCountRecord;
  readonly destinations_down: number;
  readonly running_jobs: number;
}
