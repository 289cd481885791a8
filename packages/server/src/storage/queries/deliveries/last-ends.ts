import { sql } from 'kysely';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Operation } from '../../operation.ts';

/** So many of the latest that have ended, and of those that are to be tried again, tell how a destination is. */
const LATEST = 20;

/** Along the indexes of what has ended at a destination and of what is retried there, newest first. */
export const findLastEnds: Operation<DeliveryQueue['findLastEnds']> = async (db, orgId, destinationIds) => {
  const found = [];
  for (const destinationId of destinationIds) {
    const { rows: ended } = await sql<{ state: string; at: number }>`
      SELECT state, max(finished_at) AS at FROM (
        SELECT state, finished_at FROM deliveries
        WHERE finished_at IS NOT NULL AND org_id = ${orgId} AND destination_id = ${destinationId}
        ORDER BY id DESC LIMIT ${LATEST}) AS latest
      GROUP BY state`.execute(db);
    const { rows: retried } = await sql<{ at: number | null }>`
      SELECT max(at + duration_ms) AS at FROM attempts
      WHERE org_id = ${orgId} AND delivery_id IN (
        SELECT id FROM (
          SELECT id FROM deliveries WHERE state = 'retrying' AND destination_id = ${destinationId}
          ORDER BY id DESC LIMIT ${LATEST}) AS latest)`.execute(db);
    const endedAs = (state: string) => ended.find(row => row.state === state)?.at ?? null;
    const failures = [endedAs('dead'), retried[0]?.at ?? null].filter(at => at !== null).map(Number);
    const deliveredAt = endedAs('delivered');
    found.push({
      destinationId,
      deliveredAt: deliveredAt === null ? null : Number(deliveredAt),
      failedAt: failures.length === 0 ? null : Math.max(...failures),
    });
  }
  return found;
};
