import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import { REPLAY_JOB, type ReplayRequest } from '../../../core/stores/job-requests.ts';
import type { Job, JobStore } from '../../../core/stores/jobs.ts';
import type { EventFilter, Journal } from '../../../core/stores/journal.ts';

import type { Calls } from '../calls.ts';
import type { SessionCallTo } from '../exchange.ts';
import { toFilter } from './event-filter.ts';
import { showJob } from './jobs.ts';

/** Events once more through the pipelines of today, or through the versions that they saw first: always a job. */
export function replayCalls(
  calls: Calls,
  {
    jobs,
    journal,
    clock,
  }: {
    readonly journal: Pick<Journal, 'findEvent'>;
    readonly jobs: Pick<JobStore, 'audited'>;
    readonly clock: Clock;
  },
): void {
  async function begin(
    call: Pick<SessionCallTo<'POST /replays'>, 'session' | 'answer'>,
    request: ReplayRequest,
    total: number,
    record: AuditEntry,
  ) {
    const now = clock.now();
    const job: Job = {
      id: newId('job', now),
      orgId: call.session.orgId,
      kind: REPLAY_JOB,
      state: 'running',
      request: JSON.stringify(request),
      total,
      done: 0,
      failed: 0,
      position: null,
      notes: [],
      createdBy: call.session.email,
      createdAt: now,
      finishedAt: null,
    };
    await jobs.audited(record).createJob(job);
    return call.answer(showJob(job), 201);
  }

  calls.on('POST /events/:id/replay', 'events.replay', async call => {
    const event = await journal.findEvent(call.session.orgId, call.param('id'));
    if (event === null) throw new Problem('not_found');
    const { version } = await call.body();
    if (event.state === 'accepted')
      throw new Problem('conflict', { message: 'The event has not been processed for the first time yet.' });
    const record = call.record('event.replayed', event.id, { version });
    return begin(call, { eventId: event.id, filter: {}, version }, 1, record);
  });

  calls.on('POST /replays', 'events.replay', async call => {
    const { filter: given, version } = await call.body();
    const filter: EventFilter = toFilter(given);
    const record = call.record('events.replayed', call.session.orgId, { filter, version });
    return begin(call, { filter, version }, 0, record);
  });
}
