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
  /** As text: read as JSON, an integer beyond 2^53 would be another. */
  readonly payload: string;
}

interface OldDelivery {
  readonly id: string;
  readonly organisation: string;
  readonly event_id: string;
  readonly destination: string;
  readonly state: string;
  readonly attempt: number;
  readonly attempts: readonly OldAttempt[];
}

interface OldAttempt {
  readonly n: number;
  readonly status: number | null;
  readonly code: string | null;
  readonly request: unknown;
  readonly response: string;
}

/** Asks a database in words that both engines know. */
export type Look = <Row>(statement: string) => Promise<Row[]>;

export async function readRowsOfOld(look: Look): Promise<RowsOfOld> {
  const attempts = await look<OldAttempt & { delivery_id: string; request: string }>(
    `SELECT delivery_id, CAST(n AS INTEGER) AS n, CAST(status AS INTEGER) AS status, code, request, response
     FROM attempts ORDER BY delivery_id, n`,
  );
  const ofDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
  const deliveries = await look<OldDelivery>(
    `SELECT deliveries.id, organisations.name AS organisation, event_id, destination_name AS destination, state,
       CAST(attempt AS INTEGER) AS attempt
     FROM deliveries JOIN organisations ON organisations.id = deliveries.org_id ORDER BY deliveries.id`,
  );
  return {
    events: await look<OldEvent>(
      `SELECT events.id, organisations.name AS organisation, type, state, payload
       FROM events JOIN organisations ON organisations.id = events.org_id ORDER BY events.id`,
    ),
    deliveries: deliveries.map(row => ({
      ...row,
      attempts: (ofDelivery.get(row.id) ?? []).map(({ delivery_id: _, request, ...attempt }) => ({
        ...attempt,
        request: JSON.parse(request),
      })),
    })),
  };
}

/** What was open when the first edition was killed has come to its end since; whatever had one still has the same. */
const OPEN = /^(accepted|deferred|pending|delivering|retrying)$/;
const endOf = (was: { readonly state: string }, state = was.state) =>
  OPEN.test(was.state) ? 'open then' : state;

/** By the names of their organisations. */
type Readers = Readonly<Record<string, Person>>;

export async function expectEventsOfOld({ events }: RowsOfOld, readers: Readers): Promise<void> {
  expect(events.length).toBeGreaterThan(100);
  for (const was of events) {
    const { text, data } = await readerOf(readers, was).send<OldEvent>('GET', `/events/${was.id}`);
    const { id, type, state } = data;
    // The payload is what the answer ends with.
    const payload = text.slice(-`"payload":${was.payload}}}`.length);
    expect({ id, type, state: endOf(was, state), payload }).toEqual({
      id: was.id,
      type: was.type,
      state: endOf(was),
      payload: `"payload":${was.payload}}}`,
    });
  }
}

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
      // It may have been tried again since.
      attempts: now.attempts
        .slice(0, isOpen ? was.attempts.length : undefined)
        .map(({ n, status, code, request, response }) => ({
          n,
          status,
          code,
          request,
          response,
        })),
    }).toEqual({
      id: was.id,
      event_id: was.event_id,
      destination: was.destination,
      state: endOf(was),
      attempt: was.attempt,
      attempts: [...was.attempts],
    });
  }
}

function readerOf(readers: Readers, { organisation }: { readonly organisation: string }): Person {
  const reader = readers[organisation];
  if (reader === undefined) throw new Error(`Nobody reads for ${organisation}.`);
  return reader;
}
