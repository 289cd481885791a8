import type { Clock } from '../../core/clock.ts';
import type { DeadLetterActions, StartLetterJob } from '../../core/jobs/dead-letters.ts';
import { newJob } from '../../core/jobs/new-job.ts';
import type { Job, JobStore } from '../../core/stores/jobs.ts';

/** Among so many of the latest jobs one that is still at it is looked for. */
const JOBS_LOOKED_AT = 100;

/** Starts a job on dead letters; `work/letter-jobs.ts` does it. */
export function createJobStart(
  kind: string,
  options: {
    readonly jobs: Pick<JobStore, 'audited' | 'listJobs'>;
    readonly clock: Clock;
    readonly count: DeadLetterActions['count'];
    onDeliveriesDue(): void;
  },
): StartLetterJob {
  const { jobs, clock, count } = options;

  /** Two at once would each run an event that failed: it would be delivered twice for a double click. */
  async function findUnderWay(orgId: string, request: string): Promise<Job | undefined> {
    const latest = await jobs.listJobs(orgId, { limit: JOBS_LOOKED_AT, below: null });
    return latest.find(job => job.kind === kind && job.finishedAt === null && job.request === request);
  }

  return async (orgId, selection, { by, record }) => {
    const request = JSON.stringify(selection);
    const underWay = await findUnderWay(orgId, request);
    if (underWay) return { job: underWay, isNew: false };
    const createdAt = clock.now();
    const { deliveries, events } = await count(orgId, selection);
    const total = deliveries + events;
    const job = newJob({ orgId, kind, request, total, createdBy: by, createdAt });
    await jobs.audited(record(job)).createJob(job);
    options.onDeliveriesDue();
    return { job, isNew: true };
  };
}
