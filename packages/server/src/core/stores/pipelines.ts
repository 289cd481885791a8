/** Names from before the stores: taken out with the last of their users. */
import type { PipelineStore } from './configuration/pipelines.ts';
import type { CounterStore } from './counters.ts';
import type { EventQueue } from './event-queue.ts';
import type { JobStore } from './jobs.ts';

export * from './configuration/pipelines.ts';
export * from './event-queue.ts';
export * from './jobs.ts';
export type Pipelines = PipelineStore & Pick<CounterStore, 'readTallies'>;
export type EventClaims = EventQueue;
export type Runs = EventQueue;
export type DedupeKeys = Pick<EventQueue, 'findDedupeKeys'>;
export type Labels = Pick<
  EventQueue,
  'findLabel' | 'claimLabel' | 'keepLabel' | 'releaseLabel' | 'releaseLabels' | 'recordLabelUse'
>;
export type Jobs = Omit<JobStore, 'audited'> & Pick<EventQueue, 'listFirstRuns'>;
export type PipelineStorage = Pipelines & EventQueue & Jobs;
