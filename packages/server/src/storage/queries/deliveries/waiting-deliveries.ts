import { sql } from 'kysely';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Operation } from '../../operation.ts';

/**
 * What waits at one destination, along the index by when it is due. The id of a destination says whose it is; the
 * organisation is compared as an expression, so that no planner prefers an index that holds all that was delivered.
 */

const isWaiting = (orgId: string, destinationId: string) => sql`
  state IN ('pending', 'retrying') AND destination_id = ${destinationId} AND org_id || '' = ${orgId}`;

interface WaitingRow {
  readonly id: string;
  readonly due_at: number;
  readonly waiting_from: number;
  readonly made: number;
  readonly budget_at: number;
}

export const listWaiting: Operation<DeliveryQueue['listWaiting']> = async (
  db,
  orgId,
  destinationId,
  { dueBy, after, limit },
) => {
  const { rows } = await sql<WaitingRow>`
    SELECT id, due_at, coalesce(waiting_from, due_at) AS waiting_from, attempt - budget_from AS made,
      coalesce(budget_at, created_at) AS budget_at
    FROM deliveries
    WHERE ${isWaiting(orgId, destinationId)} AND due_at <= ${dueBy}
      ${
        after === null
          ? sql``
          : sql`AND due_at >= ${after.dueAt} AND (due_at > ${after.dueAt} OR id > ${after.id})`
      }
    ORDER BY due_at, id LIMIT ${limit}`.execute(db);
  return rows.map(row => ({
    id: row.id,
    dueAt: Number(row.due_at),
    waitingFrom: Number(row.waiting_from),
    attemptsMade: Number(row.made),
    budgetAt: Number(row.budget_at),
  }));
};

export const readBacklogOf: Operation<DeliveryQueue['readBacklogOf']> = async (
  db,
  orgId,
  destinationId,
  most,
) => {
  const { rows } = await sql<{ waiting: number; first_due_at: number | null }>`
    SELECT (SELECT count(*) FROM (
        SELECT 1 FROM deliveries WHERE ${isWaiting(orgId, destinationId)} LIMIT ${most}) AS found) AS waiting,
      (SELECT due_at FROM deliveries WHERE ${isWaiting(orgId, destinationId)}
       ORDER BY due_at LIMIT 1) AS first_due_at`.execute(db);
  const row = rows[0];
  return {
    waiting: Number(row?.waiting ?? 0),
    firstDueAt: row?.first_due_at == null ? null : Number(row.first_due_at),
  };
};
