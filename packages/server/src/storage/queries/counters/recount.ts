import { sql } from 'kysely';
import { minutes } from '../../../core/clock.ts';
import { idFloor, idTime } from '../../../core/ids.ts';
import {
  type Count,
  EVENT_TYPES,
  MOST_COUNTED_TYPES,
  WHOLE_ORGANISATION,
} from '../../../core/stores/counters.ts';
import type { Db } from '../../schema.ts';
import { listCountedTypes } from './types.ts';
import { writeCounts } from './write-counts.ts';

/**
 * A minute counted again from what is stored, and what is missing of it added. Whoever counts in the same minute in
 * memory must have written it by then; what is counted together with what it counts may come at any time.
 */

const MINUTE = minutes(1);
/** So that nobody waits for long who writes counts of the same organisations. */
const ORGANISATIONS_AT_ONCE = 50;

/**
 * Of some organisations, by their ids, from that one on. All is read before anything is added, in the order in which
 * whoever writes counts adds them. Answers the last of them; null where there are no more.
 */
export async function recountMinute(db: Db, at: number, after: string): Promise<string | null> {
  const orgIds = await activeIn(db, at, after);
  if (orgIds.length === 0) return null;
  const missing = [...(await missingDeliveries(db, orgIds, at)), ...(await missingEvents(db, orgIds, at))];
  for (const orgId of orgIds) missing.push(...(await missingTypes(db, orgId, at)));
  await writeCounts(
    db,
    missing.map(count => ({ ...count, at, amount: Number(count.amount) })),
  );
  return orgIds.length < ORGANISATIONS_AT_ONCE ? null : (orgIds.at(-1) ?? null);
}

/** When the newest event and the newest delivery were made, where there are any. */
export async function newestTimes(db: Db): Promise<number[]> {
  const { rows } = await sql<{ event: string | null; delivery: string | null }>`
    SELECT max((SELECT max(id) FROM events WHERE org_id = organisations.id)) AS event,
      max((SELECT max(id) FROM deliveries WHERE org_id = organisations.id)) AS delivery
    FROM organisations`.execute(db);
  return [rows[0]?.event, rows[0]?.delivery].filter(id => typeof id === 'string').map(idTime);
}

const madeIn = (prefix: 'evt' | 'dlv', at: number) =>
  sql`id >= ${idFloor(prefix, at)} AND id < ${idFloor(prefix, at + MINUTE)}`;

/** Where nothing was made, nothing is missing: what was there has been pruned. */
async function activeIn(db: Db, at: number, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT organisations.id FROM organisations WHERE organisations.id > ${after} AND (
      EXISTS (SELECT 1 FROM events WHERE org_id = organisations.id AND ${madeIn('evt', at)})
      OR EXISTS (SELECT 1 FROM deliveries WHERE org_id = organisations.id AND ${madeIn('dlv', at)}))
    ORDER BY organisations.id LIMIT ${ORGANISATIONS_AT_ONCE}`.execute(db);
  return rows.map(({ id }) => id);
}

type Missing = Omit<Count, 'at'>;

/** In one statement, so that what is stored and what is counted are of one moment. */
async function missingDeliveries(db: Db, orgIds: readonly string[], at: number): Promise<Missing[]> {
  const ofThese = sql`org_id IN (${sql.join(orgIds)})`;
  const delivered = sql`FROM deliveries WHERE ${ofThese} AND state || '' = 'delivered' AND ${madeIn('dlv', at)}`;
  const { rows } = await sql<Missing>`
    SELECT org_id AS "orgId", subject, 'delivered' AS name, sum(amount) AS amount FROM (
      SELECT org_id, destination_id AS subject, count(*) AS amount ${delivered} GROUP BY org_id, destination_id
      UNION ALL SELECT org_id, ${WHOLE_ORGANISATION}, count(*) ${delivered} GROUP BY org_id
      UNION ALL SELECT org_id, subject, -amount FROM counters
        WHERE ${ofThese} AND at = ${at} AND span = ${MINUTE} AND name = 'delivered') AS both_counts
    GROUP BY org_id, subject HAVING sum(amount) <> 0`.execute(db);
  return rows;
}

async function missingEvents(db: Db, orgIds: readonly string[], at: number): Promise<Missing[]> {
  const ofThese = sql`org_id IN (${sql.join(orgIds)})`;
  const received = sql`FROM events WHERE ${ofThese} AND ${madeIn('evt', at)}`;
  const { rows } = await sql<Missing>`
    SELECT org_id AS "orgId", ${WHOLE_ORGANISATION} AS subject, name, sum(amount) AS amount FROM (
      SELECT org_id, state AS name, count(*) AS amount ${received}
        AND state || '' IN ('processed', 'dropped', 'failed', 'unrouted') GROUP BY org_id, state
      UNION ALL SELECT org_id, 'received', count(*) ${received} GROUP BY org_id
      UNION ALL SELECT org_id, name, -amount FROM counters
        WHERE ${ofThese} AND at = ${at} AND span = ${MINUTE} AND subject = ${WHOLE_ORGANISATION}
          AND name IN ('received', 'processed', 'dropped', 'failed', 'unrouted')) AS both_counts
    GROUP BY org_id, name HAVING sum(amount) <> 0`.execute(db);
  return rows;
}

/** Of the types that are counted by name; the first to come may have been lost, and join them while there is room. */
async function missingTypes(db: Db, orgId: string, at: number): Promise<Missing[]> {
  const { rows } = await sql<{ name: string; amount: number }>`
    SELECT name, sum(amount) AS amount FROM (
      SELECT type AS name, count(*) AS amount FROM events WHERE org_id = ${orgId} AND ${madeIn('evt', at)} GROUP BY type
      UNION ALL SELECT name, -amount FROM counters
        WHERE org_id = ${orgId} AND subject = ${EVENT_TYPES} AND at = ${at} AND span = ${MINUTE}) AS both_counts
    GROUP BY name HAVING sum(amount) <> 0`.execute(db);
  const counted = new Set(await listCountedTypes(db, orgId, MOST_COUNTED_TYPES));
  return rows.flatMap(({ name, amount }) => {
    if (!counted.has(name) && counted.size >= MOST_COUNTED_TYPES) return [];
    counted.add(name);
    return [{ orgId, subject: EVENT_TYPES, name, amount }];
  });
}
