import { type SqlBool, sql } from 'kysely';
import type { Deliveries } from '../../core/ports-delivery.ts';
import type { Operation } from '../operation.ts';

/** How deliveries end, begin again and go, other than by an attempt. */

export const expireDeliveries: Operation<Deliveries['expireDeliveries']> = async (
  db,
  orgId,
  destinationId,
  { attemptsMade, dueBefore },
  at,
  limit,
) => {
  const vain = db
    .selectFrom('deliveries')
    .select('id')
    .where(sql<SqlBool>`state IN ('pending', 'retrying')`)
    .where('destination_id', '=', destinationId)
    .where('due_at', '<', dueBefore)
    .where(sql<SqlBool>`attempt - budget_from = ${attemptsMade}`)
    .orderBy('due_at')
    .limit(limit);
  const ended = await db
    .updateTable('deliveries')
    .set({ state: 'dead', code: 'destination_down', finished_at: at })
    .where('org_id', '=', orgId)
    .where('id', 'in', vain)
    .returning('id')
    .execute();
  return ended.length;
};

export const cancelOrphans: Operation<Deliveries['cancelOrphans']> = async (db, at, limit) => {
  const orphans = await sql<{ org_id: string; id: string }>`
    SELECT deliveries.org_id, deliveries.id FROM deliveries
    WHERE state IN ('pending', 'retrying') AND NOT EXISTS (
      SELECT 1 FROM destinations
      WHERE destinations.org_id = deliveries.org_id AND destinations.id = deliveries.destination_id)
    LIMIT ${limit}`.execute(db);
  for (const { org_id, id } of orphans.rows) {
    await db
      .updateTable('deliveries')
      .set({ state: 'cancelled', finished_at: at })
      .where('org_id', '=', org_id)
      .where('id', '=', id)
      .where(sql<SqlBool>`state IN ('pending', 'retrying')`)
      .execute();
  }
  return orphans.rows.length;
};

export const retryDelivery: Operation<Deliveries['retryDelivery']> = async (db, orgId, id, at) =>
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

export const discardDelivery: Operation<Deliveries['discardDelivery']> = async (db, orgId, id, at) =>
  (await db
    .updateTable('deliveries')
    .set({ state: 'cancelled', finished_at: at, lease_token: null, lease_until: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'retrying', 'delivering', 'dead'])
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const pruneDeliveries: Operation<Deliveries['pruneDeliveries']> = async (
  db,
  orgId,
  states,
  before,
  limit,
) => {
  const ended = await db
    .selectFrom('deliveries')
    .select('id')
    .where('org_id', '=', orgId)
    .where('state', 'in', [...states])
    .where('finished_at', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute();
  const ids = ended.map(row => row.id);
  if (ids.length === 0) return 0;
  await db.deleteFrom('attempts').where('org_id', '=', orgId).where('delivery_id', 'in', ids).execute();
  await db.deleteFrom('deliveries').where('org_id', '=', orgId).where('id', 'in', ids).execute();
  return ids.length;
};
