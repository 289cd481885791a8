import type { DeliveryRecord, EventRecord } from '@sluice/contract/dashboard-letters';
import type { RunRecord } from '@sluice/contract/dashboard-pipelines';
import { formatNumber } from '../../../lib/format.ts';

/** The whole way of an event as lines over time, in milliseconds since it was accepted, from the times that are stored. */
export interface WaterfallLine {
  readonly key: string;
  /** Part of the line above it. */
  readonly isPart: boolean;
  readonly what: string;
  /** A page that shows more of it. */
  readonly to?: string;
  readonly from: number;
  /** Null where it has no length: a moment. */
  readonly took: number | null;
  /** How long it waited before that. */
  readonly waited: number | null;
  readonly outcome: 'good' | 'bad' | 'open';
  readonly note: string | null;
}

/** Nobody reads on. */
const MOST_LINES = 200;

export function waterfallOf(event: EventRecord, titleOf: (kind: string) => string): WaterfallLine[] {
  const since = sinceOf(event.received_at);
  const accepted: WaterfallLine = {
    ...moment('accepted', 'Accepted', 0),
    note: event.sources.map(({ name }) => name).join(', ') || null,
  };
  const lines = [
    accepted,
    ...event.runs.flatMap(run => [
      ...linesOfRun(run, since, titleOf),
      ...event.deliveries
        .filter(({ run_id }) => run_id === run.id)
        .toReversed()
        .flatMap(delivery => linesOfDelivery(delivery, since)),
    ]),
    ...(event.waiting?.runs ?? []).flatMap(({ pipeline, tries, until, step }) => [
      ...linesOfTries(`${pipeline.id} retrying`, `${pipeline.name}, step ${step + 1}`, tries, since),
      {
        ...moment(`${pipeline.id} next`, `${pipeline.name}: next attempt`, since(until)),
        waited: lengthOf(since(tries.at(-1)?.at ?? event.received_at), since(until)),
        outcome: 'open' as const,
      },
    ]),
  ];
  return lines.slice(0, MOST_LINES);
}

type Since = (at: string) => number;

/** Clocks of several nodes differ a little: nothing begins before it was accepted. */
const sinceOf =
  (received: string): Since =>
  at =>
    Math.max(0, Date.parse(at) - Date.parse(received));

const lengthOf = (from: number, to: number): number | null => (to > from ? to - from : null);

const moment = (key: string, what: string, from: number): WaterfallLine => ({
  key,
  what,
  from,
  isPart: false,
  took: null,
  waited: null,
  outcome: 'good',
  note: null,
});

function linesOfTries(key: string, what: string, tries: RunRecord['tries'], since: Since): WaterfallLine[] {
  return tries.map(({ at, reason }, n) => {
    const before = tries[n - 1];
    return {
      ...moment(`${key} ${n}`, `${what}: attempt ${n + 1}`, since(at)),
      waited: lengthOf(before ? since(before.at) : 0, since(at)),
      outcome: 'bad' as const,
      note: reason,
    };
  });
}

/** A run is stored when it ends: it began as long before as its steps took. */
function linesOfRun(run: RunRecord, since: Since, titleOf: (kind: string) => string): WaterfallLine[] {
  const { id, pipeline, outcome, steps, step: endedAt, replay } = run;
  const took = steps.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const end = since(run.at);
  const begin = Math.max(0, end - took);
  // Where it failed for good, the last try is the run itself.
  const before = outcome === 'failed' ? run.tries.slice(0, -1) : run.tries;
  const lastTry = before.at(-1);
  // Whoever replays an event has not kept it waiting since it came in.
  const waitedFrom = lastTry ? since(lastTry.at) : replay === null ? 0 : begin;
  let at = begin;
  return [
    ...linesOfTries(id, pipeline.name, before, since),
    {
      ...moment(id, pipeline.name, begin),
      took: end - begin,
      waited: lengthOf(waitedFrom, begin),
      outcome: outcome === 'failed' ? 'bad' : 'good',
      note: replay === null ? outcome : `${outcome}, replayed`,
    },
    ...steps.map((step, n): WaterfallLine => {
      const from = at;
      at += step.duration_ms;
      return {
        ...moment(`${id} ${n}`, `${n + 1}. ${titleOf(step.kind)}`, from),
        isPart: true,
        took: step.duration_ms,
        outcome: n === endedAt && outcome === 'failed' ? 'bad' : 'good',
        note: step.note,
      };
    }),
  ];
}

const isOver: ReadonlySet<string> = new Set(['delivered', 'dead', 'cancelled']);

function linesOfDelivery(delivery: DeliveryRecord, since: Since): WaterfallLine[] {
  const { id, destination, attempts, attempt, state, next_attempt_at } = delivery;
  const made = since(delivery.created_at);
  const called = `→ ${destination.name}`;
  const to = `/deliveries/${id}`;
  const all = attempts.map((one, n): WaterfallLine => {
    const before = attempts[n - 1];
    const from = since(one.at);
    // The attempts before the first that is shown are not here.
    const isCut = n === 0 && attempts.length < attempt;
    const waitedFrom = before ? since(before.at) + before.duration_ms : made;
    return {
      ...moment(`${id} ${one.n}`, attempt === 1 ? called : `${called}, attempt ${one.n}`, from),
      to,
      isPart: n > 0,
      took: one.duration_ms,
      waited: isCut ? null : lengthOf(waitedFrom, from),
      outcome: one.code === null ? 'good' : 'bad',
      note: [one.status, one.code].filter(part => part !== null).join(' ') || 'delivered',
    };
  });
  if (isOver.has(state) && all.length > 0) return all;
  const last = attempts.at(-1);
  const idleFrom = last ? since(last.at) + last.duration_ms : made;
  const next = next_attempt_at === null ? idleFrom : Math.max(idleFrom, since(next_attempt_at));
  const what = all.length === 0 ? called : state === 'retrying' ? `${called}: next attempt` : called;
  return [
    ...all,
    {
      ...moment(`${id} next`, what, state === 'retrying' ? next : idleFrom),
      to,
      isPart: all.length > 0,
      waited: state === 'retrying' ? lengthOf(idleFrom, next) : null,
      outcome: state === 'dead' ? 'bad' : 'open',
      note: state,
    },
  ];
}

/** `<0.01 ms`, `0.04 ms`, `1,234 ms`; from a minute on `4 min`, from an hour on `2.5 h`. */
export function formatMs(ms: number): string {
  if (ms > 0 && ms < 0.005) return '<0.01 ms';
  if (ms < 10) return `${Math.round(ms * 100) / 100} ms`;
  if (ms < 60_000) return `${formatNumber(Math.round(ms))} ms`;
  const [amount, unit] = ms < 3_600_000 ? [ms / 60_000, 'min'] : [ms / 3_600_000, 'h'];
  return `${Math.round(amount * 10) / 10} ${unit}`;
}
