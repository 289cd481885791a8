import { ingestBody, parseTimestamp } from '@sluice/contract';
import type { z } from 'zod';
import { invalid, Problem } from '../../core/errors.ts';
import type { NewEvent } from '../../core/event/event.ts';
import { decodeText } from '../../core/http/read-body.ts';
import { validate } from '../../core/http/validate.ts';
import { newId } from '../../core/ids.ts';
import {
  type Json,
  type JsonObject,
  mayHoldUnstorableText,
  parseJson,
  requireNesting,
  requireStorableText,
  stringifyJson,
} from '../../core/json/json.ts';
import { findSizeProblem } from '../event-sizes.ts';
import type { Limits } from '../limits.ts';

/** A batch of `POST /v1/ingest`, read from its bytes: every rule that a body has to keep, in the promised order. */
export type BatchReader = (bytes: Uint8Array) => BatchEvent[];

/** An event as its schema reads it. */
export type BatchEvent = z.output<ReturnType<typeof ingestBody>>['events'][number];

export function createBatchReader(limits: Limits): BatchReader {
  const schema = ingestBody(limits);

  return bytes => {
    if (bytes.byteLength > limits.eventBytes) requireSizes(bytes);
    const text = decodeText(bytes);
    const value = parseJson(text);
    requireLength(value);
    const { events } = validate(schema, value);
    for (const [i, { payload }] of events.entries()) {
      if (payload) requireNesting(payload as JsonObject, limits.nesting, `events[${i}].payload`);
    }
    if (mayHoldUnstorableText(text)) requireStorableText(value, '');
    return events;
  };

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

export const toNewEvent = (event: BatchEvent, receivedAt: number): NewEvent => ({
  id: newId('evt', receivedAt),
  type: event.type,
  icon: event.icon ?? null,
  payload: payloadOf(event),
  senderId: event.id ?? null,
  entityKind: event.entity?.kind ?? null,
  entityExternalId: event.entity?.external_id ?? null,
  happenedAt: happenedAt(event) ?? receivedAt,
});

export const payloadOf = ({ payload }: BatchEvent): string =>
  payload === undefined ? '{}' : stringifyJson(payload);

/** Null where the sender does not say. */
export const happenedAt = ({ timestamp }: BatchEvent): number | null =>
  timestamp === undefined ? null : parseTimestamp(timestamp);
