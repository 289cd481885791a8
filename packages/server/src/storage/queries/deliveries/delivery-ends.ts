import { type SqlBool, sql } from 'kysely';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { ownerOfWaiting, waitingIds } from '../counters/waiting.ts';
import { canProbe, isHeld } from './held.ts';

/** How deliveries end, begin again and go, other than by an attempt. */

export const expireDeliveries: Operation<DeliveryQueue['expireDeliveries']> = async (
  db,
  { orgId, id, asOf },
  ids,
  { downSince, probedAt },
  at,
) => {
  if (ids.length === 0) return 0;
  const ended = await db
    .updateTable('deliveries')
    .set({
      state: 'dead',
      code: 'destination_down',
      attempt_status: null,
      finished_at: at,
      down_since: downSince,
      probed_at: probedAt,
    })
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .where('state', 'in', ['pending', 'retrying'])
    .where(eb =>
      eb.exists(
        eb
          .selectFrom('destinations')
          .select('destinations.id')
          .where('destinations.org_id', '=', orgId)
          .where('destinations.id', '=', id)
          .where(sql<SqlBool>`NOT ${isHeld}`)
          .where('breaker_opened_at', '=', downSince)
          .where('updated_at', '=', asOf),
      ),
    )
    .returning('id')
    .execute();
  return ended.length;
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

export const hastenFirst: Operation<DeliveryQueue['hastenFirst']> = async (db, orgId, destinationId, at) => {
  const { rows } = await sql<{ id: string }>`
    UPDATE deliveries SET due_at = ${at}, waiting_from = coalesce(waiting_from, due_at)
    WHERE org_id = ${orgId} AND state IN ('pending', 'retrying') AND due_at > ${at}
      AND id = (
        SELECT id FROM deliveries
        WHERE state IN ('pending', 'retrying') AND destination_id = ${destinationId} ORDER BY due_at, id LIMIT 1)
      AND EXISTS (
        SELECT 1 FROM destinations WHERE destinations.org_id = ${orgId} AND destinations.id = ${destinationId}
          AND ${canProbe(at)})
    RETURNING id`.execute(db);
  return rows.length > 0;
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
      budget_at: at,
      due_at: at,
      waiting_from: null,
      code: null,
      attempt_status: null,
      finished_at: null,
      down_since: null,
      probed_at: null,
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

/** Those of them that are dead still. */
export const discardDead = async (
  db: Db,
  orgId: string,
  ids: readonly string[],
  at: number,
): Promise<number> => {
  if (ids.length === 0) return 0;
  const discarded = await db
    .updateTable('deliveries')
    .set({ state: 'cancelled', finished_at: at })
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .where('state', '=', 'dead')
    .returning('id')
    .execute();
  return discarded.length;
};

export const discardDelivery: Operation<DeliveryQueue['discardDelivery']> = async (db, orgId, id, at) =>
  (await db
    .updateTable('deliveries')
    .set({ state: 'cancelled', finished_at: at, lease_token: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'retrying', 'delivering', 'dead'])
    .returning('id')
    .executeTakeFirst()) !== undefined;
