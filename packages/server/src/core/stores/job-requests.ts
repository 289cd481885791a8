import type { EventFilter } from './journal.ts';

/** Events once more through pipelines, as a job. */
export const REPLAY_JOB = 'replay';

export interface ReplayRequest {
  /** One event alone. */
  readonly eventId?: string;
  readonly filter: EventFilter;
  readonly version: 'current' | 'original';
}
