import { z } from 'zod';
import { deliveryState, exchangeRecord } from './dashboard-deliveries.ts';
import { eventSummary } from './dashboard-events.ts';
import { runRecord, stoppedRun } from './dashboard-pipelines.ts';

/** What the private calls show of what was sent, of one event with all that became of it, and of dead letters. */

const attemptRecord = z.object({
  n: z.number(),
  at: z.string(),
  duration_ms: z.number(),
  /** What the other side answered with, in its own protocol; null where there was no answer. */
  status: z.number().nullable(),
  /** Null where it was delivered. */
  code: z.string().nullable(),
  message: z.string().nullable(),
  request: z.object({ target: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
  response: z.string(),
  /** Null where none was kept, as of what was delivered. */
  exchange: exchangeRecord.nullable(),
  /** Whether the bodies are shown shorter here than they are kept. */
  cut: z.boolean(),
});
export type AttemptRecord = z.infer<typeof attemptRecord>;

const deliveryRecord = z.object({
  id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  pipeline: z.object({ id: z.string(), name: z.string() }),
  destination: z.object({ id: z.string(), name: z.string(), kind: z.string() }),
  state: deliveryState,
  attempt: z.number(),
  next_attempt_at: z.string().nullable(),
  code: z.string().nullable(),
  /**
   * Of the last response, where that attempt failed; null where there was none, as where its destination was down for
   * too long.
   */
  status: z.number().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
  /** The delivery that a replay made in place of this one, which had died: it is cancelled, with the code `replayed`. */
  replayed_by: z.string().nullable(),
  /** Where it waits for a destination that is down, or was given up for that: since when, and when it was probed. */
  outage: z.object({ down_since: z.string(), last_probe_at: z.string().nullable() }).nullable(),
  attempts: z.array(attemptRecord),
  /** The run of the event that made it. */
  run_id: z.string(),
});
export type DeliveryRecord = z.infer<typeof deliveryRecord>;

const eventRecord = z.object({
  ...eventSummary.shape,
  /** The sender's own id for it. */
  sender_id: z.string().nullable(),
  /** What a webhook came with, by lower-case name; absent where none are kept. */
  headers: z.record(z.string(), z.string()).optional(),
  /** When its payload was erased on request. */
  erased_at: z.string().nullable(),
  /** While it waits to be tried again: when, how often it was tried, and where its runs stopped. */
  waiting: z.object({ until: z.string(), retries: z.number(), runs: z.array(stoppedRun) }).nullable(),
  payload: z.unknown(),
  runs: z.array(runRecord),
  /** Whether there are older runs than those shown. */
  runs_cut: z.boolean(),
  deliveries: z.array(deliveryRecord),
  /** Whether there are older deliveries than those shown. */
  deliveries_cut: z.boolean(),
});
export type EventRecord = z.infer<typeof eventRecord>;

/** A delivery that is dead. */
const deadDelivery = z.object({
  kind: z.literal('delivery'),
  ...deliveryRecord.shape,
  reason: z.string().nullable(),
});
/** An event that failed in a pipeline. */
const failedEvent = z.object({
  kind: z.literal('event'),
  id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  state: z.string(),
  received_at: z.string(),
  failures: z.array(
    z.object({
      pipeline: z.object({ id: z.string(), name: z.string(), version: z.number() }),
      step: z.number().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  reason: z.string().nullable(),
});
type DeadDelivery = z.infer<typeof deadDelivery>;
type FailedEvent = z.infer<typeof failedEvent>;
export type DeadLetter = DeadDelivery | FailedEvent;

/** How many match, and by what they can be told apart. Past `most` nobody counts on. */
const deadLetterSummary = z.object({
  deliveries: z.number(),
  events: z.number(),
  most: z.number(),
  by_destination: z.array(
    z.object({
      destination: z.object({ id: z.string(), name: z.string(), kind: z.string() }),
      code: z.string().nullable(),
      status: z.number().nullable(),
      count: z.number(),
      /** The start of what came back last, or else why nothing did. */
      message: z.string().nullable(),
    }),
  ),
  by_pipeline: z.array(
    z.object({
      pipeline: z.object({ id: z.string(), name: z.string() }),
      /** Counted from 0; null where it failed at no step. */
      step: z.number().nullable(),
      reason: z.string().nullable(),
      count: z.number(),
    }),
  ),
});
export type DeadLetterSummary = z.infer<typeof deadLetterSummary>;
