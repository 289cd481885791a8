import { sql } from 'kysely';
import { idFloor, idTime } from '../../../core/ids.ts';
import type { Trouble, TroubleThresholds } from '../../../core/stores/alerts.ts';
import type { Db } from '../../schema.ts';
import { ownerOfWaiting, waitingIds } from '../counters/waiting.ts';
import { isHeld } from '../deliveries/held.ts';

/**
 * Organisations whose work does not get done: much of it waits, and the first of it is late. The indexes of what waits
 * are jumped along, from one organisation or destination to the next, and rows are counted only where one is late. All
 * of them are looked at: one that is left out would be taken for one that is well again.
 */

const MOST_COUNTED = 10_000;
/** A statement has room for a limited number of values. */
const NAMES_A_STATEMENT = 500;
/** Each of these counts: no statement takes so long that it is cut short, and no alert of any kind is raised. */
const COUNTED_A_STATEMENT = 300;

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
  for (const { orgId, first, count } of await listLateEvents(db, lateBefore)) {
    const of = lateOf(orgId);
    of.events = count;
    of.since = Math.min(of.since, idTime(first));
  }
  const destinations = await listLateDestinations(db, lateBefore);
  const counts = await countWaitingAtEach(
    db,
    destinations.map(({ destinationId }) => destinationId),
  );
  for (const { orgId, destinationId, dueAt } of destinations) {
    const of = lateOf(orgId);
    of.waitingAt.push({ destinationId, count: counts.get(destinationId) ?? 0 });
    of.since = Math.min(of.since, dueAt);
  }
  const growing = [...late]
    .map(([orgId, of]) => ({
      orgId,
      ...of,
      deliveries: of.waitingAt.reduce((sum, { count }) => sum + count, 0),
    }))
    .filter(({ events, deliveries }) => events + deliveries >= waiting);
  const names = await namesOf(
    db,
    growing.map(({ orgId }) => orgId),
  );
  return growing.flatMap(({ orgId, events, deliveries, since, waitingAt }): Trouble[] => {
    const name = names.get(orgId);
    if (name === undefined) return [];
    return [
      {
        orgId,
        type: 'sluice.backlog.growing',
        subject: { type: 'organisation', id: orgId, name, kind: 'organisation' },
        since,
        counts: { events, deliveries },
        lastError: null,
        waitingAt,
      },
    ];
  });
}

async function listLateEvents(db: Db, before: number) {
  const ofThis = sql`FROM events WHERE state = 'accepted' AND events.org_id = waiting.org_id`;
  const { rows } = await sql<{ org_id: string; first: string; count: number }>`
    WITH RECURSIVE waiting (org_id) AS (
      SELECT min(org_id) FROM events WHERE state = 'accepted'
      UNION ALL
      SELECT (SELECT min(org_id) FROM events WHERE state = 'accepted' AND org_id > waiting.org_id)
      FROM waiting WHERE waiting.org_id IS NOT NULL)
    SELECT org_id, (SELECT min(id) ${ofThis}) AS first,
      (SELECT count(*) FROM (SELECT 1 AS one ${ofThis} LIMIT ${MOST_COUNTED}) AS seen) AS count
    FROM waiting WHERE org_id IS NOT NULL AND (SELECT min(id) ${ofThis}) < ${idFloor('evt', before)}`.execute(
    db,
  );
  return rows.map(({ org_id, first, count }) => ({ orgId: org_id, first, count: Number(count) }));
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
    SELECT firsts.org_id, firsts.id, firsts.due_at
    FROM firsts
    JOIN destinations ON destinations.org_id = firsts.org_id AND destinations.id = firsts.id
    WHERE firsts.due_at < ${before} AND destinations.breaker_opened_at IS NULL AND NOT ${isHeld}`.execute(db);
  return rows.map(({ org_id, id, due_at }) => ({ orgId: org_id, destinationId: id, dueAt: Number(due_at) }));
}

async function countWaitingAtEach(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let from = 0; from < ids.length; from += COUNTED_A_STATEMENT) {
    const late = ids.slice(from, from + COUNTED_A_STATEMENT).map(id => sql`(CAST(${id} AS TEXT))`);
    const { rows } = await sql<{ id: string; count: number }>`
      WITH late (id) AS (VALUES ${sql.join(late)})
      SELECT id, (SELECT count(*) FROM (
        SELECT 1 AS one FROM deliveries
        WHERE state IN ('pending', 'retrying') AND destination_id = late.id LIMIT ${MOST_COUNTED}) AS seen) AS count
      FROM late`.execute(db);
    for (const { id, count } of rows) counts.set(id, Number(count));
  }
  return counts;
}

/** What waits of one that is deleted is there for a while; its name is not. */
async function namesOf(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (let from = 0; from < ids.length; from += NAMES_A_STATEMENT) {
    const some = ids.slice(from, from + NAMES_A_STATEMENT);
    const rows = await db
      .selectFrom('organisations')
      .select(['id', 'name'])
      .where('id', 'in', some)
      .execute();
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}
