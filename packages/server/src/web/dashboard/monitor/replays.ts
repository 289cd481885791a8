import { Problem } from '../../../core/errors.ts';
import type { ReplayActions } from '../../../core/jobs/replay.ts';
import type { Journal } from '../../../core/stores/journal.ts';
import type { Calls } from '../calls.ts';
import { toFilter } from './event-filter.ts';
import { showJob } from './jobs.ts';

/** Events once more through the pipelines of today, or through the versions that they saw first: always a job. */
export function replayCalls(
  calls: Calls,
  { replays, journal }: { readonly replays: ReplayActions; readonly journal: Pick<Journal, 'findEvent'> },
): void {
  calls.on('POST /events/:id/replay', 'events.replay', async call => {
    const { orgId, email } = call.session;
    const event = await journal.findEvent(orgId, call.param('id'));
    if (event === null) throw new Problem('not_found');
    const { version } = await call.body();
    const job = await replays.replayEvent(orgId, event, version, {
      by: email,
      record: () => call.record('event.replayed', event.id, { version }),
    });
    return call.answer(showJob(job), 201);
  });

  calls.on('POST /replays', 'events.replay', async call => {
    const { orgId, email } = call.session;
    const { filter: given, version } = await call.body();
    const filter = toFilter(given);
    const job = await replays.replayEvents(orgId, filter, version, {
      by: email,
      record: () => call.record('events.replayed', orgId, { filter, version }),
    });
    return call.answer(showJob(job), 201);
  });
}
