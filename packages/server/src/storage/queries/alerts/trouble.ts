import type { AlertStore, Trouble } from '../../../core/stores/alerts.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { findBacklogs } from './backlogs.ts';
import { findQuiet, findRejecting } from './sources.ts';

/** What is wrong at present, over all organisations; what fails is read apart, some organisations at a time. */
export const readTrouble: Operation<AlertStore['readTrouble']> = async (db, now, thresholds) => [
  ...(await findDown(db)),
  ...(await findRejecting(db, thresholds)),
  ...(await findQuiet(db, now)),
  ...(await findBacklogs(db, thresholds)),
  ...(await findFinishedJobs(db)),
];

/** All of them: one that is left out would be taken for one that is well again. */
async function findDown(db: Db): Promise<Trouble[]> {
  const rows = await db
    .selectFrom('destinations')
    .select(['org_id', 'id', 'kind', 'name', 'breaker_opened_at', 'last_failure'])
    .where('breaker_opened_at', 'is not', null)
    .execute();
  return rows.map(row => ({
    orgId: row.org_id,
    type: 'sluice.destination.down',
    subject: { type: 'destination', id: row.id, name: row.name, kind: row.kind },
    since: row.breaker_opened_at ?? 0,
    counts: {},
    lastError: row.last_failure,
  }));
}

const MOST_JOBS = 200;

async function findFinishedJobs(db: Db): Promise<Trouble[]> {
  const rows = await db
    .selectFrom('jobs')
    // Those of one that is deleted are there for a while: an event of it would be an event of nobody.
    .innerJoin('organisations', 'organisations.id', 'jobs.org_id')
    .select(['jobs.org_id', 'jobs.id', 'kind', 'state', 'total', 'done', 'failed', 'notes', 'finished_at'])
    .where('finished_at', 'is not', null)
    .where('announced', '=', 0)
    .orderBy('jobs.id')
    .limit(MOST_JOBS)
    .execute();
  return rows.map(row => ({
    orgId: row.org_id,
    type: 'sluice.job.finished',
    subject: { type: 'job', id: row.id, name: row.kind, kind: row.kind },
    since: row.finished_at ?? 0,
    counts: { total: row.total, done: row.done, failed: row.failed },
    lastError: (JSON.parse(row.notes) as string[]).at(-1) ?? null,
    state: row.state as 'done' | 'failed' | 'cancelled',
  }));
}
