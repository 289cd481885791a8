import { expressionBuilder, type SqlBool, sql } from 'kysely';
import { idFloor } from '../../../core/ids.ts';
import type { DeliveryFilter, StoredDelivery } from '../../../core/stores/delivery.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import { claimedDeliveryJoins } from '../../claimed-delivery.ts';
import { fullRequest, isAbridged } from '../../kept-attempt.ts';
import { fullOutput, outputColumn } from '../../kept-run.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { stillClaimed } from '../../still-claimed.ts';
import { ownerOfWaiting, waitingIds } from '../counters/waiting.ts';
import { isHeld } from './held.ts';
import { countOpen, listOpenIds, OPEN_STATES, type OpenState } from './open-deliveries.ts';
import { shownDeliveryState } from './shown-state.ts';

/** Deliveries and their attempts, listed, counted and found; and the claims that senders have on them. */

// --- Listing ---------------------------------------------------------------------------------------------

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
    // Not the texts of its run and its attempt, which nobody is shown in a list.
    .select([
      'deliveries.id',
      'deliveries.org_id',
      'deliveries.event_id',
      'deliveries.run_id',
      'deliveries.pipeline_id',
      'deliveries.pipeline_name',
      'deliveries.destination_id',
      'deliveries.destination_name',
      'deliveries.destination_kind',
      'deliveries.attempt',
      'deliveries.due_at',
      'deliveries.code',
      'deliveries.attempt_status',
      'deliveries.created_at',
      'deliveries.finished_at',
      'deliveries.replayed_by',
      'deliveries.down_since',
      'deliveries.probed_at',
      'events.type as event_type',
      'destinations.breaker_opened_at',
      'destinations.last_probe_at',
      shownDeliveryState.as('shown_state'),
    ])
    .where('deliveries.org_id', '=', orgId);

type ShownRow = Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number];

const toDelivery = (row: ShownRow): StoredDelivery => ({
  id: row.id,
  orgId: row.org_id,
  eventId: row.event_id,
  eventType: row.event_type ?? '',
  runId: row.run_id,
  pipeline: { id: row.pipeline_id, name: row.pipeline_name },
  destination: { id: row.destination_id, name: row.destination_name, kind: row.destination_kind },
  state: row.shown_state,
  attempt: row.attempt,
  nextAttemptAt: row.finished_at === null && row.shown_state !== 'cancelled' ? row.due_at : null,
  code: row.code,
  // A delivered one may have the status that it was taken with.
  status: row.shown_state === 'delivered' ? null : row.attempt_status,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  replayedBy: row.replayed_by,
  outage: outageOf(row),
});

/** What is held waits for somebody, not for its destination. */
function outageOf(row: ShownRow): StoredDelivery['outage'] {
  // One that a replay has made again is cancelled since, and died of the same.
  const hasDied = row.shown_state === 'dead' || row.replayed_by !== null;
  if (hasDied && row.down_since !== null) return { downSince: row.down_since, probedAt: row.probed_at };
  const isWaiting = row.shown_state === 'pending' || row.shown_state === 'retrying';
  return isWaiting && row.breaker_opened_at !== null
    ? { downSince: row.breaker_opened_at, probedAt: row.last_probe_at }
    : null;
}

/**
 * What is open, dead, cancelled or has failed is little beside what was delivered, and each has an index of its own.
 * Where that of the destination would only be in the way, the destination is compared as an expression, so that no
 * planner prefers it.
 */
function matches(filter: DeliveryFilter) {
  const { event, pipeline, code, status, destination, state, ids, endedBy, madeAfter, madeBefore } = filter;
  const eb = expressionBuilder<Schema, 'deliveries'>();
  const hasIndex = code === undefined && (state === undefined || state === 'delivered' || state === 'dead');
  const conditions = [
    event !== undefined && eb('deliveries.event_id', '=', event),
    pipeline !== undefined && eb('deliveries.pipeline_id', '=', pipeline),
    code !== undefined && eb('deliveries.code', '=', code),
    status !== undefined && eb('deliveries.attempt_status', status === null ? 'is' : '=', status),
    // A delivered one has the status that it was taken with, if it took one attempt. The index of the dead knows no state.
    status !== undefined && state !== 'dead' && eb('deliveries.state', '<>', 'delivered'),
    // What was never sent has no status either, and what is dead always has a code.
    status === null && state !== 'dead' && eb('deliveries.code', 'is not', null),
    ids !== undefined && eb('deliveries.id', 'in', ids),
    endedBy !== undefined && eb('deliveries.finished_at', '<=', endedBy),
    // An id holds when it was made.
    madeAfter !== undefined && eb('deliveries.id', '>=', idFloor('dlv', madeAfter + 1)),
    madeBefore !== undefined && eb('deliveries.id', '<', idFloor('dlv', madeBefore)),
    destination !== undefined &&
      (hasIndex
        ? eb('deliveries.destination_id', '=', destination)
        : eb(sql<string>`deliveries.destination_id || ''`, '=', destination)),
  ];
  return eb.and(conditions.filter(condition => condition !== false));
}

/** An event has few, and a code an index of its own. */
const isNarrow = ({ event, code }: DeliveryFilter): boolean => event !== undefined || code !== undefined;

/**
 * The rows that match, in parts: together they are all of them, and none is in two. Open ones come as their ids, and
 * first, since nothing that has ended here is open again.
 */
function parts(
  db: Db,
  orgId: string,
  filter: DeliveryFilter,
): readonly (ReturnType<typeof shown> | OpenState)[] {
  const query = shown(db, orgId).where(matches(filter));
  const { state, event, status } = filter;
  // Its index holds what has ended there.
  const isOfDestination = filter.destination !== undefined && !isNarrow(filter);
  switch (state) {
    case undefined:
      // Nothing that was delivered has one to be found by, and that is nearly all there is.
      if (status !== undefined && !isNarrow(filter))
        return (['open', 'dead', 'cancelled'] as const).flatMap(state =>
          parts(db, orgId, { ...filter, state }),
        );
      return isOfDestination ? [...OPEN_STATES, query.where(hasEnded)] : [query];
    case 'dead':
      return [query.where(isDead)];
    case 'delivered':
      if (status !== undefined) return [];
      return [(isOfDestination ? query.where(hasEnded) : query).where('deliveries.state', '=', 'delivered')];
    case 'waiting':
    case 'open': {
      const states: OpenState[] =
        state === 'waiting' ? ['pending', 'delivering'] : ['pending', 'retrying', 'held', 'delivering'];
      // What is open of an event is found by looking at each; of a code there may be many that are dead.
      return event === undefined ? states : [query.where(shownDeliveryState, 'in', states)];
    }
    default:
      if (event !== undefined) return [query.where(shownDeliveryState, '=', state)];
      return state === 'cancelled'
        ? [state, query.where(sql<SqlBool>`deliveries.state = 'cancelled'`)]
        : [state];
  }
}

const hasEnded = sql<SqlBool>`deliveries.finished_at IS NOT NULL`;
const isDead = sql<SqlBool>`deliveries.state = 'dead'`;

/** Without what is shown beside them: an index alone can count these. */
export const deadDeliveries = (db: Db, orgId: string, filter: Omit<DeliveryFilter, 'state'>) =>
  db
    .selectFrom('deliveries')
    .where('deliveries.org_id', '=', orgId)
    .where(matches({ ...filter, state: 'dead' }))
    .where(isDead);

export const listDeliveries: Operation<DeliveryQueue['listDeliveries']> = async (
  db,
  orgId,
  filter,
  { limit, below },
) => {
  // What is cancelled while this looks was open first, and is found twice.
  const found = new Map<string, StoredDelivery>();
  const keep = (rows: readonly ShownRow[]) => {
    for (const row of rows) found.set(row.id, toDelivery(row));
  };
  for (const part of parts(db, orgId, filter)) {
    if (typeof part === 'string') {
      keep(await listOpen(db, orgId, part, filter, { limit, below }));
      continue;
    }
    const query = below === null ? part : part.where('deliveries.id', '<', below);
    // An event has few: sorting them is quick, and going through all deliveries in their order is not.
    const order = filter.event === undefined ? 'deliveries.id' : sql`deliveries.id || ''`;
    keep(await query.orderBy(order, 'desc').limit(limit).execute());
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
};

/** What has gone on since its id was found is made up for by what comes next: only at the end are there too few. */
async function listOpen(
  db: Db,
  orgId: string,
  state: OpenState,
  filter: DeliveryFilter,
  page: { readonly limit: number; readonly below: string | null },
): Promise<ShownRow[]> {
  const found: ShownRow[] = [];
  for (let below = page.below; ; ) {
    const limit = page.limit - found.length;
    const ids = await listOpenIds(db, orgId, state, filter, { limit, below });
    const last = ids.at(-1);
    if (last === undefined) return found;
    const rows = shown(db, orgId).where('deliveries.id', 'in', ids).where(shownDeliveryState, '=', state);
    found.push(...(await rows.execute()));
    if (ids.length < limit || found.length === page.limit) return found;
    below = last;
  }
}

export const findDelivery: Operation<DeliveryQueue['findDelivery']> = async (db, orgId, id) => {
  const row = await shown(db, orgId).where('deliveries.id', '=', id).executeTakeFirst();
  return row ? toDelivery(row) : null;
};

export const countDeliveries: Operation<DeliveryQueue['countDeliveries']> = async (
  db,
  orgId,
  filter,
  most,
) => {
  const all =
    filter.state === 'dead'
      ? [deadDeliveries(db, orgId, filter).select('deliveries.id')]
      : parts(db, orgId, filter).map(part =>
          typeof part === 'string' ? part : part.clearSelect().select('deliveries.id'),
        );
  let counted = 0;
  for (const ids of all) {
    if (typeof ids === 'string') {
      counted += await countOpen(db, orgId, ids, filter, most === undefined ? most : most - counted);
      continue;
    }
    const { count } = await db
      .selectFrom((most === undefined ? ids : ids.limit(most - counted)).as('found'))
      .select(eb => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    counted += Number(count);
  }
  return counted;
};

export const listAttempts: Operation<DeliveryQueue['listAttempts']> = async (
  db,
  orgId,
  deliveryId,
  latest = MOST_ATTEMPTS,
) => {
  const rows = (
    await db
      .selectFrom('all_attempts')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('delivery_id', '=', deliveryId)
      .orderBy('n', 'desc')
      .limit(latest)
      .execute()
  ).reverse();
  const repeated = rows.some(({ request }) => isAbridged(request))
    ? await findRepeated(db, orgId, deliveryId)
    : undefined;
  return rows.map(row => ({
    n: row.n,
    at: row.at,
    durationMs: row.duration_ms,
    status: row.status,
    code: row.code,
    message: row.message,
    request: repeated ? fullRequest(row.request, { ...repeated, deliveryId, n: row.n }) : row.request,
    response: row.response,
    ...(row.exchange === null ? {} : { exchange: row.exchange }),
  }));
};

/** Of a delivery, its run and its event: what its requests have been kept without. */
async function findRepeated(db: Db, orgId: string, deliveryId: string) {
  const { rows } = await sql<{ id: string; type: string; payload: string; output: string }>`
    SELECT event.id, event.type, event.payload, ${sql.raw(outputColumn)} AS output
    FROM deliveries AS delivery ${sql.raw(claimedDeliveryJoins)}
    WHERE delivery.org_id = ${orgId} AND delivery.id = ${deliveryId}`.execute(db);
  return rows.map(({ id, type, payload, output }) => ({
    eventId: id,
    eventType: type,
    output: fullOutput(output, payload),
  }))[0];
}

export const findOutput: Operation<DeliveryQueue['findOutput']> = async (
  db,
  orgId,
  eventId,
  destinationId,
) => {
  const { rows } = await sql<{ payload: string; output: string; source_name: string | null }>`
    SELECT event.payload, ${sql.raw(outputColumn)} AS output,
           coalesce(delivery.run_source_name, run.source_name) AS source_name
    FROM deliveries AS delivery ${sql.raw(claimedDeliveryJoins)}
    WHERE delivery.org_id = ${orgId} AND delivery.event_id = ${eventId}
      AND delivery.destination_id = ${destinationId}
    ORDER BY delivery.id DESC LIMIT 1`.execute(db);
  const [found] = rows;
  return found === undefined
    ? null
    : { output: fullOutput(found.output, found.payload), sourceName: found.source_name };
};

/** More than any delivery has, however often it is retried by hand. */
const MOST_ATTEMPTS = 10_000;

// --- The worker's way ------------------------------------------------------------------------------------

export const listWaitingDestinations: Operation<DeliveryQueue['listWaitingDestinations']> = async db => {
  const { rows } = await sql<{ org_id: string; id: string; due_at: number; held: number }>`
    ${waitingIds}
    SELECT destinations.org_id, destinations.id, CASE WHEN ${isHeld} THEN 1 ELSE 0 END AS held,
      (SELECT min(due_at) FROM deliveries
       WHERE state IN ('pending', 'retrying') AND destination_id = waiting.id) AS due_at
    FROM waiting JOIN destinations ON destinations.id = waiting.id AND destinations.org_id = ${ownerOfWaiting}`.execute(
    db,
  );
  return rows.map(row => ({
    orgId: row.org_id,
    destinationId: row.id,
    dueAt: Number(row.due_at),
    isHeld: Number(row.held) === 1,
  }));
};

/**
 * What goes back keeps its place: retrying where it has been attempted, if only as a probe, pending where it has not,
 * also where somebody only made it due sooner.
 */
export const openAgain = sql<string>`
  CASE WHEN attempt > budget_from OR (waiting_from IS NOT NULL AND attempt > 0) THEN 'retrying' ELSE 'pending' END`;

/** What was claimed was due, although the clock may have gone back since: nobody would look for it then. */
export const dueStill = (at: number) => sql<number>`CASE WHEN due_at > ${at} THEN ${at} ELSE due_at END`;

export const releaseDeliveries: Operation<DeliveryQueue['releaseDeliveries']> = async (db, claims, at) => {
  for (const [orgId, group] of Map.groupBy(claims, one => one.orgId)) {
    for (let from = 0; from < group.length; from += RELEASED_AT_ONCE) {
      const some = group.slice(from, from + RELEASED_AT_ONCE);
      const ids = some.map(({ id }) => id);
      // A token is never used again: whoever has one of these had them all.
      const tokens = [...new Set(some.map(({ token }) => token))];
      await db
        .updateTable('deliveries')
        .set({ state: openAgain, due_at: dueStill(at), lease_token: null })
        .where('org_id', '=', orgId)
        .where('id', 'in', ids)
        .where('lease_token', 'in', tokens)
        .execute();
    }
  }
};

/** A statement has room for a limited number of values. */
const RELEASED_AT_ONCE = 500;

export const findClaimed: Operation<DeliveryQueue['findClaimed']> = (db, claims) =>
  stillClaimed(claims, (orgId, ids) =>
    db
      .selectFrom('deliveries')
      .select(['id', 'lease_token as token'])
      .where('org_id', '=', orgId)
      .where('id', 'in', ids)
      .execute(),
  );
