import type { JobStore } from '../../../core/stores/jobs.ts';
import { read, type StoreOperations, write } from '../../operation.ts';
import * as files from './files.ts';
import * as jobs from './jobs.ts';

/** Jobs, their leases, and the files that they write. */
export const jobOperations: StoreOperations<JobStore> = {
  createJob: write(jobs.createJob),
  findJob: read(jobs.findJob),
  listJobs: read(jobs.listJobs),
  claimJob: write(jobs.claimJob),
  hasOpenJobs: read(jobs.hasOpenJobs),
  advanceJob: write(jobs.advanceJob),
  finishJob: write(jobs.finishJob),
  createExport: write(files.createExport),
  measureFile: read(files.measureFile),
  readFileChunk: read(files.readFileChunk),
  pruneFiles: write(files.pruneFiles),
  hasOutstanding: read(jobs.hasOutstanding),
};
