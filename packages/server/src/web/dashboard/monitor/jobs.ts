import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { DISCARD_JOB, RETRY_JOB, readSelection } from '../../../core/jobs/dead-letters.ts';
import { type ExportActions, isExport, readExportRequest } from '../../../core/jobs/export.ts';
import { AUDIT_EXPORT_JOB, EXPORT_JOB, LETTERS_EXPORT_JOB } from '../../../core/jobs/export-job.ts';
import { REPLAY_JOB, readReplayRequest } from '../../../core/jobs/replay.ts';
import type { Job, JobStore } from '../../../core/stores/jobs.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { requirePermission } from '../permissions.ts';
import { optionalTime } from '../records.ts';
import { showAuditFilter } from './audit-filter.ts';
import { showSelection } from './dead-letter-filter.ts';
import { showFilter } from './event-filter.ts';

/** Long pieces of work: how far they have come, and how to stop them. */
export function jobCalls(
  calls: Calls,
  {
    jobs,
    exports,
    clock,
  }: {
    readonly jobs: Pick<JobStore, 'audited' | 'findJob' | 'listJobs'>;
    readonly exports: Pick<ExportActions, 'findFile'>;
    readonly clock: Clock;
  },
): void {
  async function find({ session, param }: SessionCall<'id'>): Promise<Job> {
    const job = await jobs.findJob(session.orgId, param('id'));
    if (job === null) throw new Problem('not_found');
    return job;
  }

  calls.on('GET /jobs', 'read', async call => {
    const page = call.page('jobs', call.query());
    const found = await jobs.listJobs(call.session.orgId, { limit: page.limit + 1, below: page.position });
    const shown = found.slice(0, page.limit);
    return page.answer(shown.map(showJob), found.length > shown.length ? (shown.at(-1)?.id ?? null) : null);
  });

  calls.on('GET /jobs/:id', 'read', async call => {
    const job = await find(call);
    const file = await exports.findFile(job);
    return call.answer({
      ...showJob(job),
      ...(file && { file: { bytes: file.bytes, until: toRfc3339(file.until) } }),
    });
  });

  calls.on('POST /jobs/:id/cancel', 'read', async call => {
    const { orgId, id, kind, createdBy } = await find(call);
    // Whoever asked for it may have been allowed no more than that, as viewers are who export.
    if (createdBy !== call.session.email) requirePermission(call.session.role, 'jobs.cancel');
    const changes = jobs.audited(call.record('job.cancelled', id, { kind }));
    if (!(await changes.finishJob(orgId, id, 'cancelled', clock.now())))
      throw new Problem('conflict', { message: 'The job has already ended.' });
    return call.answer(showJob(await find(call)));
  });
}

export const showJob = (job: Job): JobRecord => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  request: showRequest(job),
  total: job.total,
  done: job.done,
  failed: job.failed,
  notes: [...job.notes],
  created_by: job.createdBy,
  created_at: toRfc3339(job.createdAt),
  finished_at: optionalTime(job.finishedAt),
});

/** In the words that it was asked for with. */
function showRequest(job: Job): unknown {
  if (job.kind === RETRY_JOB || job.kind === DISCARD_JOB) {
    const selection = readSelection(job);
    return { filter: showSelection(selection), selected: selection.filter.ids?.length };
  }
  if (isExport(job)) return showExport(job);
  if (job.kind !== REPLAY_JOB) return JSON.parse(job.request);
  const { eventId, filter, version } = readReplayRequest(job);
  return eventId === undefined ? { filter: showFilter(filter), version } : { event_id: eventId, version };
}

/** The same of an export, as it is on record too. */
export function showExport(job: Job): Readonly<Record<string, unknown>> {
  const request = readExportRequest(job);
  const { format } = request;
  switch (request.kind) {
    case EXPORT_JOB:
      return { filter: showFilter(request.filter), format };
    case LETTERS_EXPORT_JOB:
      return { filter: showSelection(request.selection), format };
    case AUDIT_EXPORT_JOB:
      return { filter: showAuditFilter(request.filter), format, with_addresses: request.withAddresses };
  }
}
