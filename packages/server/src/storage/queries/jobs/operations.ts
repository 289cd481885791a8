import type { JobStore } from '../../../core/stores/jobs.ts';
import { read, type StoreOperations, write } from '../../operation.ts';
import * as jobs from './jobs.ts';

/** Jobs and their leases. */
export const jobOperations: StoreOperations<JobStore> = {
  createJob: write(jobs.createJob),
  findJob: read(jobs.findJob),
  listJobs: read(jobs.listJobs),
  claimJob: write(jobs.claimJob),
  hasOpenJobs: read(jobs.hasOpenJobs),
  advanceJob: write(jobs.advanceJob),
  finishJob: write(jobs.finishJob),
  hasOutstanding: read(jobs.hasOutstanding),
};
