import { messageOf } from '../../core/errors.ts';
import type { NewEvent } from '../../core/event/event.ts';
import type { AppendRequest, AppendResult, Unrouted } from '../../core/stores/journal.ts';
import { withoutNul } from '../../core/threads/packed-text.ts';
import type { EngineOwned, OperationName } from '../operations.ts';

/** The protocol between the main thread and a storage thread: calls, and their replies. */
export interface Call {
  readonly id: number;
  readonly name: OperationName | Exclude<keyof EngineOwned, 'append'> | 'check' | 'close';
  readonly args: readonly unknown[];
}

export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };

export interface Failure {
  /** full: it cannot be written now. fatal: the process must not go on. refused: this one operation failed. */
  readonly kind: 'full' | 'fatal' | 'refused';
  readonly message: string;
}

export function toFailure(error: unknown): Failure {
  const code = (error as { code?: unknown }).code;
  const message = messageOf(error);
  if (code === 'SQLITE_FULL') {
    return {
      kind: 'full',
      message: 'The disk is full. Nothing from this request was stored; retry once there is room.',
    };
  }
  if (code === 'SQLITE_IOERR_SHMSIZE') {
    // The index of the journal could not grow, and that comes after the flush: the commit may outlive a crash.
    return {
      kind: 'full',
      message:
        'The disk is full. Whether this request was stored is unknown: retry with the same idempotency key or ids.',
    };
  }
  if (typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return {
      kind: 'full',
      message: 'Another program holds the database. Nothing from this request was stored; retry shortly.',
    };
  }
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
 * Appends cross the threads as one text, its fields set apart by NUL: a text is handed over whole where objects are
 * copied value by value. Endpoints refuse a NUL in any text of a sender; one that came through all the same would end
 * its field and begin another, be it of another organisation, so it is replaced here again. The reply names only the requests that were not
 * simply stored. Measured: it halves what a thread of its own costs the main thread.
 */
export type PackedAppend = string;

const BETWEEN = '\0';

export function packAppend(id: number, requests: readonly AppendRequest[]): PackedAppend {
  let packed = String(id);
  for (const { orgId, sourceId, receivedAt, claimToken, unrouted, idempotency, events } of requests) {
    packed += `\0${orgId}\0${sourceId ?? ''}\0${receivedAt}\0${claimToken ?? ''}\0${withoutNul(idempotency?.key ?? '')}`;
    packed += unrouted === undefined ? '\0' : `\0${JSON.stringify(unrouted)}`;
    if (idempotency !== null) {
      packed += `\0${idempotency.scope}\0${idempotency.bodyHash ?? ''}\0${idempotency.expiresAt}`;
    }
    packed += `\0${events.length}`;
    for (const event of events) {
      // Of the texts that may be absent only the icon may also be empty.
      const icon = event.icon === null ? '' : `=${withoutNul(event.icon)}`;
      const [type, payload] = [withoutNul(event.type), withoutNul(event.payload)];
      packed += `\0${event.id}\0${type}\0${icon}\0${payload}\0${textOf(event.senderId)}\0${textOf(event.entityKind)}`;
      packed += `\0${textOf(event.entityExternalId)}\0${event.happenedAt}\0${textOf(event.headers)}`;
    }
  }
  return packed;
}

const textOf = (given: string | null | undefined): string => (given ? withoutNul(given) : '');

export function unpackAppend(packed: PackedAppend): { id: number; requests: AppendRequest[] } {
  const fields = packed.split(BETWEEN);
  const requests: AppendRequest[] = [];
  let at = 0;
  const text = () => fields[at++] ?? '';
  const textOrNull = () => text() || null;
  const number = () => Number(text());
  const id = number();
  while (at < fields.length) {
    const [orgId, sourceId, receivedAt] = [text(), textOrNull(), number()];
    const [claimToken, key, unrouted] = [textOrNull(), textOrNull(), textOrNull()];
    const idempotency =
      key === null ? null : { key, scope: text(), bodyHash: textOrNull(), expiresAt: number() };
    const events: NewEvent[] = [];
    for (let left = number(); left > 0; left--) {
      const event = {
        id: text(),
        type: text(),
        icon: textOrNull()?.slice(1) ?? null,
        payload: text(),
        senderId: textOrNull(),
        entityKind: textOrNull(),
        entityExternalId: textOrNull(),
        happenedAt: number(),
      };
      const headers = textOrNull();
      events.push(headers === null ? event : { ...event, headers });
    }
    const request = { orgId, sourceId, receivedAt, idempotency, events };
    if (unrouted !== null) requests.push({ ...request, unrouted: JSON.parse(unrouted) as Unrouted });
    else requests.push(claimToken === null ? request : { ...request, claimToken });
  }
  return { id, requests };
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
