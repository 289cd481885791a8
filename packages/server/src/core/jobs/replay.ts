import { eventOutcomes } from '@sluice/contract/dashboard-events';
import { z } from 'zod';
import { eventStates, type StoredEvent } from '../event/event.ts';
import type { Job } from '../stores/jobs.ts';
import type { EventFilter } from '../stores/journal.ts';
import type { JobOrigin } from './new-job.ts';

/** Events once more through pipelines, as a job. */
export const REPLAY_JOB = 'replay';

const replayRequest = z.object({
  /** One event alone. */
  eventId: z.string().optional(),
  filter: z.object({
    state: z.enum(eventStates).optional(),
    outcome: z.enum(eventOutcomes).optional(),
    source: z.string().optional(),
    type: z.string().optional(),
    pipeline: z.string().optional(),
    destination: z.string().optional(),
    entity: z.object({ kind: z.string(), externalId: z.string() }).optional(),
    text: z.string().optional(),
    after: z.number().optional(),
    before: z.number().optional(),
    // A criterion that is missing here would be lost on the way to storage: more events than asked for would be run.
  } satisfies Record<keyof EventFilter, z.ZodType>),
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
