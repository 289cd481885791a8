import { z } from 'zod';
import type { StoredFailure } from '../stores/dead-letters.ts';
import type { StoredAttempt, StoredDelivery } from '../stores/delivery.ts';
import type { Job } from '../stores/jobs.ts';
import type { JobOrigin } from './new-job.ts';

/** All dead letters of a selection once more, as a job; the selection is its request. */
export const RETRY_JOB = 'dead_letters.retry';
/** All dead letters of a selection out of the list, as a job. */
export const DISCARD_JOB = 'dead_letters.discard';

/** A job that a version before this one began had these names: it goes on, and nothing is retried beside its filter. */
const withoutOldNames = (filter: unknown): unknown => {
  const { endedAfter, endedBefore, ...rest } = filter as Record<string, unknown>;
  return { madeAfter: endedAfter, madeBefore: endedBefore, ...rest };
};

const selectionFilter = z.preprocess(
  withoutOldNames,
  z.object({
    kind: z.enum(['delivery', 'event']).optional(),
    pipeline: z.string().optional(),
    event: z.string().optional(),
    destination: z.string().optional(),
    code: z.string().optional(),
    status: z.number().nullable().optional(),
    step: z.number().nullable().optional(),
    reason: z.string().optional(),
    ids: z.array(z.string()).optional(),
    endedBy: z.number().optional(),
    madeAfter: z.number().optional(),
    madeBefore: z.number().optional(),
    receivedAfter: z.number().optional(),
    receivedBefore: z.number().optional(),
  }),
);

/** Which dead letters, in the words of storage: deliveries by when they were made, events by when they came in. */
export const deadLetterSelection = z.object({
  filter: selectionFilter,
  /** Whether deliveries that are dead can be among them, and events that failed. */
  deliveries: z.boolean(),
  events: z.boolean(),
});
export type DeadLetterSelection = z.output<typeof deadLetterSelection>;

export const readSelection = ({ request }: Pick<Job, 'request'>): DeadLetterSelection =>
  deadLetterSelection.parse(JSON.parse(request));

/** A delivery that is dead, or an event that failed, with all that says why. */
export type StoredDeadLetter =
  | {
      readonly kind: 'delivery';
      readonly delivery: StoredDelivery;
      /** Oldest first. */
      readonly attempts: readonly StoredAttempt[];
    }
  | {
      readonly kind: 'event';
      readonly id: string;
      readonly failures: readonly [StoredFailure, ...StoredFailure[]];
    };

interface ExportedLetter {
  /** Null where it is none any more: it was retried, discarded or erased since it was found. */
  readonly letter: StoredDeadLetter | null;
  /** The JSON text of its event's payload; null where that is gone. */
  readonly payload: string | null;
  /** Whoever goes on below it has the next one. */
  readonly place: string;
}

/** What the web asks of delivery about dead letters as a whole. */
export interface DeadLetterActions {
  /** Newest first. `next` is where the page after this one begins; null at the end. */
  list(
    orgId: string,
    selection: DeadLetterSelection,
    page: { readonly limit: number; readonly below: string | null },
  ): Promise<{ readonly letters: StoredDeadLetter[]; readonly next: string | null }>;
  /** Counts no further than `most`. */
  count(
    orgId: string,
    selection: DeadLetterSelection,
    most?: number,
  ): Promise<{ readonly deliveries: number; readonly events: number }>;
  /** One at a time, from below a place on. */
  export(
    orgId: string,
    selection: DeadLetterSelection,
    below?: string | null,
  ): AsyncGenerator<ExportedLetter, void>;
  readonly retry: StartLetterJob;
  readonly discard: StartLetterJob;
}

/** Starts a job, or answers the one that does the same already. */
export type StartLetterJob = (
  orgId: string,
  selection: DeadLetterSelection,
  origin: JobOrigin,
) => Promise<{ readonly job: Job; readonly isNew: boolean }>;
