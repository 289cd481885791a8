import type { ClaimedDelivery, EndedAttempt } from '../core/stores/delivery-queue.ts';
import { type EventRow, toPipelineEvent } from './event-row.ts';
import { fullOutput, outputColumn } from './kept-run.ts';

/** What both engines read of a delivery that they hand out: of itself, its run and its event. */
export const claimedDeliveryColumns = `delivery.id, delivery.org_id, delivery.destination_id, delivery.event_id,
  delivery.attempt, delivery.budget_from, delivery.due_at,
  coalesce(delivery.budget_at, delivery.created_at) AS budget_at,
  CASE WHEN delivery.budget_at IS NULL THEN 0 ELSE 1 END AS is_retried, ${outputColumn} AS output,
  event.payload, event.type, event.icon, event.sender_id,
  event.entity_kind, event.entity_external_id, event.happened_at, event.received_at, event.headers,
  coalesce(delivery.run_source_name, run.source_name) AS source_name,
  coalesce(delivery.run_job_id, run.replay_job_id) AS replay_job_id`;

export const claimedDeliveryJoins = `
  LEFT JOIN runs AS run
    ON run.org_id = delivery.org_id AND run.event_id = delivery.event_id AND run.id = delivery.run_id
  JOIN events AS event ON event.org_id = delivery.org_id AND event.id = delivery.event_id`;

export interface ClaimedDeliveryRow extends EventRow {
  readonly id: string;
  readonly org_id: string;
  readonly destination_id: string;
  readonly event_id: string;
  readonly attempt: number;
  readonly budget_from: number;
  readonly budget_at: number;
  readonly is_retried: number;
  readonly due_at: number;
  readonly output: string;
  readonly payload: string;
  readonly source_name: string | null;
  readonly replay_job_id: string;
}

export const toClaimedDelivery = (row: ClaimedDeliveryRow): ClaimedDelivery => ({
  id: row.id,
  orgId: row.org_id,
  destinationId: row.destination_id,
  event: toPipelineEvent(row.event_id, row),
  output: fullOutput(row.output, row.payload),
  sourceName: row.source_name,
  isReplay: row.replay_job_id !== '',
  attempt: row.attempt,
  budgetFrom: row.budget_from,
  budgetAt: row.budget_at,
  isRetried: row.is_retried === 1,
  dueAt: row.due_at,
});

/** Of what went out as a probe, so many attempts are kept: an outage may take days, and probes spend no budget. */
const MOST_PROBES_KEPT = 50;

/** Removes a delivery's older probes, and none of its own attempts. */
export const forgetProbes = (orgId: string, deliveryId: string) => `
  DELETE FROM attempts WHERE org_id = ${orgId} AND delivery_id = ${deliveryId} AND is_probe = 1 AND n <= (
    SELECT n FROM attempts WHERE org_id = ${orgId} AND delivery_id = ${deliveryId} AND is_probe = 1
    ORDER BY n DESC LIMIT 1 OFFSET ${MOST_PROBES_KEPT})`;

/** Whether an attempt is none of its delivery's budget. */
export const isUnspent = ({ next }: EndedAttempt): boolean =>
  next.state === 'retrying' && next.isUnspent === true;

/** When a delivery ended with this attempt; null where it goes on. */
export const finishedAt = ({ next, attempt }: EndedAttempt): number | null =>
  next.state === 'retrying' ? null : attempt.at + attempt.durationMs;
