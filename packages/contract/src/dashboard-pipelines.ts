import { z } from 'zod';
import { eventFilter } from './dashboard-events.ts';
import { type EventLimits, ingestEvent } from './event.ts';
import { pipelineDefinition, stepTrace } from './pipeline.ts';

/** Private calls about pipelines, replays and jobs. */

/** Why a version was made, for whoever looks through them later. */
const versionNote = z.string().trim().max(500, 'may have 500 characters at most.');

/** `clone_of`: another pipeline, whose secrets are copied where a step says `{"set": true}`. */
export const pipelineBody = z.strictObject({
  ...pipelineDefinition.shape,
  clone_of: z.string().min(1).max(64).optional(),
  note: versionNote.optional(),
});

/** What is left out stays as it is. A definition makes a new version; `enabled` alone makes none. */
export const pipelineChange = z.strictObject({
  name: pipelineDefinition.shape.name.optional(),
  sources: pipelineDefinition.shape.sources.unwrap().optional(),
  steps: pipelineDefinition.shape.steps.unwrap().optional(),
  destinations: pipelineDefinition.shape.destinations.unwrap().optional(),
  enabled: z.boolean().optional(),
  /** Of the version that is made. */
  note: versionNote.optional(),
});

const versionNumber = z.int('must be a whole number.').min(1);
export const rollbackBody = z.strictObject({ version: versionNumber });
export const pipelineNote = z.strictObject({ version: versionNumber, note: versionNote });

/** The draft may be that of a pipeline that exists: its id lets secrets be kept. */
export const dryRunBody = (limits: EventLimits) =>
  z
    .strictObject({
      pipeline: z.strictObject({
        ...pipelineDefinition.shape,
        name: pipelineDefinition.shape.name.default('Draft'),
        id: z.string().optional(),
      }),
      event: ingestEvent(limits).optional(),
      event_id: z.string().optional(),
      /** Whether a model may be asked. */
      classify: z.boolean().default(false),
      /** Labels to go by where no model is asked. */
      labels: z.record(z.string(), z.string()).default({}),
    })
    .refine(({ event, event_id }) => (event === undefined) !== (event_id === undefined), {
      path: ['event'],
      message: 'must be given, or event_id instead, but not both.',
    });

/** A text of CEL while it is being written: a condition is true or false, an expression has any value. */
export const conditionCheckBody = z
  .strictObject({ condition: z.string().optional(), expression: z.string().optional() })
  .refine(({ condition, expression }) => (condition === undefined) !== (expression === undefined), {
    path: ['condition'],
    message: 'must be given, or expression, and not both.',
  });

/** `position` is counted from 0, in UTF-16 units, as an editor's cursor is. */
export type ConditionCheck =
  | { readonly valid: true }
  | { readonly valid: false; readonly message: string; readonly position: number };

const replayVersion = z.enum(['current', 'original']);
export const replayBody = z.strictObject({ version: replayVersion.default('current') });

/** Moments and entity references arrive as they are written in a query. */
export const replaysBody = z.strictObject({
  filter: z.strictObject(eventFilter).default({}),
  version: replayVersion.default('current'),
});

const routingNote = z.object({ destination: z.string(), note: z.string() });

const pipelineRecord = z.object({
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  version: z.number(),
  sources: z.array(z.string()),
  /** Secrets as `{"set": true}`. */
  steps: z.array(z.object({ kind: z.string(), config: z.record(z.string(), z.unknown()) })),
  destinations: z.array(z.object({ id: z.string(), when: z.string().optional() })),
  created_at: z.string(),
  updated_at: z.string(),
});
export type PipelineRecord = z.infer<typeof pipelineRecord>;

/** What its `classify` steps asked of models, and what they did not have to ask. */
const classifyTallies = z.object({
  model_called: z.number(),
  cache_hit: z.number(),
  call_shared: z.number(),
});
/** One pipeline, as it is read by its id. */
export type PipelineDetails = PipelineRecord & { readonly classify: z.infer<typeof classifyTallies> };

const pipelineVersionRecord = z.object({
  ...pipelineRecord.pick({ name: true, version: true, sources: true, steps: true, destinations: true }).shape,
  created_by: z.string(),
  created_at: z.string(),
  note: z.string().nullable(),
});
export type PipelineVersionRecord = z.infer<typeof pipelineVersionRecord>;

/** What a model has answered in place of a label: its status, null where none came, and the beginning of its body. */
const modelAnswer = z.object({ status: z.number().nullable(), body: z.string().nullable() });

/** One try of a step that failed. */
const failedTry = z.object({ at: z.string(), reason: z.string(), answer: modelAnswer.nullable() });

/** One run of an event, as its record shows it. */
export const runRecord = z.object({
  id: z.string(),
  pipeline: z.object({ id: z.string(), name: z.string(), version: z.number() }),
  outcome: z.enum(['routed', 'dropped', 'failed']),
  /** Where it was dropped or failed; null where that was no step. */
  step: z.number().nullable(),
  reason: z.string().nullable(),
  steps: z.array(stepTrace),
  /** From this step on, states were too large to be kept; null where none was. */
  cut_at: z.number().nullable(),
  /** Of a step that was retried, or that failed after an answer, the last included where it failed for good. */
  tries: z.array(failedTry),
  /** Why it did not go to some destination. */
  routing: z.array(routingNote),
  /** The job that replayed it; null the first time. */
  replay: z.string().nullable(),
  at: z.string(),
});
export type RunRecord = z.infer<typeof runRecord>;

/** A run that a step has stopped, to be tried again. */
export const stoppedRun = z.object({
  ...runRecord.pick({ pipeline: true, steps: true, cut_at: true }).shape,
  step: z.number(),
  until: z.string(),
  tries: z.array(failedTry),
});
export type StoppedRunRecord = z.infer<typeof stoppedRun>;

const dryRunRecord = z.object({
  /** `retry`: the model did not answer, and the event would be tried again later. */
  outcome: z.enum(['routed', 'dropped', 'failed', 'retry']),
  step: z.number().nullable(),
  reason: z.string().nullable(),
  /** What the model answered in place of a label. */
  answer: modelAnswer.nullable(),
  steps: z.array(stepTrace),
  cut_at: z.number().nullable(),
  /** The event as the last step left it. */
  payload: z.unknown(),
  labels: z.unknown(),
  /** Where it would go. */
  destinations: z.array(z.string()),
  routing: z.array(routingNote),
});
export type DryRunRecord = z.infer<typeof dryRunRecord>;

const jobRecord = z.object({
  id: z.string(),
  kind: z.string(),
  state: z.enum(['running', 'done', 'cancelled', 'failed']),
  request: z.unknown(),
  total: z.number(),
  done: z.number(),
  failed: z.number(),
  notes: z.array(z.string()),
  created_by: z.string(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
  /** The file that it wrote, while there is one: of an export that has ended. */
  file: z.object({ bytes: z.number(), until: z.string() }).optional(),
});
export type JobRecord = z.infer<typeof jobRecord>;
