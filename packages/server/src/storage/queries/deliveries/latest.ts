import { sql } from 'kysely';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/**
 * What speaks for a group of deliveries is the one of them that was made last: its destination is called as it was then,
 * and what came of its last attempt is what the group failed with.
 */

/** So much of a response says what it is about. */
const LONGEST_MESSAGE = 300;

interface Latest {
  readonly name: string;
  readonly kind: string;
  readonly message: string | null;
}

export async function findLatest(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, Latest>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('deliveries')
    .leftJoin('attempts', join =>
      join
        .onRef('attempts.org_id', '=', 'deliveries.org_id')
        .onRef('attempts.delivery_id', '=', 'deliveries.id')
        .onRef('attempts.n', '=', 'deliveries.attempt'),
    )
    .select([
      'deliveries.id',
      'destination_name as name',
      'destination_kind as kind',
      'attempts.message',
      sql<string | null>`substr(attempts.response, 1, ${sql.lit(LONGEST_MESSAGE)})`.as('response'),
    ])
    .where('deliveries.org_id', '=', orgId)
    .where('deliveries.id', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ id, name, kind, message, response }) => [
      id,
      { name, kind, message: response?.trim() || message },
    ]),
  );
}

export const findLastMessages: Operation<DeliveryQueue['findLastMessages']> = async (
  db,
  orgId,
  deliveryIds,
) => {
  const latest = await findLatest(db, orgId, deliveryIds);
  return new Map([...latest].map(([id, { message }]) => [id, message]));
};
