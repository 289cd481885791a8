import type { NewEvent } from '../../core/event/event.ts';
import { firstStateOf } from '../../core/event/state.ts';
import type { AppendRequest } from '../../core/stores/journal.ts';
import { matchedSourcesOf } from '../matched-sources.ts';
import { bigintArray, textArray } from './arrays.ts';
import { RemovedMeanwhile } from './failure.ts';
import type { Session } from './sessions.ts';

/** An event on its way in, and what its sender will be answered: its own id, or that of the event it repeats. */
export interface IncomingEvent {
  readonly request: AppendRequest;
  readonly event: NewEvent;
  /** Which of the request's events it is. */
  readonly position: number;
  outcome: { readonly id: string; readonly duplicate: boolean };
}

const INSERT_EVENTS = `
  INSERT INTO events (id, org_id, source_id, state, type, icon, sender_id, entity_kind, entity_external_id,
    happened_at, received_at, payload, claim_token, matched_sources, headers)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::bigint[], $11::bigint[], $12::text[], $13::text[], $14::text[], $15::text[])`;

export async function insertEvents(session: Session, rows: readonly IncomingEvent[]): Promise<void> {
  await session.query(INSERT_EVENTS, columnsOf(rows));
}

const columnsOf = (rows: readonly IncomingEvent[]): Buffer[] => [
  textArray(rows.map(({ event }) => event.id)),
  textArray(rows.map(({ request }) => request.orgId)),
  textArray(rows.map(({ request }) => request.sourceId)),
  textArray(rows.map(({ request }) => firstStateOf(request))),
  textArray(rows.map(({ event }) => event.type)),
  textArray(rows.map(({ event }) => event.icon)),
  textArray(rows.map(({ event }) => event.senderId)),
  textArray(rows.map(({ event }) => event.entityKind)),
  textArray(rows.map(({ event }) => event.entityExternalId)),
  bigintArray(rows.map(({ event }) => event.happenedAt)),
  bigintArray(rows.map(({ request }) => request.receivedAt)),
  textArray(rows.map(({ event }) => event.payload)),
  textArray(rows.map(({ request }) => request.claimToken ?? null)),
  textArray(rows.map(({ request, position }) => matchedSourcesOf(request, position))),
  textArray(rows.map(({ event }) => event.headers ?? null)),
];

/** Stores what is new, and writes into the rest of the rows which event each of them repeats. */
export async function storeEvents(session: Session, rows: readonly IncomingEvent[]): Promise<void> {
  const plain = rows.filter(({ event }) => event.senderId === null);
  if (plain.length > 0) await insertEvents(session, plain);

  const bySender = new Map<string, IncomingEvent[]>();
  for (const row of rows) {
    const { senderId } = row.event;
    if (senderId === null) continue;
    const name = nameOf(row.request.orgId, senderId);
    const same = bySender.get(name);
    if (same) same.push(row);
    else bySender.set(name, [row]);
  }
  if (bySender.size === 0) return;

  const firsts = [...bySender].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, [first]]) => first ?? []);
  const made = await insertUnlessKnown(session, firsts);
  const known = await findKnown(
    session,
    firsts.filter(row => !made.has(nameOf(row.request.orgId, row.event.senderId))),
  );
  for (const [name, [first, ...repeats]] of bySender) {
    if (first === undefined) continue;
    const knownId = known.get(name);
    if (knownId !== undefined) first.outcome = { id: knownId, duplicate: true };
    for (const repeat of repeats) repeat.outcome = { id: first.outcome.id, duplicate: true };
  }
}

/** An organisation's id has no line breaks. */
const nameOf = (orgId: string, senderId: string | null): string => `${orgId}\n${senderId}`;

/** Waits for other transactions that are about to store one of the same; answers which were new. */
async function insertUnlessKnown(session: Session, rows: readonly IncomingEvent[]): Promise<Set<string>> {
  const inserted = await session.query<{ org_id: string; sender_id: string }>(
    `${INSERT_EVENTS}
     ON CONFLICT (org_id, sender_id) WHERE sender_id IS NOT NULL DO NOTHING
     RETURNING org_id, sender_id`,
    columnsOf(rows),
  );
  return new Set(inserted.rows.map(row => nameOf(row.org_id, row.sender_id)));
}

/**
 * Writes a word into the log of the server as well: whoever only reads commits without waiting for the standbys, and an
 * event that the primary alone has, since it came back from a crash, would be acknowledged a second time and lost.
 */
async function findKnown(session: Session, rows: readonly IncomingEvent[]): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map();
  const found = await session.query<{ org_id: string; sender_id: string; id: string }>(
    `WITH written AS MATERIALIZED (SELECT pg_logical_emit_message(true, 'sluice', 'repeated'))
     SELECT known.org_id, known.sender_id, known.id
     FROM written CROSS JOIN unnest($1::text[], $2::text[]) AS wanted (org_id, sender_id)
     JOIN events AS known ON known.org_id = wanted.org_id AND known.sender_id = wanted.sender_id`,
    [textArray(rows.map(({ request }) => request.orgId)), textArray(rows.map(({ event }) => event.senderId))],
  );
  if (found.rows.length < rows.length)
    throw new RemovedMeanwhile('An event was pruned while it was looked at.');
  return new Map(found.rows.map(row => [nameOf(row.org_id, row.sender_id), row.id]));
}
