import { entityRefOf, type PipelineEvent } from '../core/event/scope.ts';

/** What is stored of an event beside its payload, as both engines read it. */
export interface EventRow {
  readonly type: string;
  readonly icon: string | null;
  readonly sender_id: string | null;
  readonly entity_kind: string | null;
  readonly entity_external_id: string | null;
  readonly happened_at: number;
  readonly received_at: number;
  readonly headers: string | null;
}

export const toPipelineEvent = (id: string, row: EventRow): PipelineEvent => ({
  id,
  type: row.type,
  icon: row.icon,
  senderId: row.sender_id,
  entity: entityRefOf(row.entity_kind, row.entity_external_id),
  happenedAt: row.happened_at,
  receivedAt: row.received_at,
  ...(row.headers === null ? {} : { headers: row.headers }),
});
