import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { idFloor } from '../../../core/ids.ts';
import type { FailedEventFilter, FailureFilter } from '../../../core/stores/dead-letters.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { deadDeliveries } from './deliveries.ts';
import { findLatest } from './latest.ts';

/** Dead letters as storage finds them: failed events, and groups of all that did not arrive. */

/** Nobody looks at more. */
const MOST_GROUPS = 100;

/** Whether a pipeline has not run this event since: it may have, at the same moment. */
const isLatest = (eb: ExpressionBuilder<Schema, 'runs'>) =>
  eb.and([
    eb.not(
      eb.exists(
        eb
          .selectFrom('runs as later')
          .select('later.id')
          .whereRef('later.org_id', '=', 'runs.org_id')
          .whereRef('later.event_id', '=', 'runs.event_id')
          .whereRef('later.pipeline_id', '=', 'runs.pipeline_id')
          .whereRef('later.id', '>', 'runs.id'),
      ),
    ),
    // Table by table: as one view they would be put together for every run.
    eb.not(
      eb.exists(
        eb
          .selectFrom('deliveries as made')
          .select('made.id')
          .whereRef('made.org_id', '=', 'runs.org_id')
          .whereRef('made.event_id', '=', 'runs.event_id')
          .whereRef('made.pipeline_id', '=', 'runs.pipeline_id')
          .where('made.run_trace', 'is not', null)
          .whereRef('made.run_id', '>', 'runs.id'),
      ),
    ),
  ]);

const failedRunsOfAll = (db: Db) =>
  db
    .selectFrom('runs')
    // Spelt out, so that the index of those that failed and were not resolved since is found.
    .where(sql<SqlBool>`runs.outcome = 'failed' AND runs.mended = 0`)
    .where(isLatest);

export function failedRuns(db: Db, orgId: string, filter: FailedEventFilter) {
  const { pipeline, event, step, reason, ids, endedBy, receivedAfter, receivedBefore } = filter;
  let query = failedRunsOfAll(db).where('runs.org_id', '=', orgId);
  if (pipeline !== undefined) query = query.where('runs.pipeline_id', '=', pipeline);
  if (event !== undefined) query = query.where('runs.event_id', '=', event);
  if (ids !== undefined) query = query.where('runs.event_id', 'in', ids);
  if (step !== undefined) query = query.where('runs.failed_step', step === null ? 'is' : '=', step);
  if (reason !== undefined) query = query.where('runs.reason', '=', reason);
  if (endedBy !== undefined) query = query.where('runs.created_at', '<=', endedBy);
  if (receivedAfter !== undefined)
    query = query.where('runs.event_id', '>=', idFloor('evt', receivedAfter + 1));
  if (receivedBefore !== undefined) query = query.where('runs.event_id', '<', idFloor('evt', receivedBefore));
  return query;
}

export const listFailedEvents: Operation<DeliveryQueue['listFailedEvents']> = async (
  db,
  orgId,
  { limit, below, ...filter },
) => {
  let query = failedRuns(db, orgId, filter).select('runs.event_id').distinct();
  if (below !== null) query = query.where('runs.event_id', '<', below);
  return (await query.orderBy('runs.event_id', 'desc').limit(limit).execute()).map(row => row.event_id);
};

export const countFailedEvents: Operation<DeliveryQueue['countFailedEvents']> = async (
  db,
  orgId,
  filter,
  most,
) => {
  const failed = failedRuns(db, orgId, filter).select('runs.event_id').distinct();
  const { count } = await db
    .selectFrom((most === undefined ? failed : failed.limit(most)).as('failed'))
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Of the whole installation. */
export async function countFailedEventsOfAll(db: Db, most: number): Promise<number> {
  const failed = failedRunsOfAll(db).select(['runs.org_id', 'runs.event_id']).distinct().limit(most);
  const { count } = await db
    .selectFrom(failed.as('failed'))
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export const listFailures: Operation<DeliveryQueue['listFailures']> = async (db, orgId, eventIds) => {
  if (eventIds.length === 0) return [];
  const rows = await failedRuns(db, orgId, {})
    .innerJoin('events', join =>
      join.onRef('events.org_id', '=', 'runs.org_id').onRef('events.id', '=', 'runs.event_id'),
    )
    .select([
      'runs.event_id',
      'events.type',
      'events.state',
      'events.received_at',
      'runs.pipeline_id',
      'runs.pipeline_name',
      'runs.version',
      'runs.failed_step',
      'runs.reason',
    ])
    .where('runs.event_id', 'in', eventIds)
    .orderBy('runs.id')
    .execute();
  const latest = new Map(rows.map(row => [`${row.event_id}\n${row.pipeline_id}`, row]));
  return [...latest.values()].map(row => ({
    eventId: row.event_id,
    eventType: row.type,
    eventState: row.state,
    receivedAt: row.received_at,
    pipelineId: row.pipeline_id,
    pipelineName: row.pipeline_name,
    version: row.version,
    step: row.failed_step,
    reason: row.reason,
  }));
};

export const discardFailedEvent: Operation<DeliveryQueue['discardFailedEvent']> = async (
  db,
  orgId,
  eventId,
) => (await discardFailures(db, orgId, [eventId])) > 0;

/** What these events failed in, as far as it matches. Answers how many of them had such a failure. */
export async function discardFailures(
  db: Db,
  orgId: string,
  eventIds: readonly string[],
  filter: FailureFilter = {},
): Promise<number> {
  if (eventIds.length === 0) return 0;
  const matching = await failedRuns(db, orgId, { ...filter, ids: eventIds })
    .select(['runs.event_id', 'runs.pipeline_id'])
    .execute();
  const discarded = new Set<string>();
  // What the same pipeline failed in before its latest run goes as well: it would keep the event for nobody.
  for (const [pipelineId, failures] of Map.groupBy(matching, ({ pipeline_id }) => pipeline_id)) {
    const rows = await db
      .updateTable('runs')
      .set({ mended: DISCARDED })
      .where('org_id', '=', orgId)
      .where(
        'event_id',
        'in',
        failures.map(({ event_id }) => event_id),
      )
      .where('pipeline_id', '=', pipelineId)
      .where('outcome', '=', 'failed')
      .where('mended', '=', 0)
      .returning('event_id')
      .execute();
    for (const { event_id } of rows) discarded.add(event_id);
  }
  return discarded.size;
}

/** In the column `mended`: nobody wants it any more. */
const DISCARDED = 2;

export const listDeadGroups: Operation<DeliveryQueue['listDeadGroups']> = async (db, orgId, filter, most) => {
  const dead = deadDeliveries(db, orgId, filter)
    .select(['deliveries.id', 'deliveries.destination_id', 'deliveries.code', 'deliveries.attempt_status'])
    .orderBy('deliveries.id', 'desc')
    .limit(most);
  const groups = await db
    .selectFrom(dead.as('dead'))
    .select(eb => [
      'destination_id',
      'code',
      'attempt_status as status',
      eb.fn.max('id').as('latest'),
      eb.fn.countAll<number>().as('count'),
    ])
    .groupBy(['destination_id', 'code', 'attempt_status'])
    .orderBy('count', 'desc')
    .orderBy('latest', 'desc')
    .limit(MOST_GROUPS)
    .execute();
  const latest = await findLatest(
    db,
    orgId,
    groups.map(group => group.latest),
  );
  return groups.map(({ destination_id, code, status, latest: id, count }) => {
    const { name = '', kind = '', message = null } = latest.get(id) ?? {};
    return { destination: { id: destination_id, name, kind }, code, status, count: Number(count), message };
  });
};

export const countDeadByRoute: Operation<DeliveryQueue['countDeadByRoute']> = async (
  db,
  orgId,
  filter,
  most,
) => {
  const dead = deadDeliveries(db, orgId, filter)
    .select(['deliveries.pipeline_id', 'deliveries.destination_id'])
    .orderBy('deliveries.id', 'desc')
    .limit(most + 1);
  const rows = await db
    .selectFrom(dead.as('dead'))
    .select(eb => ['pipeline_id', 'destination_id', eb.fn.countAll<number>().as('count')])
    .groupBy(['pipeline_id', 'destination_id'])
    .execute();
  const counts = rows.map(({ pipeline_id, destination_id, count }) => ({
    pipelineId: pipeline_id,
    destinationId: destination_id,
    count: Number(count),
  }));
  return { counts, more: counts.reduce((sum, { count }) => sum + count, 0) > most };
};

export const countFailedInEach: Operation<DeliveryQueue['countFailedInEach']> = async (
  db,
  orgId,
  filter,
  most,
) => {
  const failed = failedRuns(db, orgId, filter)
    .select(['runs.event_id', 'runs.pipeline_id', 'runs.version', 'runs.failed_step'])
    .orderBy('runs.event_id', 'desc')
    .limit(most + 1);
  const rows = await db
    .selectFrom(failed.as('failed'))
    .select(eb => [
      'pipeline_id as pipelineId',
      'version',
      'failed_step as step',
      eb.fn.countAll<number>().as('count'),
    ])
    .groupBy(['pipeline_id', 'version', 'failed_step'])
    .execute();
  const counts = rows.map(row => ({ ...row, count: Number(row.count) }));
  return { counts, more: counts.reduce((sum, { count }) => sum + count, 0) > most };
};

export const listFailedGroups: Operation<DeliveryQueue['listFailedGroups']> = async (
  db,
  orgId,
  filter,
  most,
) => {
  const failed = failedRuns(db, orgId, filter)
    .select(['runs.event_id', 'runs.pipeline_id', 'runs.pipeline_name', 'runs.failed_step', 'runs.reason'])
    .orderBy('runs.event_id', 'desc')
    .limit(most);
  const rows = await db
    .selectFrom(failed.as('failed'))
    .select(eb => [
      'pipeline_id',
      'failed_step as step',
      'reason',
      eb.fn.max('pipeline_name').as('name'),
      eb.fn.countAll<number>().as('count'),
    ])
    .groupBy(['pipeline_id', 'failed_step', 'reason'])
    .orderBy('count', 'desc')
    .orderBy('pipeline_id')
    .limit(MOST_GROUPS)
    .execute();
  return rows.map(({ pipeline_id, name, step, reason, count }) => ({
    pipeline: { id: pipeline_id, name },
    step,
    reason,
    count: Number(count),
  }));
};
