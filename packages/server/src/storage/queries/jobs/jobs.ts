import type { Job, JobState, JobStore } from '../../../core/stores/jobs.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { discardFailures } from '../deliveries/dead-letters.ts';
import { discardDead, retryDelivery } from '../deliveries/delivery-ends.ts';

const toJob = (row: Schema['jobs']): Job => ({
  id: row.id,
  orgId: row.org_id,
  kind: row.kind,
  state: row.state as JobState,
  request: row.request,
  total: row.total,
  done: row.done,
  failed: row.failed,
  position: row.position,
  notes: JSON.parse(row.notes) as string[],
  createdBy: row.created_by,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

export const createJob: Operation<JobStore['createJob']> = (db, job) => insertJob(db, job, 0);

export async function insertJob(db: Db, job: Job, announced: 0 | 1): Promise<void> {
  await db
    .insertInto('jobs')
    .values({
      id: job.id,
      org_id: job.orgId,
      kind: job.kind,
      state: job.state,
      request: job.request,
      total: job.total,
      done: job.done,
      failed: job.failed,
      position: job.position,
      notes: JSON.stringify(job.notes),
      lease_until: 0,
      lease_token: '',
      created_by: job.createdBy,
      created_at: job.createdAt,
      finished_at: job.finishedAt,
      announced,
      file_gone: 0,
    })
    .execute();
}

export const findJob: Operation<JobStore['findJob']> = async (db, orgId, id) => {
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toJob(row) : null;
};

export const listJobs: Operation<JobStore['listJobs']> = async (db, orgId, { limit, below }) => {
  let query = db.selectFrom('jobs').selectAll().where('org_id', '=', orgId);
  if (below !== null) query = query.where('id', '<', below);
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toJob);
};

/** Those that nobody works on now. */
const openJobs = (db: Db, kinds: readonly string[], now: number) =>
  db
    .selectFrom('jobs')
    .selectAll()
    .where('finished_at', 'is', null)
    .where('kind', 'in', kinds)
    .where('lease_until', '<=', now);

export const claimJob: Operation<JobStore['claimJob']> = async (db, kinds, { token, now, leaseMs }) => {
  for (;;) {
    const open = await openJobs(db, kinds, now)
      .orderBy('lease_until')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!open) return null;
    const claimed = await db
      .updateTable('jobs')
      .set({ lease_until: now + leaseMs, lease_token: token })
      .where('org_id', '=', open.org_id)
      .where('id', '=', open.id)
      .where('finished_at', 'is', null)
      // Whoever was quicker has changed it.
      .where('lease_until', '=', open.lease_until)
      .returningAll()
      .executeTakeFirst();
    if (claimed) return { ...toJob(claimed), token };
  }
};

export const hasOpenJobs: Operation<JobStore['hasOpenJobs']> = async (db, kinds, now) =>
  (await openJobs(db, kinds, now).limit(1).executeTakeFirst()) !== undefined;

export const advanceJob: Operation<JobStore['advanceJob']> = async (
  db,
  { orgId, id, token },
  progress,
  until,
  {
    replays = [],
    deliveries = { ids: [], at: 0 },
    discards = { deliveries: [], events: [], at: 0 },
    chunk,
  } = {},
) => {
  const { total, done = 0, failed = 0, position, notes } = progress;
  const advanced = await db
    .updateTable('jobs')
    .set(eb => ({
      lease_until: until,
      total,
      position,
      notes: notes === undefined ? undefined : JSON.stringify(notes),
      done: eb(
        'done',
        '+',
        done + deliveries.ids.length + discards.deliveries.length + discards.events.length,
      ),
      failed: eb('failed', '+', failed),
    }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .where('finished_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!advanced) return false;
  for (const { eventId, plan } of replays) {
    await db
      .insertInto('parked_events')
      .values({
        org_id: orgId,
        event_id: eventId,
        job_id: id,
        due_at: 0,
        plan: plan === null ? null : JSON.stringify(plan),
      })
      .execute();
  }
  if (chunk !== undefined) {
    await db
      .insertInto('export_chunks')
      .values({ org_id: orgId, job_id: id, ...chunk })
      .execute();
  }
  let alive = 0;
  for (const delivery of deliveries.ids)
    if (!(await retryDelivery(db, orgId, delivery, deliveries.at))) alive++;
  alive += discards.deliveries.length - (await discardDead(db, orgId, discards.deliveries, discards.at));
  alive += discards.events.length - (await discardFailures(db, orgId, discards.events, discards.failures));
  if (alive > 0) {
    await db
      .updateTable('jobs')
      .set(eb => ({ failed: eb('failed', '+', alive) }))
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .execute();
  }
  return true;
};

export const finishJob: Operation<JobStore['finishJob']> = async (db, orgId, id, state, at, token) => {
  let query = db
    .updateTable('jobs')
    .set({ state, finished_at: at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('finished_at', 'is', null);
  if (token !== undefined) query = query.where('lease_token', '=', token);
  const finished = await query.returning('id').executeTakeFirst();
  if (!finished) return false;
  // What it has under way is not settled any more. An event that is being parked or claimed stands in the other place
  // by the time it is looked for in the one, so this ends when one look sees it in neither.
  do {
    for (const table of ['parked_events', 'event_claims'] as const) {
      await db.deleteFrom(table).where('org_id', '=', orgId).where('job_id', '=', id).execute();
    }
  } while (await hasOutstanding(db, orgId, id));
  return true;
};

/** With one statement: between two, an event goes from the second place to the first unseen. */
export const hasOutstanding: Operation<JobStore['hasOutstanding']> = async (db, orgId, jobId) => {
  const within = (table: 'parked_events' | 'event_claims') =>
    db.selectFrom(table).select('event_id').where('org_id', '=', orgId).where('job_id', '=', jobId);
  const found = await within('parked_events').unionAll(within('event_claims')).limit(1).executeTakeFirst();
  return found !== undefined;
};
