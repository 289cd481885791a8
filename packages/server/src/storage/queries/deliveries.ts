import { type SqlBool, sql } from 'kysely';
import type { Deliveries, DeliveryFilter, DeliveryState, StoredDelivery } from '../../core/ports-delivery.ts';
import type { Operation } from '../operation.ts';
import type { Db } from '../schema.ts';
import { ownerOfWaiting, waitingIds } from './waiting.ts';

// --- Listing ---------------------------------------------------------------------------------------------

/** The state as it is shown: see `deliveryStates`. */
const shownState = sql<DeliveryState>`CASE
  WHEN deliveries.state NOT IN ('pending', 'retrying') THEN deliveries.state
  WHEN destinations.id IS NULL THEN 'cancelled'
  WHEN destinations.paused = 1 THEN 'held'
  ELSE deliveries.state END`;

const shown = (db: Db, orgId: string) =>
  db
    .selectFrom('deliveries')
    .leftJoin('destinations', join =>
      join
        .onRef('destinations.org_id', '=', 'deliveries.org_id')
        .onRef('destinations.id', '=', 'deliveries.destination_id'),
    )
    .leftJoin('events', join =>
      join.onRef('events.org_id', '=', 'deliveries.org_id').onRef('events.id', '=', 'deliveries.event_id'),
    )
    .selectAll('deliveries')
    .select(['events.type as event_type', shownState.as('shown_state')])
    .where('deliveries.org_id', '=', orgId);

type ShownRow = Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number];

const toDelivery = (row: ShownRow): StoredDelivery => ({
  id: row.id,
  orgId: row.org_id,
  eventId: row.event_id,
  eventType: row.event_type ?? '',
  pipeline: { id: row.pipeline_id, name: row.pipeline_name },
  destination: { id: row.destination_id, name: row.destination_name, kind: row.destination_kind },
  state: row.shown_state,
  attempt: row.attempt,
  nextAttemptAt: row.finished_at === null && row.shown_state !== 'cancelled' ? row.due_at : null,
  code: row.code,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

function filtered(db: Db, orgId: string, filter: DeliveryFilter) {
  let query = shown(db, orgId);
  if (filter.event !== undefined) query = query.where('deliveries.event_id', '=', filter.event);
  if (filter.destination !== undefined)
    query = query.where('deliveries.destination_id', '=', filter.destination);
  if (filter.code !== undefined) query = query.where('deliveries.code', '=', filter.code);
  // The dead are found by an index of their own.
  if (filter.state === 'dead') query = query.where(sql<SqlBool>`deliveries.state = 'dead'`);
  else if (filter.state !== undefined) query = query.where(shownState, '=', filter.state);
  return query;
}

export const listDeliveries: Operation<Deliveries['listDeliveries']> = async (
  db,
  orgId,
  filter,
  { limit, below },
) => {
  let query = filtered(db, orgId, filter);
  if (below !== null) query = query.where('deliveries.id', '<', below);
  return (await query.orderBy('deliveries.id', 'desc').limit(limit).execute()).map(toDelivery);
};

export const findDelivery: Operation<Deliveries['findDelivery']> = async (db, orgId, id) => {
  const row = await shown(db, orgId).where('deliveries.id', '=', id).executeTakeFirst();
  return row ? toDelivery(row) : null;
};

export const countDeliveries: Operation<Deliveries['countDeliveries']> = async (db, orgId, filter) => {
  const { count } = await filtered(db, orgId, filter)
    .clearSelect()
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

export const listAttempts: Operation<Deliveries['listAttempts']> = async (db, orgId, deliveryId) =>
  (
    await db
      .selectFrom('attempts')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('delivery_id', '=', deliveryId)
      .orderBy('n')
      .execute()
  ).map(row => ({
    n: row.n,
    at: row.at,
    durationMs: row.duration_ms,
    status: row.status,
    code: row.code,
    message: row.message,
    request: row.request,
    response: row.response,
  }));

// --- The worker's way ------------------------------------------------------------------------------------

export const listWaitingDestinations: Operation<Deliveries['listWaitingDestinations']> = async db => {
  const { rows } = await sql<{ org_id: string; id: string; due_at: number; paused: number }>`
    ${waitingIds}
    SELECT destinations.org_id, destinations.id, destinations.paused,
      (SELECT min(due_at) FROM deliveries
       WHERE state IN ('pending', 'retrying') AND destination_id = waiting.id) AS due_at
    FROM waiting JOIN destinations ON destinations.id = waiting.id AND destinations.org_id = ${ownerOfWaiting}`.execute(
    db,
  );
  return rows.map(row => ({
    orgId: row.org_id,
    destinationId: row.id,
    dueAt: Number(row.due_at),
    isPaused: Number(row.paused) === 1,
  }));
};

/** What goes back keeps its place: retrying where it has been attempted, pending where it has not. */
const openAgain = sql<string>`CASE WHEN attempt > budget_from THEN 'retrying' ELSE 'pending' END`;

export const releaseDeliveries: Operation<Deliveries['releaseDeliveries']> = async (
  db,
  token,
  deliveries,
) => {
  for (const [orgId, group] of Map.groupBy(deliveries, one => one.orgId)) {
    await db
      .updateTable('deliveries')
      .set({ state: openAgain, lease_token: null, lease_until: null })
      .where('org_id', '=', orgId)
      .where(
        'id',
        'in',
        group.map(({ id }) => id),
      )
      .where('lease_token', '=', token)
      .execute();
  }
};

export const findLeased: Operation<Deliveries['findLeased']> = async (db, claims) => {
  const found: string[] = [];
  for (const [orgId, group] of Map.groupBy(claims, claim => claim.orgId)) {
    const tokens = new Map(group.map(({ id, token }) => [id, token]));
    const rows = await db
      .selectFrom('deliveries')
      .select(['id', 'lease_token'])
      .where('org_id', '=', orgId)
      .where('id', 'in', [...tokens.keys()])
      .execute();
    for (const { id, lease_token } of rows) if (lease_token === tokens.get(id)) found.push(id);
  }
  return found;
};

export const recoverDeliveries: Operation<Deliveries['recoverDeliveries']> = async (
  db,
  { endedBefore, beyond },
  limit,
) => {
  const lost = await db
    .selectFrom('deliveries')
    .select(['org_id', 'id', 'lease_token'])
    .where(sql<SqlBool>`state = 'delivering'`)
    .where(eb => eb.or([eb('lease_until', '<', endedBefore), eb('lease_until', '>', beyond)]))
    .limit(limit)
    .execute();
  for (const { org_id, id, lease_token } of lost) {
    await db
      .updateTable('deliveries')
      .set({ state: openAgain, lease_token: null, lease_until: null })
      .where('org_id', '=', org_id)
      .where('id', '=', id)
      .where('lease_token', '=', lease_token)
      .execute();
  }
  return lost.length;
};
