import { sql } from 'kysely';
import { idFloor } from '../../../core/ids.ts';
import type { CappedCount, CounterStore } from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { countFailedEvents, countFailedEventsOfAll } from '../deliveries/dead-letters.ts';
import { isHeld } from '../deliveries/held.ts';

/**
 * Each count stops at its limit and goes along an index that holds nothing else, so that a million rows cost no
 * more than a few thousand. The states are written out, since that is how an engine knows those indexes to serve.
 */
export const countBacklog: Operation<CounterStore['countBacklog']> = async (db, orgId, most) => {
  const accepted = await countUpTo(db, most, sql`FROM events WHERE org_id = ${orgId} AND state = 'accepted'`);
  // As an expression, so that it is not all events of the organisation that are looked through.
  const claimed = await countUpTo(
    db,
    most,
    sql`FROM events WHERE org_id || '' = ${orgId} AND state = 'claimed'`,
  );
  const deferred = await countUpTo(db, most, sql`FROM events WHERE org_id = ${orgId} AND state = 'deferred'`);
  return {
    accepted: capped(accepted + claimed + deferred, most),
    ...(await countDeliveriesWaiting(db, orgId, most)),
    deadDeliveries: capped(
      await countUpTo(db, most, sql`FROM deliveries WHERE org_id = ${orgId} AND state = 'dead'`),
      most,
    ),
    failedEvents: capped(await countFailedEvents(db, orgId, {}, most + 1), most),
  };
};

/**
 * As above: what is asked for is the very condition of an index, whose rows are counted without reading one. Only of
 * events that failed each is looked at, since the list of dead letters leaves out those that went through after all.
 */
export const countWaiting: Operation<CounterStore['countWaiting']> = async (db, most) => {
  const count = async (rows: ReturnType<typeof sql>) => Math.min(await countUpTo(db, most, rows), most);
  const accepted = await count(sql`FROM events WHERE state = 'accepted'`);
  const claimed = await count(sql`FROM events WHERE state = 'claimed'`);
  const deferred = await count(sql`FROM events WHERE state = 'deferred'`);
  const replays = await count(sql`FROM parked_events WHERE job_id <> ''`);
  return {
    events: Math.min(accepted + claimed + deferred + replays, most),
    deliveries: {
      pending: await count(sql`FROM deliveries WHERE state = 'pending'`),
      delivering: await count(sql`FROM deliveries WHERE state = 'delivering'`),
      retrying: await count(sql`FROM deliveries WHERE state = 'retrying'`),
    },
    deadDeliveries: await count(sql`FROM deliveries WHERE state = 'dead'`),
    failedEvents: await countFailedEventsOfAll(db, most),
  };
};

/**
 * An id holds when its delivery was made, and the index of the dead is in their order. Where the counting ends is looked
 * up first, so that no more than twice `most` entries of the index are read, into however many stretches they fall.
 */
export const countDead: Operation<CounterStore['countDead']> = async (
  db,
  orgId,
  { from, stepMs, points },
  most,
) => {
  const floors = Array.from({ length: points + 1 }, (_, n) => idFloor('dlv', from + n * stepMs));
  const dead = sql`FROM deliveries WHERE org_id = ${orgId} AND state = 'dead'`;
  const { rows: ends } = await sql<{ id: string }>`
    SELECT id ${dead} AND id >= ${floors[0]} AND id < ${floors[points]}
    ORDER BY id DESC LIMIT 2 OFFSET ${most - 1}`.execute(db);
  const oldest = ends[0]?.id ?? '';
  const stretches = floors
    .slice(0, points)
    .map((floor, n) => sql`(${n}, ${floor > oldest ? floor : oldest}, ${floors[n + 1]})`);
  const { rows } = await sql<{ point: number; count: number }>`
    WITH stretches (point, first, past) AS (VALUES ${sql.join(stretches)})
    SELECT point, (SELECT count(*) ${dead} AND id >= first AND id < past) AS count
    FROM stretches`.execute(db);
  const counts = new Array<number>(points).fill(0);
  for (const { point, count } of rows) counts[Number(point)] = Number(count);
  return { counts, more: ends.length > 1 };
};

const capped = (count: number, most: number): CappedCount => ({
  count: Math.min(count, most),
  more: count > most,
});

async function countUpTo(db: Db, most: number, rows: ReturnType<typeof sql>): Promise<number> {
  const { rows: found } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (SELECT 1 AS one ${rows} LIMIT ${most + 1}) AS seen`.execute(db);
  return Number(found[0]?.count ?? 0);
}

/**
 * Destination by destination, until there is more than anybody wants to know. Its id alone says whose they are; with
 * the organisation beside it an engine might take an index that holds all that was ever delivered there.
 */
async function countDeliveriesWaiting(db: Db, orgId: string, most: number) {
  const destinations = await db
    .selectFrom('destinations')
    .select(['id', sql<number>`CASE WHEN ${isHeld} THEN 1 ELSE 0 END`.as('held')])
    .where('org_id', '=', orgId)
    .execute();
  let [pending, retrying, held] = [0, 0, 0];
  for (const { id, held: isHeldHere } of destinations) {
    const room = most + 1 - (isHeldHere === 1 ? held : pending + retrying);
    if (room <= 0) continue;
    const { rows } = await sql<{ state: string; count: number }>`
      SELECT state, count(*) AS count FROM (
        SELECT state FROM deliveries
        WHERE state IN ('pending', 'retrying') AND destination_id = ${id}
        LIMIT ${room}) AS seen
      GROUP BY state`.execute(db);
    for (const { state, count } of rows) {
      if (isHeldHere === 1) held += Number(count);
      else if (state === 'pending') pending += Number(count);
      else retrying += Number(count);
    }
  }
  // Where the look ended early, there may be more of both.
  const more = pending + retrying > most;
  return {
    pending: { count: Math.min(pending, most), more },
    retrying: { count: Math.min(retrying, most), more },
    held: capped(held, most),
  };
}
