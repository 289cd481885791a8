import type { Batch } from './batch.ts';

/** Where events are kept beside memory, so that they outlive a crash of the process. */
export interface Spool {
  /** What a former process left, in its order. */
  load(): Batch[];
  /** An event of the batch that will have this key. */
  append(key: string, event: Uint8Array): void;
  /** No event is added to it any more. */
  close(batch: Batch): void;
  /** In one step, so that no event is ever in two batches or in none. By nothing: it is stored. */
  replace(batch: Batch, by: readonly Batch[]): void;
  /** Leaves what is there to whoever comes next. */
  release(): void;
}
