import type { FinalDelivery, FinalLine, Logs, SenderLine, SentEvent, SetUpLine } from '../lines.ts';
import { deafFaults, mostBreaks } from './breaks.ts';
import { overlap, unionOf } from './stretches.ts';

/** The logs of a run, as the invariants ask for them. */
export interface Evidence {
  readonly logs: Logs;
  /** Organisations that were there to the end. */
  readonly living: ReadonlySet<string>;
  readonly requests: readonly EvidentRequest[];
  /** By id. */
  readonly events: ReadonlyMap<string, FinalEvent>;
  readonly eventsByType: ReadonlyMap<string, readonly FinalEvent[]>;
  readonly destinations: ReadonlyMap<string, EvidentDestination>;
  readonly deliveries: ReadonlyMap<string, { readonly delivery: FinalDelivery; readonly event: FinalEvent }>;
  /** Of that time, how much some node or the database could not hear of anything. */
  deafMs(from: number, to: number): number;
  /** How often at most somebody was torn away from what was under way meanwhile. */
  mostBreaks(from: number, to: number): number;
}

export interface EvidentRequest {
  readonly sent: Extract<SenderLine, { kind: 'sent' }>;
  readonly answers: readonly Extract<SenderLine, { kind: 'answered' }>[];
}

export type FinalEvent = Extract<FinalLine, { kind: 'event' }>;
export type EvidentDestination = SetUpLine['destinations'][number] & { readonly organisation: string };

/** A promise, and what in the logs breaks it, a sentence each. */
export interface Invariant {
  readonly name: string;
  readonly promise: string;
  broken(evidence: Evidence): string[];
}

/** What was withdrawn may have been on its way for so long; whoever was deaf meanwhile has that time on top. */
export const GRACE_MS = 8_000;

export function gatherEvidence(logs: Logs): Evidence {
  const living = new Set<string>();
  const events = new Map<string, FinalEvent>();
  const eventsByType = new Map<string, FinalEvent[]>();
  const deliveries = new Map<string, { delivery: FinalDelivery; event: FinalEvent }>();
  for (const line of logs.final) {
    if (line.kind === 'figures') living.add(line.organisation);
    if (line.kind !== 'event') continue;
    events.set(line.id, line);
    eventsByType.set(line.type, [...(eventsByType.get(line.type) ?? []), line]);
    for (const delivery of line.deliveries) deliveries.set(delivery.id, { delivery, event: line });
  }
  const answers = new Map<number, Extract<SenderLine, { kind: 'answered' }>[]>();
  for (const line of logs.senders) {
    if (line.kind !== 'answered') continue;
    const before = answers.get(line.request);
    if (before) before.push(line);
    else answers.set(line.request, [line]);
  }
  const deaf = unionOf(deafFaults(logs));
  return {
    logs,
    living,
    events,
    eventsByType,
    deliveries,
    requests: logs.senders.flatMap(line =>
      line.kind === 'sent' ? [{ sent: line, answers: answers.get(line.request) ?? [] }] : [],
    ),
    destinations: new Map(
      logs.setUp.flatMap(({ organisation, destinations }) =>
        destinations.map(destination => [destination.id, { ...destination, organisation }] as const),
      ),
    ),
    mostBreaks: (from, to) => mostBreaks(logs, from, to),
    deafMs: (from, to) => deaf.reduce((sum, stretch) => sum + overlap(stretch, from, to), 0),
  };
}

/** What a request was accepted as, event by event; null where it never was, as far as its sender knows. */
export function acceptedAs({ answers }: EvidentRequest): readonly string[] | null {
  const accepted = answers.find(({ status }) => status === 202);
  return accepted ? accepted.events.map(({ id }) => id) : null;
}

/** Each event that its sender was told is accepted, with its id; of organisations that are still there. */
export const acceptedEvents = (
  evidence: Evidence,
): { event: SentEvent; id: string; request: EvidentRequest }[] =>
  evidence.requests
    .filter(({ sent }) => evidence.living.has(sent.organisation))
    .flatMap(request => {
      const ids = acceptedAs(request) ?? [];
      return request.sent.events.flatMap((event, i) => {
        const id = ids[i];
        return id === undefined ? [] : [{ event, id, request }];
      });
    });

/** When somebody asked for a person to be erased, of events that were accepted before. */
export function erasureOf(
  { logs }: Pick<Evidence, 'logs'>,
  { event, request }: { readonly event: SentEvent; readonly request: EvidentRequest },
) {
  const acceptedAt = request.answers.find(({ status }) => status === 202)?.at ?? Number.POSITIVE_INFINITY;
  return logs.people.find(
    ({ what, id, organisation, askedAt }) =>
      what === 'erase' &&
      id === event.person &&
      organisation === request.sent.organisation &&
      askedAt > acceptedAt,
  );
}
