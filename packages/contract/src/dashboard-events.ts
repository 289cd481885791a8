import { z } from 'zod';
import { deliveryState } from './dashboard-deliveries.ts';
import { entityKind, entityRef, eventState, externalId, moment, textOf } from './event.ts';
import { pagingQuery } from './paging.ts';

/** Private calls about what came in. */

/** What became of an event, for people: the first of these that fits. */
export const eventOutcomes = [
  'failed',
  'not delivered',
  'partly delivered',
  'failing',
  'retrying',
  'delivering',
  'delivered',
  'dropped',
  'no match',
  'unrouted',
  'accepted',
] as const;
export type EventOutcome = (typeof eventOutcomes)[number];

/** Also with `_` in place of a blank. */
const outcomeFilter = z
  .string()
  .transform(text => text.replaceAll('_', ' '))
  .pipe(z.enum(eventOutcomes));

/** `kind:external_id`. A kind holds no colon, so the first one parts them. */
const tiedEntity = z
  .string()
  .transform(text => {
    const colon = text.indexOf(':');
    return { kind: text.slice(0, Math.max(0, colon)), external_id: text.slice(colon + 1) };
  })
  .refine(
    ({ kind, external_id }) =>
      entityKind.safeParse(kind).success && externalId.safeParse(external_id).success,
    'must be kind:external_id.',
  );

/** What a list of events can be narrowed by; all of it combines with AND. */
export const eventFilter = {
  state: eventState.optional(),
  outcome: outcomeFilter.optional(),
  source: textOf(1, 64).optional(),
  type: textOf(1, 4_096).optional(),
  pipeline: textOf(1, 64).optional(),
  destination: textOf(1, 64).optional(),
  entity: tiedEntity.optional(),
  text: textOf(1, 256).optional(),
  /** Received after and before, exclusive. */
  after: moment.optional(),
  before: moment.optional(),
};

/** `excerpt`: each row has a piece of its payload, with the text that is searched for. */
export const eventsQuery = z.strictObject({
  ...eventFilter,
  ...pagingQuery,
  excerpt: z.enum(['true', 'false']).optional(),
});

/** An export of more than this is a job. */
export const MOST_EXPORTED_AT_ONCE = 10_000;

export const exportFormat = z.enum(['ndjson', 'csv']);
export type ExportFormat = z.infer<typeof exportFormat>;

export const exportQuery = z.strictObject({ ...eventFilter, format: exportFormat.default('ndjson') });

export const histogramQuery = z.strictObject(eventFilter);

/** When the events that match came in: one number for each stretch of `step_s` seconds, from `from` on. */
const eventHistogram = z.object({
  from: z.string(),
  step_s: z.number(),
  counts: z.array(z.number()),
  /** How many match: exact, unless there are `more` than it counts, or it was not through with its search. */
  total: z.object({ count: z.number(), more: z.boolean() }),
  /** Nothing before this is counted; null: all is. */
  counted_from: z.string().nullable(),
});
export type EventHistogram = z.infer<typeof eventHistogram>;

const eventTypeRecord = z.object({ type: z.string(), count: z.number() });
export type EventTypeRecord = z.infer<typeof eventTypeRecord>;

const { after: _after, before: _before, ...tailFilter } = eventFilter;
/** A tail goes on from an event, or from now on. */
export const tailQuery = z.strictObject({ ...tailFilter, after_id: z.string().optional() });

export const eventSummary = z.object({
  id: z.string(),
  type: z.string(),
  icon: z.string().nullable(),
  state: eventState,
  /** What became of it, for people. */
  outcome: z.enum(eventOutcomes),
  /** How many of its deliveries are in each state: `{"delivered": 6, "dead": 1}`. */
  delivery_states: z.partialRecord(deliveryState, z.number()),
  sources: z.array(z.object({ id: z.string(), name: z.string() })),
  entity: entityRef.nullable(),
  timestamp: z.string(),
  received_at: z.string(),
  /** A piece of its payload, where that was asked for; `hit` is the text that was searched for. */
  excerpt: z.object({ before: z.string(), hit: z.string(), after: z.string() }).optional(),
});
export type EventSummary = z.infer<typeof eventSummary>;
