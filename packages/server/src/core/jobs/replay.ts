import { z } from 'zod';
import type { StoredEvent } from '../event/event.ts';
import type { Job } from '../stores/jobs.ts';
import type { EventFilter } from '../stores/journal.ts';
import type { JobOrigin } from './new-job.ts';
import { storedFilter } from './stored-filter.ts';

/** Events once more through pipelines, as a job. */
export const REPLAY_JOB = 'replay';

const replayRequest = z.object({
  /** One event alone. */
  eventId: z.string().optional(),
  filter: storedFilter,
  version: z.enum(['current', 'original']),
});
export type ReplayRequest = z.output<typeof replayRequest>;

export const readReplayRequest = ({ request }: Pick<Job, 'request'>): ReplayRequest =>
  replayRequest.parse(JSON.parse(request));

/** What the web asks of pipelines about replays. Each is a job: it is answered once that is stored. */
export interface ReplayActions {
  /** Refuses with a conflict while the event has not been processed for the first time. */
  replayEvent(
    orgId: string,
    event: Pick<StoredEvent, 'id' | 'state'>,
    version: ReplayRequest['version'],
    origin: JobOrigin,
  ): Promise<Job>;
  /** Those that match, of what has been accepted by now. */
  replayEvents(
    orgId: string,
    filter: EventFilter,
    version: ReplayRequest['version'],
    origin: JobOrigin,
  ): Promise<Job>;
}
