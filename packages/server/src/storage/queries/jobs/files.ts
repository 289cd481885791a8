import { EXPORT_JOB, exportJobs, LETTERS_EXPORT_JOB } from '../../../core/jobs/export-job.ts';
import type { JobStore } from '../../../core/stores/jobs.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { insertJob } from './jobs.ts';

/**
 * The files that jobs write: kept in pieces beside them, so that any node can hand one out, for a time. One may have
 * hundreds of pieces of a megabyte or more, so it is never removed in one step: it is marked as gone, from when on nobody
 * reads it, and `pruneFiles` removes the pieces.
 */

export const createExport: Operation<JobStore['createExport']> = async (
  db,
  job,
  { mostRunning, mostKept, isSilent = false },
) => {
  // Two at once would each count without the other.
  await lockOrganisation(db, job.orgId);
  const running = await db
    .selectFrom('jobs')
    .select('id')
    .where('org_id', '=', job.orgId)
    .where('kind', 'in', exportJobs)
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
    .where('file_gone', '=', 0)
    .orderBy('id', 'desc')
    .offset(mostKept)
    .limit(100)
    .execute();
  if (ended.length > 0) {
    const ids = ended.map(({ id }) => id);
    await db
      .updateTable('jobs')
      .set({ file_gone: 1 })
      .where('org_id', '=', job.orgId)
      .where('id', 'in', ids)
      .execute();
  }
  await insertJob(db, job, isSilent ? 1 : 0);
  return 'created';
};

const lockOrganisation = (db: Db, orgId: string) =>
  db
    .updateTable('organisations')
    .set(eb => ({ id: eb.ref('id') }))
    .where('id', '=', orgId)
    .execute();

/** The pieces of a file that is not gone. */
const piecesOf = (db: Db, orgId: string, jobId: string) =>
  db
    .selectFrom('export_chunks')
    .innerJoin('jobs', join =>
      join.onRef('jobs.org_id', '=', 'export_chunks.org_id').onRef('jobs.id', '=', 'export_chunks.job_id'),
    )
    .where('export_chunks.org_id', '=', orgId)
    .where('export_chunks.job_id', '=', jobId)
    .where('jobs.file_gone', '=', 0);

export const measureFile: Operation<JobStore['measureFile']> = async (db, orgId, jobId) => {
  const { chunks, bytes } = await piecesOf(db, orgId, jobId)
    .select(({ fn }) => [fn.countAll<number>().as('chunks'), fn.sum<number | null>('bytes').as('bytes')])
    .executeTakeFirstOrThrow();
  return Number(chunks) === 0 ? null : { chunks: Number(chunks), bytes: Number(bytes) };
};

export const readFileChunk: Operation<JobStore['readFileChunk']> = async (db, orgId, jobId, n) => {
  const row = await piecesOf(db, orgId, jobId).select('body').where('n', '=', n).executeTakeFirst();
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
        eb('jobs.file_gone', '=', 1),
      ]),
    )
    .limit(limit)
    .execute();
  for (const row of rows) await removePiece(db, row);
  return rows.length;
};

const removePiece = (
  db: Db,
  { org_id, job_id, n }: Pick<Schema['export_chunks'], 'org_id' | 'job_id' | 'n'>,
) =>
  db
    .deleteFrom('export_chunks')
    .where('org_id', '=', org_id)
    .where('job_id', '=', job_id)
    .where('n', '=', n)
    .execute();

/** Of an organisation that is deleted; answers how many pieces went. */
export async function removePiecesOf(db: Db, orgId: string, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('export_chunks')
    .select(['org_id', 'job_id', 'n'])
    .where('org_id', '=', orgId)
    .orderBy('job_id')
    .orderBy('n')
    .limit(limit)
    .execute();
  for (const row of rows) await removePiece(db, row);
  return rows.length;
}

/** Whose files have payloads. */
const holdEvents = [EXPORT_JOB, LETTERS_EXPORT_JOB];

/**
 * Of an organisation in which somebody's events are erased: no copy of them stays in a file. One that is being written
 * may hold some already, so it fails and has to be asked for again. The audit log has none of them.
 */
export async function withdrawFilesOf(db: Db, orgId: string, at: number): Promise<void> {
  // One that begins now would read what is about to be erased, and be missed here.
  await lockOrganisation(db, orgId);
  await db
    .updateTable('jobs')
    .set({
      state: 'failed',
      finished_at: at,
      file_gone: 1,
      notes: JSON.stringify(['Events were erased while it ran. Start it again.']),
    })
    .where('org_id', '=', orgId)
    .where('kind', 'in', holdEvents)
    .where('finished_at', 'is', null)
    .execute();
  await db
    .updateTable('jobs')
    .set({ file_gone: 1 })
    .where('org_id', '=', orgId)
    .where('kind', 'in', holdEvents)
    .where('id', 'in', eb => eb.selectFrom('export_chunks').select('job_id').where('org_id', '=', orgId))
    .where('file_gone', '=', 0)
    .execute();
}
