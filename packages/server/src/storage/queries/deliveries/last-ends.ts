import { sql } from 'kysely';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/** So many of the latest that have ended, and of those that are to be tried again, tell how a destination is. */
const LATEST = 20;
/** So many destinations are looked at with one statement. */
const DESTINATIONS_AT_ONCE = 100;

export const findLastEnds: Operation<DeliveryQueue['findLastEnds']> = async (db, orgId, destinationIds) => {
  const ends: End[] = [];
  for (let from = 0; from < destinationIds.length; from += DESTINATIONS_AT_ONCE)
    ends.push(...(await latestEnds(db, orgId, destinationIds.slice(from, from + DESTINATIONS_AT_ONCE))));
  const ofEach = Map.groupBy(ends, ({ id }) => id);
  return destinationIds.map(destinationId => {
    const latest = (...states: string[]): number | null => {
      const some = (ofEach.get(destinationId) ?? []).filter(({ state }) => states.includes(state));
      return some.length === 0 ? null : Math.max(...some.map(({ at }) => at));
    };
    return { destinationId, deliveredAt: latest('delivered'), failedAt: latest('dead', 'retrying') };
  });
};

interface End {
  readonly id: string;
  readonly state: string;
  readonly at: number;
}

/** Along the indexes of what has ended at a destination and of what is retried there, newest first. */
async function latestEnds(db: Db, orgId: string, destinationIds: readonly string[]): Promise<End[]> {
  const parts = destinationIds.map(
    id => sql`
      SELECT CAST(${id} AS TEXT) AS id, state, max(finished_at) AS at FROM (
        SELECT state, finished_at FROM deliveries
        WHERE finished_at IS NOT NULL AND org_id = ${orgId} AND destination_id = ${id}
        ORDER BY id DESC LIMIT ${LATEST}) AS latest
      GROUP BY state
      UNION ALL
      SELECT CAST(${id} AS TEXT), 'retrying', max(at + duration_ms) FROM attempts
      WHERE org_id = ${orgId} AND delivery_id IN (
        SELECT id FROM (
          SELECT id FROM deliveries WHERE state = 'retrying' AND destination_id = ${id}
          ORDER BY id DESC LIMIT ${LATEST}) AS latest)`,
  );
  const { rows } = await sql<{ id: string; state: string; at: number | null }>`
    ${sql.join(parts, sql` UNION ALL `)}`.execute(db);
  return rows.flatMap(({ id, state, at }) => (at === null ? [] : [{ id, state, at: Number(at) }]));
}
