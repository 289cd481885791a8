import { ingestBody, parseTimestamp } from '@sluice/contract';
import type { Clock } from '../core/clock.ts';
import { invalid, Problem } from '../core/errors.ts';
import type { NewEvent } from '../core/event/event.ts';
import type { ByteRoom } from '../core/http/byte-room.ts';
import { decodeText, decompress, mediaTypeOf, readBytes } from '../core/http/read-body.ts';
import { validate } from '../core/http/validate.ts';
import { newId } from '../core/ids.ts';
import {
  type Json,
  type JsonObject,
  mayHoldUnstorableText,
  parseJson,
  requireNesting,
  requireStorableText,
  stringifyJson,
} from '../core/json/json.ts';
import type { AppendRequest, AppendResult } from '../core/stores/journal.ts';
import type { ActivityLog } from './activity.ts';
import { authenticateKey } from './authenticate.ts';
import type { Directory } from './directory.ts';
import { findSizeProblem } from './event-sizes.ts';
import { hashBody, readIdempotencyKey } from './idempotency.ts';
import type { Limits } from './limits.ts';

/** What both ingest endpoints work with. */
export interface IngestDependencies {
  readonly directory: Directory;
  readonly activity: ActivityLog;
  readonly limits: Limits;
  /** What large bodies may hold together while they come in. */
  readonly room: ByteRoom;
  readonly clock: Clock;
  /** Resolves once it is on stable storage. */
  accept(request: AppendRequest): Promise<AppendResult>;
}

/** `POST /v1/ingest`: a batch of events from code, all or nothing. */
export function createHttpIngest({ directory, activity, limits, room, clock, accept }: IngestDependencies) {
  const schema = ingestBody(limits);

  return async (request: Request): Promise<Response> => {
    // What is at hand is not awaited: at this endpoint's rate each turn of the event loop is felt.
    const known = authenticateKey(request, directory);
    const key = known instanceof Promise ? await known : known;
    if (mediaTypeOf(request) !== 'json') throw new Problem('unsupported_media_type');
    const idempotencyKey = readIdempotencyKey(request, limits);
    const unpacked = decompress(request, await readBytes(request, limits, room), limits);
    const bytes = unpacked instanceof Promise ? await unpacked : unpacked;

    const receivedAt = clock.now();
    const events = readEvents(bytes, receivedAt);
    const result = await accept({
      orgId: key.orgId,
      sourceId: null,
      receivedAt,
      events,
      idempotency:
        idempotencyKey === null
          ? null
          : {
              scope: key.orgId,
              key: idempotencyKey,
              bodyHash: hashBody(bytes),
              expiresAt: receivedAt + (await directory.retentionMs(key.orgId)),
            },
    });
    activity.keyUsed(key.id);
    if (result.kind === 'conflict') throw new Problem('idempotency_conflict');
    return Response.json({ data: { events: result.events } }, { status: 202 });
  };

  function readEvents(bytes: Uint8Array, receivedAt: number): NewEvent[] {
    if (bytes.byteLength > limits.eventBytes) requireSizes(bytes);
    const text = decodeText(bytes);
    const value = parseJson(text);
    requireLength(value);
    const { events } = validate(schema, value);
    for (const [i, { payload }] of events.entries()) {
      if (payload) requireNesting(payload as JsonObject, limits.nesting, `events[${i}].payload`);
    }
    if (mayHoldUnstorableText(text)) requireStorableText(value, '');
    return events.map(event => ({
      id: newId('evt', receivedAt),
      type: event.type,
      icon: event.icon ?? null,
      payload: event.payload === undefined ? '{}' : stringifyJson(event.payload),
      senderId: event.id ?? null,
      entityKind: event.entity?.kind ?? null,
      entityExternalId: event.entity?.external_id ?? null,
      happenedAt: (event.timestamp === undefined ? null : parseTimestamp(event.timestamp)) ?? receivedAt,
    }));
  }

  /** Before each event is looked at: a schema looks at all of them, however many there are. */
  function requireLength(body: Json): void {
    const events = typeof body === 'object' && body !== null && !Array.isArray(body) ? body.events : null;
    if (Array.isArray(events) && events.length > limits.batchEvents) {
      throw invalid('events', `events may hold at most ${limits.batchEvents} events.`);
    }
  }

  function requireSizes(bytes: Uint8Array): void {
    const problem = findSizeProblem(bytes, limits);
    if (problem === null) return;
    const path = `events[${problem.index}]`;
    if (problem.kind === 'too_large') {
      throw new Problem('payload_too_large', {
        path,
        message: `${path} may have at most ${limits.eventBytes} bytes.`,
      });
    }
    throw new Problem('validation_failed', {
      path,
      message: `${path} may be nested ${limits.nesting} levels deep.`,
    });
  }
}
