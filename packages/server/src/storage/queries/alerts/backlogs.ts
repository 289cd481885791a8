import { sql } from 'kysely';
import { idFloor, idTime } from '../../../core/ids.ts';
import type { Trouble, TroubleThresholds } from '../../../core/stores/alerts.ts';
import type { Db } from '../../schema.ts';
import { ownerOfWaiting, waitingIds } from '../counters/waiting.ts';
import { isHeld } from '../deliveries/held.ts';

/**
 * Organisations whose work does not get done: much of it waits, and the first of it is late. The indexes of what waits
 * are jumped along, from one organisation or destination to the next, and rows are counted only where one is late.
 */

const MOST_COUNTED = 10_000;
const MOST_LOOKED_AT = 5_000;

interface Late {
  events: number;
  since: number;
  readonly waitingAt: { readonly destinationId: string; readonly count: number }[];
}

export async function findBacklogs(db: Db, { lateBefore, waiting }: TroubleThresholds): Promise<Trouble[]> {
  const late = new Map<string, Late>();
  const lateOf = (orgId: string): Late => {
    const known = late.get(orgId) ?? { events: 0, since: Number.MAX_SAFE_INTEGER, waitingAt: [] };
    late.set(orgId, known);
    return known;
  };
  for (const { orgId, first } of await listLateEvents(db, lateBefore)) {
    const of = lateOf(orgId);
    of.events = await countEvents(db, orgId);
    of.since = Math.min(of.since, idTime(first));
  }
  for (const { orgId, destinationId, dueAt } of await listLateDestinations(db, lateBefore)) {
    const of = lateOf(orgId);
    of.waitingAt.push({ destinationId, count: await countDeliveries(db, destinationId) });
    of.since = Math.min(of.since, dueAt);
  }
  const found: Trouble[] = [];
  for (const [orgId, { events, since, waitingAt }] of late) {
    const deliveries = waitingAt.reduce((sum, { count }) => sum + count, 0);
    if (events + deliveries < waiting) continue;
    const org = db.selectFrom('organisations').select('name').where('id', '=', orgId);
    const name = (await org.executeTakeFirst())?.name;
    if (name === undefined) continue;
    found.push({
      orgId,
      type: 'sluice.backlog.growing',
      subject: { type: 'organisation', id: orgId, name, kind: 'organisation' },
      since,
      counts: { events, deliveries },
      lastError: null,
      waitingAt,
    });
  }
  return found;
}

async function listLateEvents(db: Db, before: number) {
  const { rows } = await sql<{ org_id: string; first: string }>`
    WITH RECURSIVE waiting (org_id) AS (
      SELECT min(org_id) FROM events WHERE state = 'accepted'
      UNION ALL
      SELECT (SELECT min(org_id) FROM events WHERE state = 'accepted' AND org_id > waiting.org_id)
      FROM waiting WHERE waiting.org_id IS NOT NULL)
    SELECT org_id, first FROM (
      SELECT org_id, (SELECT min(id) FROM events
                      WHERE state = 'accepted' AND events.org_id = waiting.org_id) AS first
      FROM waiting WHERE org_id IS NOT NULL) AS firsts
    WHERE first < ${idFloor('evt', before)} LIMIT ${MOST_LOOKED_AT}`.execute(db);
  return rows.map(({ org_id, first }) => ({ orgId: org_id, first }));
}

async function countEvents(db: Db, orgId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT 1 AS one FROM events WHERE org_id = ${orgId} AND state = 'accepted'
      LIMIT ${MOST_COUNTED}) AS seen`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Where it is neither held nor down: what waits there waits for somebody else. */
async function listLateDestinations(db: Db, before: number) {
  const { rows } = await sql<{ org_id: string; id: string; due_at: number }>`
    ${waitingIds},
    firsts (org_id, id, due_at) AS (
      SELECT ${ownerOfWaiting}, id,
             (SELECT min(due_at) FROM deliveries
              WHERE state IN ('pending', 'retrying') AND destination_id = waiting.id)
      FROM waiting WHERE id IS NOT NULL)
    SELECT firsts.org_id, firsts.id, firsts.due_at FROM firsts
    JOIN destinations ON destinations.org_id = firsts.org_id AND destinations.id = firsts.id
    WHERE firsts.due_at < ${before} AND destinations.breaker_opened_at IS NULL AND NOT ${isHeld}
    LIMIT ${MOST_LOOKED_AT}`.execute(db);
  return rows.map(({ org_id, id, due_at }) => ({ orgId: org_id, destinationId: id, dueAt: Number(due_at) }));
}

async function countDeliveries(db: Db, destinationId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT 1 AS one FROM deliveries
      WHERE state IN ('pending', 'retrying') AND destination_id = ${destinationId}
      LIMIT ${MOST_COUNTED}) AS seen`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
