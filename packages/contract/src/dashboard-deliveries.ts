import { z } from 'zod';
import { jsonObject, moment, textOf } from './event.ts';
import { pagingQuery } from './paging.ts';

/** Private calls about destinations, what is sent to them, and what could not be. */

const policyFields = {
  attempts: z.int().min(1).max(50),
  /** The delay before each attempt; the last repeats where it is shorter than `attempts`. */
  schedule_s: z
    .array(
      z
        .number()
        .min(0)
        .max(7 * 86_400),
    )
    .min(1)
    .max(50),
  timeout_s: z.number().min(0.1).max(300),
  concurrency: z.int().min(1).max(1_000),
  /** 0 is unlimited. */
  rate_per_second: z.number().min(0).max(1_000_000),
};

/** How a destination is delivered to: as people set it, with the defaults that hold where they do not. */
export const deliveryPolicy = z.strictObject({
  attempts: policyFields.attempts.default(8),
  schedule_s: policyFields.schedule_s.default([0, 5, 30, 120, 600, 1_800, 7_200, 21_600]),
  timeout_s: policyFields.timeout_s.default(15),
  concurrency: policyFields.concurrency.default(16),
  rate_per_second: policyFields.rate_per_second.default(0),
});
export type DeliveryPolicy = z.output<typeof deliveryPolicy>;

const name = z
  .string()
  .trim()
  .min(1, 'must have 1 to 100 characters.')
  .max(100, 'must have 1 to 100 characters.');

export const destinationBody = z.strictObject({
  kind: z.string(),
  name,
  config: jsonObject.default(() => ({})),
  policy: deliveryPolicy.default(() => deliveryPolicy.parse({})),
  /** Another one of the same kind, whose secrets are copied where the configuration says `{"set": true}`. */
  clone_of: textOf(1, 64).optional(),
});

export const destinationChange = z.strictObject({
  name: name.optional(),
  config: jsonObject.optional(),
  /** What is left out stays as it is. */
  policy: z.strictObject(policyFields).partial().optional(),
});

export const destinationRotation = z.strictObject({
  overlap_s: z
    .number()
    .min(0)
    .max(30 * 86_400)
    .default(86_400),
});

/** Asks which columns a table has. The id of a destination that exists lets its secrets be kept. */
export const tableColumnsBody = z.strictObject({
  kind: z.string(),
  config: jsonObject.default(() => ({})),
  id: textOf(1, 64).optional(),
});

const tableColumnsRecord = z.object({
  table: z.string(),
  exists: z.boolean(),
  may_insert: z.boolean(),
  columns: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      /** It is NOT NULL and has no default. */
      required: z.boolean(),
      /** The database fills it in itself. */
      generated: z.boolean(),
      unique: z.boolean(),
    }),
  ),
  default_columns: z.record(z.string(), z.string()),
  /** To paste where there is no table yet. */
  ddl: z.string(),
});
export type TableColumnsRecord = z.infer<typeof tableColumnsRecord>;

/**
 * Of a destination, in one word, the first that holds: `paused` by somebody, `held` where a listener is not connected,
 * `down` while its circuit is open, `failing` where its last attempt failed within ten minutes.
 */
export const destinationState = z.enum(['active', 'failing', 'down', 'held', 'paused']);
export type DestinationState = z.infer<typeof destinationState>;

const destinationRecord = z.object({
  id: z.string(),
  kind: z.string(),
  name: z.string(),
  /** Secrets as `{"set": true}`. */
  config: z.record(z.string(), z.unknown()),
  policy: deliveryPolicy,
  paused: z.boolean(),
  state: destinationState,
  breaker: z.object({
    state: z.enum(['closed', 'open']),
    opened_at: z.string().nullable(),
    /** When the last probe that failed had left. */
    last_probe_at: z.string().nullable(),
    /** Null also where nothing waits: then the next delivery is the probe, at once. */
    next_probe_at: z.string().nullable(),
    /** What came back last, in a sentence. */
    last_failure: z.string().nullable(),
    /** How many deliveries wait; nobody counts past 10,000, nor in the list of all while it is closed. */
    waiting: z.number().nullable(),
  }),
  /** Null where it is no listener. */
  listener: z.object({ connected: z.boolean() }).nullable(),
  /** Null where it has no secret of ours that could be rotated. */
  rotation: z.object({ previous_secret_until: z.string().nullable() }).nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type DestinationRecord = z.infer<typeof destinationRecord>;
/** With the secret that was made, where one was: it is answered this once. */
export type NewDestinationRecord = DestinationRecord & { readonly secret?: string };
export type RotatedDestinationRecord = DestinationRecord & { readonly secret: string | null };

/** What else is known of an exchange over HTTP: of attempts that failed, and of tests. */
export const exchangeRecord = z.object({
  /** Those of the response, by lower-case name; what may be a secret is cut. */
  headers: z.record(z.string(), z.string()),
  /** A phase that could not be measured, or that it never came to, is absent. */
  phases: z.object({
    dns_ms: z.number().optional(),
    /** From the look-up to the first byte of the response: connecting, TLS, the request, and waiting. */
    first_byte_ms: z.number().optional(),
    body_ms: z.number().optional(),
  }),
});
export type ExchangeRecord = z.infer<typeof exchangeRecord>;

/** What came of a test: the real answer. */
const destinationTestRecord = z.object({
  outcome: z.enum(['delivered', 'failed']),
  status: z.number().nullable(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  duration_ms: z.number(),
  request: z.object({ target: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
  response: z.string().nullable(),
  exchange: exchangeRecord.nullable(),
});
export type DestinationTestRecord = z.infer<typeof destinationTestRecord>;

/** What was sent to see whether a destination is back: a delivery that waits, whose attempt is shown with it, or a test. */
const destinationProbeRecord = z.object({
  sent: z.enum(['delivery', 'test']),
  test: destinationTestRecord.nullable(),
});
export type DestinationProbeRecord = z.infer<typeof destinationProbeRecord>;

export const deliveryState = z.enum([
  'pending',
  'held',
  'delivering',
  'retrying',
  'delivered',
  'dead',
  'cancelled',
]);
export type DeliveryState = z.infer<typeof deliveryState>;

/** `waiting`: pending or delivering. `open`: whatever has not ended. */
const deliveryStateFilter = z.enum([...deliveryState.options, 'waiting', 'open']);

/** A whole number, or that there is none: as text in an address, as either in a body. */
const wholeOrNone = (most: number) =>
  z
    .union([z.string(), z.int()])
    .refine(
      given => given === 'none' || (/^\d{1,3}$/.test(String(given)) && Number(given) <= most),
      `must be a whole number from 0 to ${most}, or "none".`,
    )
    .transform(given => (given === 'none' ? null : Number(given)));

/** What a list of deliveries can be narrowed by; all of it combines with AND. */
const deliveryFilter = {
  event: textOf(1, 64).optional(),
  destination: textOf(1, 64).optional(),
  state: deliveryStateFilter.optional(),
  code: textOf(1, 64).optional(),
  /** Of the last response, where the attempt failed; `none`: there was none. */
  status: wholeOrNone(999).optional(),
  /** Made after and before, exclusive. */
  after: moment.optional(),
  before: moment.optional(),
};

export const deliveriesQuery = z.strictObject({ ...deliveryFilter, ...pagingQuery });
export const deliveryCountQuery = z.strictObject(deliveryFilter);

/**
 * Dead letters are all dead; what is left to choose is where they were going and why they did not arrive. Events
 * that failed were going nowhere yet: they are told apart by their pipeline, its step and the reason.
 */
export const deadLetterFilter = z.strictObject({
  kind: z.enum(['delivery', 'event']).optional(),
  pipeline: textOf(1, 64).optional(),
  event: deliveryFilter.event,
  destination: deliveryFilter.destination,
  code: deliveryFilter.code,
  status: deliveryFilter.status,
  /** Where the pipeline failed, counted from 0; `none`: at no step. */
  step: wholeOrNone(999).optional(),
  reason: textOf(1, 16_384).optional(),
  /** Made, or received where a pipeline failed with it, after and before, exclusive. */
  after: moment.optional(),
  before: moment.optional(),
});

export const deadLettersQuery = z.strictObject({ ...deadLetterFilter.shape, ...pagingQuery });

/** Those that match; of them only these, where some are named. */
const chosenLetters = {
  filter: deadLetterFilter.default({}),
  ids: z.array(textOf(1, 64)).min(1).max(1_000).optional(),
};

export const retryDeadLetters = z.strictObject(chosenLetters);

export const discardDeadLetters = z.strictObject({
  ...chosenLetters,
  /** Only what has been dead for so long: what died since somebody looked stays. */
  dead_for_ms: z.int().min(0).max(600_000).default(0),
});
