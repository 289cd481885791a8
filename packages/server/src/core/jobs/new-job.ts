import { newId } from '../ids.ts';
import type { AuditEntry } from '../stores/configuration/audit.ts';
import type { Job } from '../stores/jobs.ts';

/** Who asked for a job, and what the audit log is to hold of it. */
export interface JobOrigin {
  readonly by: string;
  record(job: Job): AuditEntry;
}

/** The record of a job that nobody has worked on yet. */
export const newJob = (
  asked: Pick<Job, 'orgId' | 'kind' | 'request' | 'total' | 'createdBy' | 'createdAt'>,
): Job => ({
  id: newId('job', asked.createdAt),
  state: 'running',
  done: 0,
  failed: 0,
  position: null,
  notes: [],
  finishedAt: null,
  ...asked,
});
