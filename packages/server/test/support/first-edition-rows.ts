import { expect } from 'bun:test';
import type { Person } from './from-outside.ts';

/**
 * The rows of the first edition's fixture, read before a server of today has seen them, and held one by one against what
 * such a server answers.
 */
export interface RowsOfOld {
  readonly events: readonly OldEvent[];
  readonly deliveries: readonly OldDelivery[];
}

interface OldEvent {
  readonly id: string;
  readonly organisation: string;
  readonly type: string;
  readonly state: string;
  readonly icon: string | null;
  readonly sender_id: string | null;
  readonly entity: { readonly kind: string; readonly external_id: string } | null;
  readonly sources: readonly { readonly id: string; readonly name: string }[];
  readonly timestamp: string;
  readonly received_at: string;
  readonly erased_at: string | null;
  /** As text: read as JSON, an integer beyond 2^53 would be another. */
  readonly payload: string;
  readonly runs: readonly OldRun[];
}

interface OldRun {
  readonly id: string;
  readonly pipeline: { readonly id: string; readonly name: string; readonly version: number };
  readonly outcome: string;
  readonly step: number | null;
  readonly reason: string | null;
  readonly replay: string | null;
  readonly at: string;
  readonly steps: readonly OldStep[];
}

/** What a step found and left is shown as the payload that it was. */
interface OldStep {
  readonly kind: string;
  readonly outcome: string;
  readonly duration_ms: number;
  readonly note: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

interface OldDelivery {
  readonly id: string;
  readonly organisation: string;
  readonly event_id: string;
  readonly destination: string;
  readonly state: string;
  readonly attempt: number;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly attempts: readonly OldAttempt[];
}

interface OldAttempt {
  readonly n: number;
  readonly at: string;
  readonly duration_ms: number;
  readonly message: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly request: unknown;
  readonly response: string;
}

/** Asks a database in words that both engines know. */
export type Look = <Row>(statement: string) => Promise<Row[]>;

export async function readRowsOfOld(look: Look): Promise<RowsOfOld> {
  // As a double every engine answers with a number, and no time is beyond what that holds.
  const attempts = await look<Omit<OldAttempt, 'at'> & { delivery_id: string; at: number; request: string }>(
    `SELECT delivery_id, CAST(n AS INTEGER) AS n, CAST(at AS DOUBLE PRECISION) AS at,
       CAST(duration_ms AS INTEGER) AS duration_ms, CAST(status AS INTEGER) AS status, code, message, request, response
     FROM attempts ORDER BY delivery_id, n`,
  );
  const ofDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
  const deliveries = await look<
    Omit<OldDelivery, 'created_at' | 'finished_at'> & { created_at: number; finished_at: number | null }
  >(
    `SELECT deliveries.id, organisations.name AS organisation, event_id, destination_name AS destination, state,
       CAST(attempt AS INTEGER) AS attempt, CAST(deliveries.created_at AS DOUBLE PRECISION) AS created_at,
       CAST(finished_at AS DOUBLE PRECISION) AS finished_at
     FROM deliveries JOIN organisations ON organisations.id = deliveries.org_id ORDER BY deliveries.id`,
  );
  return {
    events: await readEvents(look),
    deliveries: deliveries.map(row => ({
      ...row,
      created_at: timeOf(row.created_at),
      finished_at: row.finished_at === null ? null : timeOf(row.finished_at),
      attempts: (ofDelivery.get(row.id) ?? []).map(({ delivery_id: _, at, request, ...attempt }) => ({
        ...attempt,
        at: timeOf(at),
        request: JSON.parse(request),
      })),
    })),
  };
}

type StoredEvent = Pick<
  OldEvent,
  'id' | 'organisation' | 'type' | 'state' | 'icon' | 'sender_id' | 'payload'
> & {
  readonly entity_kind: string | null;
  readonly entity_external_id: string | null;
  readonly matched_sources: string | null;
  readonly happened_at: number;
  readonly received_at: number;
  readonly erased_at: number | null;
};

async function readEvents(look: Look): Promise<OldEvent[]> {
  const runs = Map.groupBy(await readRuns(look), ({ event_id }) => event_id);
  const events = await look<StoredEvent>(
    `SELECT events.id, organisations.name AS organisation, type, state, icon, sender_id, entity_kind,
       entity_external_id, matched_sources, payload, CAST(happened_at AS DOUBLE PRECISION) AS happened_at,
       CAST(received_at AS DOUBLE PRECISION) AS received_at, CAST(erased_at AS DOUBLE PRECISION) AS erased_at
     FROM events JOIN organisations ON organisations.id = events.org_id ORDER BY events.id`,
  );
  return events.map(
    ({ entity_kind, entity_external_id, matched_sources, happened_at, received_at, erased_at, ...row }) => ({
      ...row,
      entity: entity_kind === null ? null : { kind: entity_kind, external_id: entity_external_id ?? '' },
      sources: JSON.parse(matched_sources ?? '[]'),
      timestamp: timeOf(happened_at),
      received_at: timeOf(received_at),
      erased_at: erased_at === null ? null : timeOf(erased_at),
      runs: (runs.get(row.id) ?? []).map(({ event_id: _, trace, ...run }) => ({
        ...run,
        steps: stepsOf(trace, row.payload),
      })),
    }),
  );
}

type StoredRun = Omit<OldRun, 'steps'> & { readonly event_id: string; readonly trace: string };

async function readRuns(look: Look): Promise<StoredRun[]> {
  const runs = await look<{
    id: string;
    event_id: string;
    pipeline_id: string;
    pipeline_name: string;
    version: number;
    outcome: string;
    step: number | null;
    reason: string | null;
    replay_job_id: string;
    created_at: number;
    trace: string;
  }>(
    `SELECT id, event_id, pipeline_id, pipeline_name, CAST(version AS INTEGER) AS version, outcome,
       CAST(failed_step AS INTEGER) AS step, reason, replay_job_id,
       CAST(created_at AS DOUBLE PRECISION) AS created_at, trace
     FROM runs ORDER BY id`,
  );
  return runs.map(({ pipeline_id, pipeline_name, version, replay_job_id, created_at, ...run }) => ({
    ...run,
    pipeline: { id: pipeline_id, name: pipeline_name, version },
    replay: replay_job_id === '' ? null : replay_job_id,
    at: timeOf(created_at),
  }));
}

/** A trace names what was before and after each step by its number; the first is the event as it came. */
function stepsOf(trace: string, payload: string): OldStep[] {
  const { steps, states } = JSON.parse(trace) as {
    steps: [string, string, number, number, number, string | null][];
    states: unknown[];
  };
  const all = [{ payload: JSON.parse(payload), labels: {} }, ...states];
  return steps.map(([kind, outcome, duration_ms, before, after, note]) => ({
    kind,
    outcome,
    duration_ms,
    before: all[before] ?? null,
    after: all[after] ?? null,
    note,
  }));
}

const timeOf = (at: number): string => new Date(at).toISOString();

/** What was open when the first edition was killed has come to its end since; whatever had one still has the same. */
const OPEN = /^(accepted|deferred|pending|delivering|retrying)$/;
const endOf = (was: { readonly state: string }, state = was.state) =>
  OPEN.test(was.state) ? 'open then' : state;

/** By the names of their organisations. */
type Readers = Readonly<Record<string, Person>>;

export async function expectEventsOfOld({ events }: RowsOfOld, readers: Readers): Promise<void> {
  expect(events.length).toBeGreaterThan(100);
  expect(events.flatMap(({ runs }) => runs.flatMap(({ steps }) => steps)).length).toBeGreaterThan(100);
  for (const was of events) {
    const { text, data: now } = await readerOf(readers, was).send<OldEvent>('GET', `/events/${was.id}`);
    // The payload is what the answer ends with.
    const payload = text.slice(-`"payload":${was.payload}}}`.length);
    expect({ ...factsOf(now), payload, ...shownOf(was, now) }).toEqual({
      ...factsOf(was),
      payload: `"payload":${was.payload}}}`,
      ...shownOf(was, was),
    });
  }
}

const factsOf = ({ id, type, icon, sender_id, entity, timestamp, received_at, erased_at }: OldEvent) => ({
  ...{ id, type, icon, sender_id, entity, timestamp, received_at, erased_at },
});

/** What became of it: of what was open more has become since. */
const shownOf = (was: OldEvent, { state, sources, runs }: OldEvent) => ({
  state: endOf(was, state),
  // What came by a webhook has no others noted in its row.
  sources: was.sources.length === 0 ? [] : sources.map(({ id, name }) => ({ id, name })),
  // Replayed since, it has others beside them.
  runs: was.runs.map(({ id }) => {
    const found = runs.find(run => run.id === id);
    return found && runOf(found);
  }),
});

const runOf = ({ id, pipeline, outcome, step, reason, replay, at, steps }: OldRun): OldRun => ({
  ...{ id, pipeline, outcome, step, reason, replay, at, steps },
});

type ShownDelivery = Omit<OldDelivery, 'destination'> & { readonly destination: { readonly name: string } };

export async function expectDeliveriesOfOld({ deliveries }: RowsOfOld, readers: Readers): Promise<void> {
  expect(deliveries.length).toBeGreaterThan(100);
  for (const was of deliveries) {
    const now = await readerOf(readers, was).read<ShownDelivery>(`/deliveries/${was.id}`);
    const isOpen = OPEN.test(was.state);
    expect({
      id: now.id,
      event_id: now.event_id,
      destination: now.destination.name,
      state: endOf(was, now.state),
      attempt: isOpen ? was.attempt : now.attempt,
      created_at: now.created_at,
      finished_at: isOpen ? was.finished_at : now.finished_at,
      // It may have been tried again since.
      attempts: now.attempts
        .slice(0, isOpen ? was.attempts.length : undefined)
        .map(({ n, at, duration_ms, status, code, message, request, response }) => ({
          ...{ n, at, duration_ms, status, code, message, request, response },
        })),
    }).toEqual({
      id: was.id,
      event_id: was.event_id,
      destination: was.destination,
      state: endOf(was),
      attempt: was.attempt,
      created_at: was.created_at,
      finished_at: was.finished_at,
      attempts: [...was.attempts],
    });
  }
}

function readerOf(readers: Readers, { organisation }: { readonly organisation: string }): Person {
  const reader = readers[organisation];
  if (reader === undefined) throw new Error(`Nobody reads for ${organisation}.`);
  return reader;
}
