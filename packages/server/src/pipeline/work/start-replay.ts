import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import { type JobOrigin, newJob } from '../../core/jobs/new-job.ts';
import { REPLAY_JOB, type ReplayActions, type ReplayRequest } from '../../core/jobs/replay.ts';
import type { Job, JobStore } from '../../core/stores/jobs.ts';

/** Starts the jobs that run events once more; `replay.ts` works on them. */
export function createReplayActions({
  jobs,
  clock,
}: {
  readonly jobs: Pick<JobStore, 'audited'>;
  readonly clock: Clock;
}): ReplayActions {
  async function start(
    orgId: string,
    request: ReplayRequest,
    total: number,
    { by, record }: JobOrigin,
  ): Promise<Job> {
    const job = newJob({
      orgId,
      kind: REPLAY_JOB,
      request: JSON.stringify(request),
      total,
      createdBy: by,
      createdAt: clock.now(),
    });
    await jobs.audited(record(job)).createJob(job);
    return job;
  }

  return {
    async replayEvent(orgId, { id, state }, version, origin) {
      if (state === 'accepted')
        throw new Problem('conflict', {
          message: 'The event has not been processed yet.',
        });
      return start(orgId, { eventId: id, filter: {}, version }, 1, origin);
    },
    // How many they are is not known before the job has counted them.
    replayEvents: (orgId, filter, version, origin) => start(orgId, { filter, version }, 0, origin),
  };
}
