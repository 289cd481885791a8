import type { JobStore } from '../../../core/stores/jobs.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { createJob } from './jobs.ts';

/** The files that jobs write: kept in pieces beside them, so that any node can hand one out, for a time. */

export const createExport: Operation<JobStore['createExport']> = async (
  db,
  job,
  { mostRunning, mostKept },
) => {
  // Two at once would each count without the other.
  await db
    .updateTable('organisations')
    .set(eb => ({ id: eb.ref('id') }))
    .where('id', '=', job.orgId)
    .execute();
  const running = await db
    .selectFrom('jobs')
    .select('id')
    .where('org_id', '=', job.orgId)
    .where('kind', '=', job.kind)
    .where('finished_at', 'is', null)
    .limit(mostRunning)
    .execute();
  if (running.length >= mostRunning) return 'too_many';
  const ended = await db
    .selectFrom('jobs')
    .select('id')
    .where('org_id', '=', job.orgId)
    .where('id', 'in', eb => eb.selectFrom('export_chunks').select('job_id').where('org_id', '=', job.orgId))
    .where('finished_at', 'is not', null)
    .orderBy('id', 'desc')
    .offset(mostKept)
    .limit(100)
    .execute();
  for (const { id } of ended) await removeFile(db, job.orgId, id);
  await createJob(db, job);
  return 'created';
};

async function removeFile(db: Db, orgId: string, jobId: string): Promise<void> {
  await db.deleteFrom('export_chunks').where('org_id', '=', orgId).where('job_id', '=', jobId).execute();
}

export const measureFile: Operation<JobStore['measureFile']> = async (db, orgId, jobId) => {
  const { chunks, bytes } = await db
    .selectFrom('export_chunks')
    .select(({ fn }) => [fn.countAll<number>().as('chunks'), fn.sum<number | null>('bytes').as('bytes')])
    .where('org_id', '=', orgId)
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  return Number(chunks) === 0 ? null : { chunks: Number(chunks), bytes: Number(bytes) };
};

export const readFileChunk: Operation<JobStore['readFileChunk']> = async (db, orgId, jobId, n) => {
  const row = await db
    .selectFrom('export_chunks')
    .select('body')
    .where('org_id', '=', orgId)
    .where('job_id', '=', jobId)
    .where('n', '=', n)
    .executeTakeFirst();
  return row?.body ?? null;
};

export const pruneFiles: Operation<JobStore['pruneFiles']> = async (db, endedBefore, limit) => {
  const rows = await db
    .selectFrom('export_chunks')
    .leftJoin('jobs', join =>
      join.onRef('jobs.org_id', '=', 'export_chunks.org_id').onRef('jobs.id', '=', 'export_chunks.job_id'),
    )
    .select(['export_chunks.org_id', 'export_chunks.job_id', 'export_chunks.n'])
    .where(eb =>
      eb.or([
        eb('jobs.id', 'is', null),
        eb('jobs.finished_at', '<', endedBefore),
        eb('jobs.state', 'in', ['cancelled', 'failed']),
      ]),
    )
    .limit(limit)
    .execute();
  for (const { org_id, job_id, n } of rows) {
    await db
      .deleteFrom('export_chunks')
      .where('org_id', '=', org_id)
      .where('job_id', '=', job_id)
      .where('n', '=', n)
      .execute();
  }
  return rows.length;
};

/**
 * Of an organisation in which somebody's events are erased: no copy of them stays in a file. One that is being written
 * may hold some already, so it fails and has to be asked for again.
 */
export async function removeFilesOf(db: Db, orgId: string, kind: string, at: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({
      state: 'failed',
      finished_at: at,
      notes: JSON.stringify(['Events were erased while it ran. Start it again.']),
    })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('finished_at', 'is', null)
    .execute();
  await db.deleteFrom('export_chunks').where('org_id', '=', orgId).execute();
}
