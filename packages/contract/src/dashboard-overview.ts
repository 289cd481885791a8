import { z } from 'zod';
import { MOST_CHART_DAYS } from './chart-window.ts';
import { destinationState } from './dashboard-deliveries.ts';
import { moment, textOf } from './event.ts';

/** Private calls about what happened lately: counters for charts, the overview, the map, and how the service is. */

const MOST_MINUTES = 30 * 24 * 60;
const MOST_NAMES = 12;

/** How far back to look. */
const minutes = z
  .string()
  .regex(/^\d{1,5}$/, `must be a whole number from 1 to ${MOST_MINUTES}.`)
  .transform(Number)
  .refine(n => n >= 1 && n <= MOST_MINUTES, `must be a whole number from 1 to ${MOST_MINUTES}.`)
  .default(60);

const counterName = /^[a-z][a-z0-9_]{0,31}$/;

export const countersQuery = z.strictObject({
  /** The id of a source, a pipeline or a destination, an arrow between two of them (`src_…>pipe_…`); empty: all. */
  subject: textOf(0, 128).default(''),
  /** With commas between them: `delivered,failed`. */
  names: z
    .string()
    .transform(text => [...new Set(text.split(','))])
    .refine(
      names => names.length <= MOST_NAMES && names.every(name => counterName.test(name)),
      `must be 1 to ${MOST_NAMES} names with commas between them.`,
    ),
  minutes,
});

const DAY_MS = 24 * 60 * 60_000;

/** The last so many minutes; or the time between two moments, which then counts alone. */
export const overviewQuery = z
  .strictObject({ minutes, from: moment.optional(), to: moment.optional() })
  .refine(({ from, to }) => (from === undefined) === (to === undefined), {
    path: ['to'],
    message: 'must be given together with from.',
  })
  .refine(({ from = 0, to = 1 }) => from < to, { path: ['to'], message: 'must be later than from.' })
  .refine(({ from = 0, to = 1 }) => to - from <= MOST_CHART_DAYS * DAY_MS, {
    path: ['to'],
    message: `may be ${MOST_CHART_DAYS} days later than from at most.`,
  });

/** One number for each stretch of `step_s` seconds, from `from` on; the last one is not over yet. */
const series = { from: z.string(), step_s: z.number(), series: z.record(z.string(), z.array(z.number())) };
const countersRecord = z.object(series);
export type CountersRecord = z.infer<typeof countersRecord>;

/** Events by the state that they are in, and deliveries that were delivered or are dead: each by when it was made. */
export const funnelNames = [
  'received',
  'processed',
  'dropped',
  'failed',
  'unrouted',
  'delivered',
  'dead',
] as const;
export type FunnelName = (typeof funnelNames)[number];

/** Looked at up to a limit only: where there is more, `count` is that limit. */
const cappedCount = z.object({ count: z.number(), more: z.boolean() });
export type CappedCountRecord = z.infer<typeof cappedCount>;

/** Deliveries that were made within a time, by the state that they are in now. `delivering` is waiting. */
const presentRecord = z.object({
  delivered: z.number(),
  waiting: cappedCount,
  retrying: cappedCount,
  held: cappedCount,
  dead: cappedCount,
});
export type PresentRecord = z.infer<typeof presentRecord>;

export const figuresQuery = z.strictObject({ minutes });
/** What became of what was sent to a destination, and how long it took. */
export type DestinationFigures = PresentRecord & { readonly p95_ms: number | null };

const backlogRecord = z.object({
  accepted: cappedCount,
  pending: cappedCount,
  retrying: cappedCount,
  held: cappedCount,
});

const failingDestination = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  /** One that takes what it is sent again is not failing any more. */
  state: destinationState,
  /** Attempts that failed within the last ten minutes. */
  failed: z.number(),
  /** All that is open there, whenever it was made. */
  waiting: cappedCount,
  /** Of the deliveries that were made within the time that was asked for. */
  dead: cappedCount,
  delivered: z.number(),
});
export type FailingDestination = z.infer<typeof failingDestination>;

const overviewRecord = z.object({
  ...series,
  totals: z.record(z.enum(funnelNames), z.number()),
  /** Only the latest dead deliveries are counted, in the series and in the total: whether there are more. */
  more_dead: z.boolean(),
  /** Deliveries that wait, are retried or held, by when they were made, likewise the latest of them. */
  open: z.object({ counts: z.array(z.number()), more: z.boolean() }),
  /** Deliveries that were made within the time, and events that failed among those received: the lists behind them. */
  present: presentRecord,
  /** `counts`: by when they were received, the latest of them. */
  failed_events: z.object({ ...cappedCount.shape, counts: z.array(z.number()) }),
  /** The same of the time before, as long as this one; null where nothing came in, or not all of it is kept any more. */
  before: z
    .object({
      received: z.number(),
      present: presentRecord,
      failed_events: cappedCount,
      p95_ms: z.number().nullable(),
    })
    .nullable(),
  /** Milliseconds from accepted to delivered, in all and step by step; null where nothing was delivered. */
  latency: z.object({
    p50_ms: z.number().nullable(),
    p95_ms: z.number().nullable(),
    p99_ms: z.number().nullable(),
    from: z.string(),
    step_s: z.number(),
    series: z.record(z.enum(['p50', 'p95', 'p99']), z.array(z.number().nullable())),
  }),
  /** All destinations that are down or failing, and what is open at each. */
  wrong: z.array(z.object({ id: z.string(), state: z.enum(['down', 'failing']), waiting: cappedCount })),
  backlog: backlogRecord,
  dead_letters: z.object({ deliveries: cappedCount, events: cappedCount }),
  failing: z.array(failingDestination),
  /** What there is, so that a page can tell a fresh installation from a quiet one. */
  has: z.object({ sources: z.boolean(), pipelines: z.boolean(), destinations: z.boolean() }),
});
export type OverviewRecord = z.infer<typeof overviewRecord>;

/** Why something did not arrive, and how often: of what was made within a time, and has not arrived since. */
const errorGroup = z.object({
  /** A delivery that is dead or retrying, or an event that failed in a pipeline. */
  state: z.enum(['dead', 'retrying', 'failed']),
  /** The destination, or the pipeline where an event failed in one. */
  at: z.object({ id: z.string(), name: z.string(), kind: z.string() }),
  code: z.string().nullable(),
  /** Of the last response, where there was one. */
  status: z.number().nullable(),
  /** Of an event: at which step it failed, counted from 0; null: at none. */
  step: z.number().nullable(),
  count: cappedCount,
  /** What came back the last time, or why an event failed. */
  message: z.string().nullable(),
});
export type ErrorGroup = z.infer<typeof errorGroup>;

const topRecord = z.object({
  /** The types that came most often, by when they were received. */
  types: z.array(z.object({ type: z.string(), count: z.number() })),
  /** All others together. */
  other_types: z.number(),
  errors: z.array(errorGroup),
});
export type TopRecord = z.infer<typeof topRecord>;

const mapNode = { id: z.string(), name: z.string(), total: z.number() };
/** What is there now and has not gone on. */
const waiting = { waiting: cappedCount };
const mapRecord = z.object({
  sources: z.array(
    z.object({ ...mapNode, ...waiting, kind: z.enum(['webhook', 'sdk', 'system']), enabled: z.boolean() }),
  ),
  /** `waiting`: events that one of its steps will try again. `dead`: those that failed in it, of those received within the time. */
  pipelines: z.array(z.object({ ...mapNode, ...waiting, enabled: z.boolean(), dead: cappedCount })),
  /** `dead`: of the deliveries that were made within the time. */
  destinations: z.array(
    z.object({
      ...mapNode,
      ...waiting,
      kind: z.string(),
      state: destinationState,
      dead: cappedCount,
    }),
  ),
  edges: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      /** Within the time that was asked for. */
      total: z.number(),
      /** Of the last four to five minutes. */
      per_minute: z.number(),
      /** Of its own deliveries within the time; of what goes into a pipeline, all events that failed there. */
      dead: cappedCount,
    }),
  ),
});
export type MapRecord = z.infer<typeof mapRecord>;

const healthRecord = z.object({
  version: z.string(),
  started_at: z.string(),
  uptime_s: z.number(),
  storage: z.object({
    engine: z.enum(['sqlite', 'postgres']),
    /** How much the database holds, of all organisations together. */
    bytes: z.number(),
    /** Room that is left on its disk; null where the database is elsewhere. */
    free_bytes: z.number().nullable(),
    can_write: z.boolean(),
    /** Why it cannot be written. */
    problem: z.string().nullable(),
  }),
  nodes: z.number(),
  /** Whether this organisation is the operator's, which sees each of them. */
  shows_nodes: z.boolean(),
  roles: z.array(z.string()),
  backlog: backlogRecord,
});
export type HealthRecord = z.infer<typeof healthRecord>;
