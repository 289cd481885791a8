import { sql } from 'kysely';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Operation } from '../../operation.ts';
import { ownerOfWaiting, waitingIds } from '../counters/waiting.ts';

/** How deliveries end, begin again and go, other than by an attempt. */

export const expireDeliveries: Operation<DeliveryQueue['expireDeliveries']> = async (
  db,
  orgId,
  destinationId,
  longestWaits,
  at,
  lookedAt,
  downSince,
) => {
  const dueBefore = (wait: number) => (downSince < at - wait ? at - wait : 0);
  const latest = longestWaits.map((wait, made) => sql`WHEN ${made} THEN CAST(${dueBefore(wait)} AS BIGINT)`);
  const shortest = dueBefore(longestWaits.at(-1) ?? 0);
  const { rows } = await sql<{ id: string }>`
    UPDATE deliveries SET state = 'dead', code = 'destination_down', finished_at = ${at}
    WHERE org_id = ${orgId} AND state IN ('pending', 'retrying') AND id IN (
      SELECT id FROM (
        SELECT id, due_at, attempt - budget_from AS made FROM deliveries
        WHERE state IN ('pending', 'retrying') AND destination_id = ${destinationId}
        ORDER BY due_at LIMIT ${lookedAt}) AS longest_due
      WHERE due_at < CASE made ${sql.join(latest, sql` `)} ELSE CAST(${shortest} AS BIGINT) END)
    RETURNING id`.execute(db);
  return rows.length;
};

export const bringForward: Operation<DeliveryQueue['bringForward']> = async (
  db,
  orgId,
  destinationId,
  latest,
  at,
  limit,
) => {
  const { rows } = await sql<{ id: string }>`
    UPDATE deliveries SET due_at = ${at}
    WHERE org_id = ${orgId} AND state IN ('pending', 'retrying') AND id IN (
      SELECT id FROM deliveries
      WHERE state IN ('pending', 'retrying') AND destination_id = ${destinationId}
        AND (due_at > ${latest.retrying} OR (state = 'pending' AND due_at > ${latest.pending}))
      LIMIT ${limit})
    RETURNING id`.execute(db);
  return rows.length;
};

export const cancelOrphans: Operation<DeliveryQueue['cancelOrphans']> = async (db, at, limit) => {
  const orphaned = await sql<{ id: string }>`
    ${waitingIds}
    SELECT id FROM waiting
    WHERE id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM destinations
      WHERE destinations.id = waiting.id AND destinations.org_id = ${ownerOfWaiting})
    LIMIT 1`.execute(db);
  const [gone] = orphaned.rows;
  if (gone === undefined) return 0;
  const cancelled = await sql<{ id: string }>`
    UPDATE deliveries SET state = 'cancelled', finished_at = ${at}
    WHERE state IN ('pending', 'retrying') AND destination_id = ${gone.id} AND id IN (
      SELECT id FROM deliveries
      WHERE state IN ('pending', 'retrying') AND destination_id = ${gone.id} LIMIT ${limit})
    RETURNING id`.execute(db);
  return cancelled.rows.length;
};

export const retryDelivery: Operation<DeliveryQueue['retryDelivery']> = async (db, orgId, id, at) =>
  (await db
    .updateTable('deliveries')
    .set(eb => ({
      state: 'pending',
      budget_from: eb.ref('attempt'),
      due_at: at,
      code: null,
      finished_at: null,
    }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'dead')
    .where(eb =>
      eb.exists(
        eb
          .selectFrom('destinations')
          .select('destinations.id')
          .where('destinations.org_id', '=', orgId)
          .whereRef('destinations.id', '=', 'deliveries.destination_id'),
      ),
    )
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const discardDelivery: Operation<DeliveryQueue['discardDelivery']> = async (db, orgId, id, at) =>
  (await db
    .updateTable('deliveries')
    .set({ state: 'cancelled', finished_at: at, lease_token: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'retrying', 'delivering', 'dead'])
    .returning('id')
    .executeTakeFirst()) !== undefined;
