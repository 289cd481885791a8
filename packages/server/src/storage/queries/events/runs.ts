import type { RunOutcome } from '../../../core/event/outcome.ts';
import type { EventQueue, PlannedRun, RoutingNote, StoredRun } from '../../../core/stores/event-queue.ts';
import { fullTrace } from '../../kept-run.ts';
import type { Operation } from '../../operation.ts';
import type { Schema } from '../../schema.ts';

/** Runs of an event: what each pipeline made of it. */

type RunRow = Omit<Schema['all_runs'], 'source_name' | 'mended' | 'org_id' | 'event_id'> & {
  payload: string;
};

const toRun = (row: RunRow): StoredRun => ({
  id: row.id,
  pipelineId: row.pipeline_id,
  pipelineName: row.pipeline_name,
  version: row.version,
  outcome: row.outcome as RunOutcome['kind'],
  step: row.failed_step,
  reason: row.reason,
  trace: fullTrace(row, row.payload),
  notes: row.notes === null ? [] : (JSON.parse(row.notes) as RoutingNote[]),
  jobId: row.replay_job_id === '' ? null : row.replay_job_id,
  createdAt: row.created_at,
});

export const listRuns: Operation<EventQueue['listRuns']> = async (db, orgId, eventId, latest = MOST_RUNS) => {
  const rows = (
    await db
      .selectFrom('all_runs')
      .select([
        'id',
        'pipeline_id',
        'pipeline_name',
        'version',
        'outcome',
        'failed_step',
        'reason',
        'output',
        'trace',
        'notes',
        'replay_job_id',
        'created_at',
      ])
      .where('org_id', '=', orgId)
      .where('event_id', '=', eventId)
      .orderBy('id', 'desc')
      .limit(latest)
      .execute()
  ).reverse();
  if (rows.length === 0) return [];
  const event = await db
    .selectFrom('events')
    .select('payload')
    .where('org_id', '=', orgId)
    .where('id', '=', eventId)
    .executeTakeFirst();
  return rows.map(row => toRun({ ...row, payload: event?.payload ?? '' }));
};

/** More than anybody replays one event. */
const MOST_RUNS = 10_000;

export const findRetry: Operation<EventQueue['findRetry']> = async (db, orgId, eventId) => {
  // While it is tried again its plan stands with the claim.
  for (const table of ['parked_events', 'event_claims'] as const) {
    const found = await db
      .selectFrom(table)
      .select('plan')
      .where('org_id', '=', orgId)
      .where('event_id', '=', eventId)
      .where('job_id', '=', '')
      .where('plan', 'is not', null)
      .executeTakeFirst();
    if (found?.plan) return JSON.parse(found.plan) as PlannedRun[];
  }
  return null;
};

export const listFirstRuns: Operation<EventQueue['listFirstRuns']> = async (db, orgId, eventIds) => {
  const plans: Record<string, PlannedRun[]> = {};
  if (eventIds.length === 0) return plans;
  const rows = await db
    .selectFrom('all_runs')
    .select(['event_id', 'pipeline_id', 'version'])
    .where('org_id', '=', orgId)
    .where('event_id', 'in', eventIds)
    .where('replay_job_id', '=', '')
    .orderBy('id')
    .execute();
  for (const { event_id, pipeline_id, version } of rows) {
    plans[event_id] ??= [];
    plans[event_id].push({ pipelineId: pipeline_id, version, retries: 0, dueAt: 0 });
  }
  return plans;
};
