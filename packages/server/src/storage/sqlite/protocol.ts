import type { AppendRequest, AppendResult } from '../../core/ports.ts';
import type { OperationName } from '../operations.ts';

/** What the doors' thread asks of a storage thread, and what comes back. */
export type Call =
  | { readonly id: number; readonly name: OperationName; readonly args: readonly unknown[] }
  | { readonly id: number; readonly name: 'append'; readonly args: PackedAppend }
  | { readonly id: number; readonly name: 'check' | 'close'; readonly args: readonly [] };

export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };

export interface Failure {
  /** full: there is no room now. fatal: the process must not go on. refused: this one operation failed. */
  readonly kind: 'full' | 'fatal' | 'refused';
  readonly message: string;
}

export function toFailure(error: unknown): Failure {
  const code = (error as { code?: unknown }).code;
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'SQLITE_FULL') return { kind: 'full', message: 'The disk is full.' };
  if (typeof code === 'string' && code.startsWith('SQLITE_IOERR')) {
    // After a failed flush nobody knows what is on disk: only a fresh start that reads it back can tell.
    return { kind: 'fatal', message: `The disk failed (${code}): ${message}` };
  }
  if (typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return { kind: 'fatal', message: `The database file is damaged (${code}): ${message}` };
  }
  return { kind: 'refused', message };
}

/**
 * Appends cross the threads as one flat list, which copies twice as fast as objects do; the reply names only
 * the requests that were not simply stored. Measured: this is most of what a thread of its own costs.
 */
export type PackedAppend = readonly (string | number | null)[];

export function packAppend(requests: readonly AppendRequest[]): PackedAppend {
  const packed: (string | number | null)[] = [];
  for (const { orgId, sourceId, receivedAt, idempotency, events } of requests) {
    packed.push(orgId, sourceId, receivedAt, idempotency === null ? null : idempotency.key);
    if (idempotency !== null) packed.push(idempotency.scope, idempotency.bodyHash, idempotency.expiresAt);
    packed.push(events.length);
    for (const event of events) {
      packed.push(event.id, event.type, event.icon, event.payload, event.senderId);
      packed.push(event.entityKind, event.entityExternalId, event.happenedAt);
    }
  }
  return packed;
}

export function unpackAppend(packed: PackedAppend): AppendRequest[] {
  const requests: AppendRequest[] = [];
  let at = 0;
  const next = <T extends string | number | null>() => packed[at++] as T;
  while (at < packed.length) {
    const [orgId, sourceId, receivedAt] = [next<string>(), next<string | null>(), next<number>()];
    const key = next<string | null>();
    const idempotency =
      key === null
        ? null
        : { key, scope: next<string>(), bodyHash: next<string | null>(), expiresAt: next<number>() };
    const events = Array.from({ length: next<number>() }, () => ({
      id: next<string>(),
      type: next<string>(),
      icon: next<string | null>(),
      payload: next<string>(),
      senderId: next<string | null>(),
      entityKind: next<string | null>(),
      entityExternalId: next<string | null>(),
      happenedAt: next<number>(),
    }));
    requests.push({ orgId, sourceId, receivedAt, idempotency, events });
  }
  return requests;
}

/** By position: the requests that were answered with something else than their own events. */
export type UncommonResults = readonly (readonly [position: number, result: AppendResult])[];

export function uncommonOf(
  requests: readonly AppendRequest[],
  results: readonly AppendResult[],
): UncommonResults {
  return [...results.entries()].filter(([position, result]) => {
    if (result.kind !== 'stored') return true;
    return result.events.some(
      (event, i) => event.duplicate || event.id !== requests[position]?.events[i]?.id,
    );
  });
}

export function allResults(requests: readonly AppendRequest[], uncommon: UncommonResults): AppendResult[] {
  const results: AppendResult[] = requests.map(({ events }) => ({
    kind: 'stored',
    events: events.map(({ id }) => ({ id, duplicate: false })),
  }));
  for (const [position, result] of uncommon) results[position] = result;
  return results;
}
