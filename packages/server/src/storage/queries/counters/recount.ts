import { sql } from 'kysely';
import { minutes, seconds } from '../../../core/clock.ts';
import { idFloor, idTime } from '../../../core/ids.ts';
import { type Count, LATE_MS, WHOLE_ORGANISATION } from '../../../core/stores/counters.ts';
import type { Db } from '../../schema.ts';
import { addCounts } from './counters.ts';

/**
 * The counts that a node took with it when it was killed: those of about a second, of events and deliveries that were
 * made within a minute before. These minutes are counted again, and what is missing is added. Whoever counts in the same
 * minutes must have written it by then.
 */

const MINUTE = minutes(1);
/** A count is written a second later; a result that waits for storage somewhat later still. */
const MARGIN_MS = seconds(15);

/** When a node that was killed may have ended; null: after all that is stored. */
type Death = { readonly from: number; readonly to: number } | null;

export async function recount(db: Db, death: Death): Promise<void> {
  const organisations = await db.selectFrom('organisations').select('id').execute();
  for (const { id: orgId } of organisations) {
    const missing: Count[] = [];
    for (const at of await minutesOf(db, 'deliveries', orgId, death)) {
      missing.push(...(await missingDeliveries(db, orgId, at)));
    }
    for (const at of await minutesOf(db, 'events', orgId, death)) {
      missing.push(...(await missingEvents(db, orgId, at)));
    }
    if (missing.length > 0) await addCounts(db, missing);
  }
}

async function minutesOf(
  db: Db,
  table: 'deliveries' | 'events',
  orgId: string,
  death: Death,
): Promise<number[]> {
  const prefix = table === 'deliveries' ? 'dlv' : 'evt';
  const newest = await db
    .selectFrom(table)
    .select('id')
    .where('org_id', '=', orgId)
    .$if(death !== null, query => query.where('id', '<', idFloor(prefix, (death?.to ?? 0) + MARGIN_MS)))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return [];
  const to = idTime(newest.id);
  const from = (death?.from ?? to) - LATE_MS - MARGIN_MS;
  const found: number[] = [];
  for (let at = Math.floor(from / MINUTE) * MINUTE; at <= to; at += MINUTE) found.push(at);
  return found;
}

/** In one statement, so that what is stored and what is counted are of one moment. */
async function missingDeliveries(db: Db, orgId: string, at: number): Promise<Count[]> {
  const delivered = sql`FROM deliveries WHERE org_id = ${orgId} AND state || '' = 'delivered'
    AND id >= ${idFloor('dlv', at)} AND id < ${idFloor('dlv', at + MINUTE)}`;
  const { rows } = await sql<{ subject: string; amount: number }>`
    SELECT subject, sum(amount) AS amount FROM (
      SELECT destination_id AS subject, count(*) AS amount ${delivered} GROUP BY destination_id
      UNION ALL SELECT ${WHOLE_ORGANISATION}, count(*) ${delivered}
      UNION ALL SELECT subject, -amount FROM counters
        WHERE org_id = ${orgId} AND at = ${at} AND span = ${MINUTE} AND name = 'delivered') AS both_counts
    GROUP BY subject`.execute(db);
  return rows.map(({ subject, amount }) => ({
    orgId,
    subject,
    name: 'delivered',
    at,
    amount: Number(amount),
  }));
}

async function missingEvents(db: Db, orgId: string, at: number): Promise<Count[]> {
  const received = sql`FROM events WHERE org_id = ${orgId}
    AND id >= ${idFloor('evt', at)} AND id < ${idFloor('evt', at + MINUTE)}`;
  const { rows } = await sql<{ name: string; amount: number }>`
    SELECT name, sum(amount) AS amount FROM (
      SELECT state AS name, count(*) AS amount ${received}
        AND state || '' IN ('processed', 'dropped', 'failed', 'unrouted') GROUP BY state
      UNION ALL SELECT 'received', count(*) ${received}
      UNION ALL SELECT name, -amount FROM counters
        WHERE org_id = ${orgId} AND at = ${at} AND span = ${MINUTE} AND subject = ${WHOLE_ORGANISATION}
          AND name IN ('received', 'processed', 'dropped', 'failed', 'unrouted')) AS both_counts
    GROUP BY name`.execute(db);
  return rows.map(({ name, amount }) => ({
    orgId,
    subject: WHOLE_ORGANISATION,
    name,
    at,
    amount: Number(amount),
  }));
}
