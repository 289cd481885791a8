import { z } from 'zod';
import { jsonObject } from './event.ts';

/** A pipeline as the dashboard defines it. The kinds of steps check their own configurations. */
export const MOST_STEPS = 50;
const MOST_DESTINATIONS = 100;

const pipelineStep = z.strictObject({
  kind: z.string(),
  config: jsonObject.default(() => ({})),
});
export type PipelineStep = z.infer<typeof pipelineStep>;

const pipelineDestination = z.strictObject({
  id: z.string(),
  /** CEL; absent: every event. */
  when: z.string().optional(),
});
export type PipelineDestination = z.infer<typeof pipelineDestination>;

export const pipelineDefinition = z.strictObject({
  name: z.string().trim().min(1, 'must have 1 to 100 characters.').max(100, 'must have 1 to 100 characters.'),
  sources: z.array(z.string()).max(100, 'may hold at most 100 sources.').default([]),
  steps: z.array(pipelineStep).max(MOST_STEPS, `may hold at most ${MOST_STEPS} steps.`).default([]),
  destinations: z
    .array(pipelineDestination)
    .max(MOST_DESTINATIONS, `may hold at most ${MOST_DESTINATIONS} destinations.`)
    .default([]),
  enabled: z.boolean().default(true),
});
export type PipelineDefinition = z.infer<typeof pipelineDefinition>;

/** What one step did to one event. */
export const stepTrace = z.object({
  kind: z.string(),
  outcome: z.enum(['kept', 'changed', 'dropped', 'failed']),
  duration_ms: z.number(),
  /** The event's payload and labels; null where the trace was cut. */
  before: z.object({ payload: z.unknown(), labels: z.unknown() }).nullable(),
  after: z.object({ payload: z.unknown(), labels: z.unknown() }).nullable(),
  note: z.string().nullable(),
});
export type StepTrace = z.infer<typeof stepTrace>;
