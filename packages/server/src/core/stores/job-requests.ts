import type { EventFilter } from './storage.ts';

/** Events once more through pipelines, as a job. */
export const REPLAY_JOB = 'replay';

/** All dead letters that match once more, as a job. */
export const RETRY_JOB = 'dead_letters.retry';

export interface ReplayRequest {
  /** One event alone. */
  readonly eventId?: string;
  readonly filter: EventFilter;
  readonly version: 'current' | 'original';
}
