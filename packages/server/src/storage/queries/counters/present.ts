import { sql } from 'kysely';
import { idFloor } from '../../../core/ids.ts';
import type { CappedCount, CounterStore } from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';
import { isHeld } from '../deliveries/held.ts';
import { countOpen } from '../deliveries/open-deliveries.ts';

/**
 * Deliveries that have not arrived, by their present state. Each state has an index of its own that is in the order in
 * which they were made, so that no more of them are looked at than are counted.
 */
export const countPresent: Operation<CounterStore['countPresent']> = async (
  db,
  orgId,
  { from, to, destination },
  most,
) => {
  const filter = { destination, madeAfter: from - 1, madeBefore: to };
  const open = async (state: 'pending' | 'delivering' | 'retrying' | 'held') =>
    countOpen(db, orgId, state, filter, most + 1);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT 1 AS one FROM deliveries
      WHERE org_id = ${orgId} AND state = 'dead' AND id >= ${idFloor('dlv', from)} AND id < ${idFloor('dlv', to)}
        ${destination === undefined ? sql`` : sql`AND destination_id = ${destination}`}
      LIMIT ${most + 1}) AS seen`.execute(db);
  const capped = cappedAt(most);
  return {
    waiting: capped((await open('pending')) + (await open('delivering'))),
    retrying: capped(await open('retrying')),
    held: capped(await open('held')),
    dead: capped(Number(rows[0]?.count ?? 0)),
  };
};

const cappedAt =
  (most: number) =>
  (count: number): CappedCount => ({ count: Math.min(count, most), more: count > most });

/** So many destinations are looked at with one statement. */
const DESTINATIONS_AT_ONCE = 100;

type Sort = 'pending' | 'retrying' | 'dead' | 'older_pending' | 'older_retrying';

/** The same of each: a statement counts those of many destinations along the same indexes. */
export const countPresentOfEach: Operation<CounterStore['countPresentOfEach']> = async (
  db,
  orgId,
  { from, to },
  most,
) => {
  const destinations = await db
    .selectFrom('destinations')
    .select(['id', sql<number>`CASE WHEN ${isHeld} THEN 1 ELSE 0 END`.as('held')])
    .where('org_id', '=', orgId)
    .execute();
  const [first, past] = [idFloor('dlv', from), idFloor('dlv', to)];
  // No more are being sent than all nodes can send: see `delivering` of the open deliveries.
  const { rows: sent } = await sql<{ destination_id: string; made: number; older: number }>`
    SELECT destination_id, sum(CASE WHEN id >= ${first} AND id < ${past} THEN 1 ELSE 0 END) AS made,
      sum(CASE WHEN id < ${first} THEN 1 ELSE 0 END) AS older
    FROM deliveries WHERE state = 'delivering' AND lease_token IS NOT NULL AND org_id || '' = ${orgId}
    GROUP BY destination_id`.execute(db);
  const sending = new Map(sent.map(row => [row.destination_id, row]));
  const upTo = (where: ReturnType<typeof sql>) => sql`(
    SELECT count(*) FROM (SELECT 1 AS one FROM deliveries WHERE ${where} LIMIT ${most + 1}) AS seen)`;
  const made = sql`destination_id = asked.id AND id >= ${first} AND id < ${past}`;
  const older = sql`destination_id = asked.id AND id < ${first}`;
  const found: Awaited<ReturnType<CounterStore['countPresentOfEach']>> = [];
  const capped = cappedAt(most);
  for (let at = 0; at < destinations.length; at += DESTINATIONS_AT_ONCE) {
    const some = destinations.slice(at, at + DESTINATIONS_AT_ONCE);
    const held = new Set(some.filter(one => one.held === 1).map(({ id }) => id));
    const { rows } = await sql<{ id: string } & Record<Sort, number>>`
      WITH asked (id) AS (VALUES ${sql.join(some.map(({ id }) => sql`(${id})`))})
      SELECT asked.id,
        ${upTo(sql`state = 'pending' AND ${made}`)} AS pending,
        ${upTo(sql`state = 'retrying' AND ${made}`)} AS retrying,
        ${upTo(sql`state = 'pending' AND ${older}`)} AS older_pending,
        ${upTo(sql`state = 'retrying' AND ${older}`)} AS older_retrying,
        ${upTo(sql`org_id = ${orgId} AND state = 'dead' AND ${made}`)} AS dead
      FROM asked`.execute(db);
    for (const row of rows) {
      const [pending, retrying] = [Number(row.pending), Number(row.retrying)];
      const under = sending.get(row.id);
      const beingSent = Number(under?.made ?? 0);
      const isHere = held.has(row.id);
      const before = Number(row.older_pending) + Number(row.older_retrying) + Number(under?.older ?? 0);
      found.push({
        destinationId: row.id,
        waiting: capped((isHere ? 0 : pending) + beingSent),
        retrying: capped(isHere ? 0 : retrying),
        held: capped(isHere ? pending + retrying : 0),
        dead: capped(Number(row.dead)),
        open: capped(pending + retrying + beingSent + before),
      });
    }
  }
  return found;
};
