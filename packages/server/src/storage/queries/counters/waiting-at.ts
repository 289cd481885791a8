import { sql } from 'kysely';
import type { CappedCount, CounterStore, WaitingAt } from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/** So many destinations are looked at with one statement. */
const DESTINATIONS_AT_ONCE = 100;

/** What waits at each part of the map, along the indexes of what has not gone on: no more is read than is counted. */
export const countWaitingAt: Operation<CounterStore['countWaitingAt']> = async (db, orgId, most) => ({
  ...(await eventsBySource(db, orgId, most)),
  destinations: await deliveriesByDestination(db, orgId, most),
});

/** What came through no source belongs to those that match its type: whoever asks knows them. */
async function eventsBySource(
  db: Db,
  orgId: string,
  most: number,
): Promise<Pick<WaitingAt, 'sources' | 'types'>> {
  const [sources, types] = [new Map<string, number>(), new Map<string, number>()];
  let isCut = false;
  for (const isWaiting of [
    sql`org_id = ${orgId} AND state = 'accepted'`,
    // As an expression, so that it is not all events of the organisation that are looked through.
    sql`org_id || '' = ${orgId} AND state = 'claimed'`,
  ]) {
    // By their ids, which the index of what waits holds: for anything more an engine might look through all events.
    const { rows } = await sql<{ source_id: string | null; type: string | null; count: number }>`
      SELECT source_id, CASE WHEN source_id IS NULL THEN type END AS type, count(*) AS count FROM events
      WHERE org_id = ${orgId} AND id IN (
        SELECT id FROM (SELECT id FROM events WHERE ${isWaiting} LIMIT ${most + 1}) AS seen)
      GROUP BY 1, 2`.execute(db);
    for (const { source_id, type, count } of rows) {
      const [found, name] = source_id === null ? [types, type ?? ''] : [sources, source_id];
      found.set(name, (found.get(name) ?? 0) + Number(count));
    }
    isCut ||= rows.reduce((sum, { count }) => sum + Number(count), 0) > most;
  }
  // Where the look ended early, there may be more of each.
  const capped = (found: ReadonlyMap<string, number>) =>
    new Map(
      [...found].map(([name, count]) => [
        name,
        { count: Math.min(count, most), more: isCut || count > most },
      ]),
    );
  return { sources: capped(sources), types: capped(types) };
}

/** Whatever is open. A destination's id alone says whose what waits is, as for the backlog. */
async function deliveriesByDestination(
  db: Db,
  orgId: string,
  most: number,
): Promise<Map<string, CappedCount>> {
  const destinations = await db.selectFrom('destinations').select('id').where('org_id', '=', orgId).execute();
  // No more are being sent than all nodes can send: see `delivering` of the open deliveries.
  const { rows: sent } = await sql<{ destination_id: string; count: number }>`
    SELECT destination_id, count(*) AS count FROM deliveries
    WHERE state = 'delivering' AND lease_token IS NOT NULL AND org_id || '' = ${orgId}
    GROUP BY destination_id`.execute(db);
  const sending = new Map(sent.map(({ destination_id, count }) => [destination_id, Number(count)]));
  const found = new Map<string, CappedCount>();
  for (let from = 0; from < destinations.length; from += DESTINATIONS_AT_ONCE) {
    const counts = destinations.slice(from, from + DESTINATIONS_AT_ONCE).map(
      ({ id }) => sql`SELECT CAST(${id} AS TEXT) AS id, (SELECT count(*) FROM (
        SELECT 1 AS one FROM deliveries
        WHERE state IN ('pending', 'retrying') AND destination_id = ${id} LIMIT ${most + 1}) AS seen) AS count`,
    );
    const { rows } = await sql<{ id: string; count: number }>`${sql.join(counts, sql` UNION ALL `)}`.execute(
      db,
    );
    for (const { id, count } of rows) {
      const waiting = Number(count) + (sending.get(id) ?? 0);
      if (waiting > 0) found.set(id, { count: Math.min(waiting, most), more: waiting > most });
    }
  }
  return found;
}
