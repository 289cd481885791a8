import type { ClaimedEvent, PlannedRun } from '../core/stores/event-queue.ts';
import { toPipelineEvent } from './event-row.ts';
import type { Schema } from './schema.ts';

/** The columns of an event that a pipeline needs, and how both engines read them. */
export const claimedColumns = [
  'org_id',
  'id',
  'type',
  'icon',
  'sender_id',
  'entity_kind',
  'entity_external_id',
  'happened_at',
  'received_at',
  'source_id',
  'payload',
  'headers',
] as const satisfies readonly (keyof Schema['events'])[];

export type ClaimedRow = Pick<Schema['events'], (typeof claimedColumns)[number]>;

interface ClaimTerms {
  readonly token: string;
  readonly tries: number;
  /** Empty: no replay. */
  readonly jobId: string;
  readonly plan: string | null;
}

export const toClaimedEvent = (row: ClaimedRow, terms: ClaimTerms): ClaimedEvent => ({
  orgId: row.org_id,
  event: toPipelineEvent(row.id, row),
  payload: row.payload,
  sourceId: row.source_id,
  jobId: terms.jobId === '' ? null : terms.jobId,
  plan: terms.plan === null ? null : (JSON.parse(terms.plan) as PlannedRun[]),
  token: terms.token,
  tries: terms.tries,
});

/** Parked runs wait together: the event is taken up again when the first of them is due. */
export const dueAtOf = (parked: readonly PlannedRun[]): number =>
  Math.min(...parked.map(({ dueAt }) => dueAt));
