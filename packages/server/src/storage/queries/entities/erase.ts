import { type Tombstones, tombstonesOf } from '../../../core/event/erasure.ts';
import { UNSETTLED } from '../../../core/event/state.ts';
import { idTime } from '../../../core/ids.ts';
import { WHOLE_ORGANISATION } from '../../../core/stores/counters.ts';
import type { EntityStore, ErasedSlice } from '../../../core/stores/entities.ts';
import { fullTrace } from '../../kept-run.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { deleteTestEventsOf } from '../configuration/test-events.ts';
import { writeCounts } from '../counters/write-counts.ts';
import { withdrawFilesOf } from '../jobs/files.ts';

/** Erasure: tombstones in place of the payloads of an entity's events, and of all that was made of them. */

/** Deliveries that something may still be sent for: a dead one too, since somebody may retry it. */
const NOT_ENDED = ['pending', 'retrying', 'delivering', 'dead'];

export const eraseEventsOfEntity: Operation<EntityStore['eraseEventsOfEntity']> = async (
  db,
  orgId,
  entity,
  { after, limit, at },
) => {
  let query = db
    .selectFrom('events')
    .select(['id', 'erased_at'])
    .where('org_id', '=', orgId)
    .where('entity_kind', '=', entity.kind)
    .where('entity_external_id', '=', entity.externalId);
  if (after !== null) query = query.where('id', '>', after);
  const slice = await query.orderBy('id').limit(limit).execute();
  const ids = slice.filter(({ erased_at }) => erased_at === null).map(({ id }) => id);
  if (after === null) await deleteTestEventsOf(db, orgId, entity);
  if (ids.length > 0) await withdrawFilesOf(db, orgId, at);
  const ended = ids.length > 0 ? await eraseEvents(db, orgId, ids, at) : { dropped: [], cancelled: 0 };
  return { erased: ids.length, ...ended, last: slice.length < limit ? null : (slice.at(-1)?.id ?? null) };
};

async function eraseEvents(
  db: Db,
  orgId: string,
  ids: readonly string[],
  at: number,
): Promise<Pick<ErasedSlice, 'dropped' | 'cancelled'>> {
  const tombstones = tombstonesOf(at);
  // First of all whoever works on them loses the right to: a result that comes late is refused.
  for (const table of ['event_claims', 'parked_events'] as const) {
    const ended = await db
      .deleteFrom(table)
      .where('org_id', '=', orgId)
      .where('event_id', 'in', ids)
      .returning('job_id')
      .execute();
    for (const { job_id } of ended) if (job_id !== '') await countAsDone(db, orgId, job_id);
  }
  const cancelled = await db
    .updateTable('deliveries')
    .set({ state: 'cancelled', lease_token: null, finished_at: at })
    .where('org_id', '=', orgId)
    .where('event_id', 'in', ids)
    .where('state', 'in', NOT_ENDED)
    .returning('id')
    .execute();
  // What has not been processed will not be.
  const dropped = await db
    .updateTable('events')
    .set({ state: 'dropped', claim_token: null })
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .where('state', 'in', UNSETTLED)
    .returning('id')
    .execute();
  await eraseRuns(db, orgId, ids, tombstones);
  await eraseAttempts(db, orgId, ids, tombstones);
  await eraseLastErrors(db, orgId, ids, at);
  // After these, since traces are read with it.
  await db
    .updateTable('events')
    .set({ payload: tombstones.payload, headers: null, erased_at: at })
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  await writeCounts(
    db,
    dropped.map(({ id }) => ({
      orgId,
      subject: WHOLE_ORGANISATION,
      name: 'dropped',
      at: idTime(id),
      amount: 1,
    })),
  );
  return { dropped: dropped.map(({ id }) => id), cancelled: cancelled.length };
}

/** A replay is through with an event that will not come. */
const countAsDone = (db: Db, orgId: string, jobId: string) =>
  db
    .updateTable('jobs')
    .set(eb => ({ done: eb('done', '+', 1) }))
    .where('org_id', '=', orgId)
    .where('id', '=', jobId)
    .where('finished_at', 'is', null)
    .execute();

async function eraseRuns(
  db: Db,
  orgId: string,
  eventIds: readonly string[],
  tombstones: Tombstones,
): Promise<void> {
  const events = await db
    .selectFrom('events')
    .select(['id', 'payload'])
    .where('org_id', '=', orgId)
    .where('id', 'in', eventIds)
    .execute();
  const payloads = new Map(events.map(({ id, payload }) => [id, payload]));
  const erasedTrace = (run: { event_id: string; trace: string; output: string }) =>
    tombstones.trace(fullTrace(run, payloads.get(run.event_id) ?? ''));
  const together = await db
    .selectFrom('deliveries')
    .select(['id', 'event_id', 'run_output as output', 'run_trace as trace'])
    .where('org_id', '=', orgId)
    .where('event_id', 'in', eventIds)
    .where('run_output', 'is not', null)
    .where('run_trace', 'is not', null)
    .$narrowType<{ output: string; trace: string }>()
    .execute();
  for (const run of together) {
    await db
      .updateTable('deliveries')
      .set({ run_output: tombstones.output, run_trace: erasedTrace(run) })
      .where('org_id', '=', orgId)
      .where('id', '=', run.id)
      .execute();
  }
  const runs = await db
    .selectFrom('runs')
    .select(['event_id', 'pipeline_id', 'replay_job_id', 'output', 'reason', 'trace', 'notes'])
    .where('org_id', '=', orgId)
    .where('event_id', 'in', eventIds)
    .execute();
  for (const run of runs) {
    await db
      .updateTable('runs')
      .set({
        output: run.output === '' ? '' : tombstones.output,
        reason: run.reason === null ? null : tombstones.note,
        trace: erasedTrace(run),
        // Why it did not go somewhere may quote what a condition saw.
        notes: null,
      })
      .where('org_id', '=', orgId)
      .where('event_id', '=', run.event_id)
      .where('pipeline_id', '=', run.pipeline_id)
      .where('replay_job_id', '=', run.replay_job_id)
      .execute();
  }
}

async function eraseAttempts(
  db: Db,
  orgId: string,
  eventIds: readonly string[],
  { note, request, response }: Tombstones,
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ attempt_request: request, attempt_response: response })
    .where('org_id', '=', orgId)
    .where('event_id', 'in', eventIds)
    .where('attempt_request', 'is not', null)
    .execute();
  await db
    .updateTable('attempts')
    .set(eb => ({
      request,
      response,
      exchange: null,
      message: eb.case().when('message', 'is', null).then(null).else(note).end(),
    }))
    .where('org_id', '=', orgId)
    .where('delivery_id', 'in', eb =>
      eb
        .selectFrom('deliveries')
        .select('deliveries.id')
        .where('deliveries.org_id', '=', orgId)
        .where('deliveries.event_id', 'in', eventIds),
    )
    .execute();
}

/** A destination has the message of its last failed attempt, whichever event that was of. */
async function eraseLastErrors(
  db: Db,
  orgId: string,
  eventIds: readonly string[],
  at: number,
): Promise<void> {
  const destinations = await db
    .selectFrom('deliveries')
    .select('destination_id')
    .distinct()
    .where('org_id', '=', orgId)
    .where('event_id', 'in', eventIds)
    .orderBy('destination_id')
    .execute();
  // In the order in which last errors are recorded, so that the two cannot deadlock.
  for (const { destination_id } of destinations) {
    await db
      .updateTable('destinations')
      // With its time, so that an earlier one that is yet to be recorded comes too late.
      .set({ last_failure: null, last_error: null, last_error_at: at })
      .where('org_id', '=', orgId)
      .where('id', '=', destination_id)
      .execute();
  }
}
