import type { Batch } from './batch.ts';

/** Where events are kept beside memory, so that they outlive a crash of the process. */
export interface Spool {
  /** What a former process left, in its order. */
  load(): Batch[];
  append(batch: Batch, event: string): void;
  /** No event is added to it any more. */
  close(batch: Batch): void;
  replace(batch: Batch, by: readonly Batch[]): void;
  remove(batch: Batch): void;
}
