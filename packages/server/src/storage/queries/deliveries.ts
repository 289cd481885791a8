import { type SqlBool, sql } from 'kysely';
import type {
  AttemptRecord,
  ClaimedDelivery,
  Deliveries,
  DeliveryFilter,
  DeliveryState,
  StoredDelivery,
} from '../../core/ports-delivery.ts';
import type { Operation } from '../operation.ts';
import type { Db } from '../schema.ts';
import { ownerOfWaiting, waitingIds } from './waiting.ts';

/** Written out, never as parameters: only then does an engine see that the partial index answers it. */
const isOpen = sql<SqlBool>`deliveries.state IN ('pending', 'retrying')`;

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

export const claimDeliveries: Operation<Deliveries['claimDeliveries']> = async (db, wishes, lease) => {
  const claimed: ClaimedDelivery[] = [];
  for (const { orgId, destinationId, limit } of wishes) {
    const due = db
      .selectFrom('deliveries')
      .select('deliveries.id')
      .where(isOpen)
      .where('deliveries.destination_id', '=', destinationId)
      .where('deliveries.due_at', '<=', lease.now)
      .orderBy('deliveries.due_at')
      .limit(limit);
    // Another node that takes the same ones at this moment is waited for, and then they are no longer open.
    const taken = await db
      .updateTable('deliveries')
      .set({ state: 'delivering', lease_token: lease.token, lease_until: lease.until })
      .where('deliveries.org_id', '=', orgId)
      .where('deliveries.id', 'in', due)
      .where(isOpen)
      .where(eb =>
        eb.exists(
          eb
            .selectFrom('destinations')
            .select('destinations.id')
            .where('destinations.org_id', '=', orgId)
            .where('destinations.id', '=', destinationId)
            .where('destinations.paused', '=', 0),
        ),
      )
      .returning('deliveries.id')
      .execute();
    const ids = taken.map(row => row.id);
    if (ids.length > 0) claimed.push(...(await readClaimed(db, orgId, destinationId, ids)));
  }
  return claimed;
};

async function readClaimed(db: Db, orgId: string, destinationId: string, ids: string[]) {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('runs', join =>
      join
        .onRef('runs.org_id', '=', 'deliveries.org_id')
        .onRef('runs.event_id', '=', 'deliveries.event_id')
        .onRef('runs.id', '=', 'deliveries.run_id'),
    )
    .innerJoin('events', join =>
      join.onRef('events.org_id', '=', 'deliveries.org_id').onRef('events.id', '=', 'deliveries.event_id'),
    )
    .leftJoin('sources', 'sources.id', 'events.source_id')
    .select([
      'deliveries.id',
      'deliveries.event_id',
      'deliveries.attempt',
      'deliveries.budget_from',
      'deliveries.due_at',
      'runs.output',
      'events.type',
      'events.icon',
      'events.sender_id',
      'events.entity_kind',
      'events.entity_external_id',
      'events.happened_at',
      'events.received_at',
      'events.matched_sources',
      'sources.name as source_name',
    ])
    .where('deliveries.org_id', '=', orgId)
    .where('deliveries.id', 'in', ids)
    .orderBy('deliveries.due_at')
    .execute();
  return rows.map(
    (row): ClaimedDelivery => ({
      id: row.id,
      orgId,
      destinationId,
      event: {
        id: row.event_id,
        type: row.type,
        icon: row.icon,
        senderId: row.sender_id,
        entity:
          row.entity_kind === null || row.entity_external_id === null
            ? null
            : { kind: row.entity_kind, externalId: row.entity_external_id },
        happenedAt: row.happened_at,
        receivedAt: row.received_at,
      },
      output: row.output,
      sourceName: row.source_name ?? firstSource(row.matched_sources),
      attempt: row.attempt,
      budgetFrom: row.budget_from,
      dueAt: row.due_at,
    }),
  );
}

const firstSource = (matched: string | null): string | null =>
  matched === null ? null : ((JSON.parse(matched) as { name: string }[])[0]?.name ?? null);

export const recordAttempts: Operation<Deliveries['recordAttempts']> = async (db, records) => {
  const refused: string[] = [];
  const kept: AttemptRecord[] = [];
  for (const group of groupsOf(records)) {
    const accepted = new Set(await endLease(db, group));
    for (const record of group) {
      if (accepted.has(record.deliveryId)) kept.push(record);
      else refused.push(record.deliveryId);
    }
  }
  for (let i = 0; i < kept.length; i += ROWS_AN_INSERT) {
    await db
      .insertInto('attempts')
      .values(kept.slice(i, i + ROWS_AN_INSERT).map(toAttemptRow))
      .execute();
  }
  return refused;
};

const ROWS_AN_INSERT = 500;

/** Those that end alike are written by one statement; most are simply delivered. */
function groupsOf(records: readonly AttemptRecord[]): AttemptRecord[][] {
  const groups = new Map<string, AttemptRecord[]>();
  for (const record of records) {
    const { next, orgId, token } = record;
    const alike = next.state === 'delivered' ? '' : record.deliveryId;
    const key = `${orgId} ${token} ${alike}`;
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups.values()];
}

/** Answers whose lease still held: only their results count. */
async function endLease(db: Db, group: readonly AttemptRecord[]): Promise<string[]> {
  const [first] = group;
  if (first === undefined) return [];
  const { next, orgId, token, attempt } = first;
  const finishedAt = next.state === 'retrying' ? null : attempt.at + attempt.durationMs;
  const rows = await db
    .updateTable('deliveries')
    .set(eb => ({
      state: next.state,
      attempt: eb('attempt', '+', 1),
      code: attempt.code,
      finished_at: finishedAt,
      lease_token: null,
      lease_until: null,
      ...(next.state === 'retrying' ? { due_at: next.dueAt } : {}),
    }))
    .where('org_id', '=', orgId)
    .where(
      'id',
      'in',
      group.map(record => record.deliveryId),
    )
    .where('lease_token', '=', token)
    .returning('id')
    .execute();
  return rows.map(row => row.id);
}

const toAttemptRow = ({ orgId, deliveryId, attempt }: AttemptRecord) => ({
  org_id: orgId,
  delivery_id: deliveryId,
  n: attempt.n,
  at: attempt.at,
  duration_ms: attempt.durationMs,
  status: attempt.status,
  code: attempt.code,
  message: attempt.message,
  request: attempt.request,
  response: attempt.response,
});

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
