import { Problem } from '../../core/errors.ts';
import type { Path } from '../../core/expressions/path.ts';
import { decodeText, type MediaType } from '../../core/http/read-body.ts';
import {
  type Json,
  type JsonObject,
  joinPath,
  mayHoldUnstorableText,
  parseJson,
  requireNesting,
  requireStorableText,
  stringifyJson,
} from '../../core/json/json.ts';
import type { Limits } from '../limits.ts';
import type { CompiledRules } from './body-rules.ts';
import { type CloudMode, cloudEventOf } from './cloud-event.ts';
import { textAt, typeOfEvent } from './event-type.ts';
import { readForm } from './read-form.ts';
import { strikeFields } from './strike-fields.ts';

/** What of a webhook's body makes events, read from its bytes. */
export interface WebhookContent {
  readonly events: readonly WebhookEvent[];
  /** Whether the answer names all of them, as a list. */
  readonly isList: boolean;
  /** The provider's own id of this delivery, where it stands in the body. */
  readonly deliveryId: string | null;
}

interface WebhookEvent {
  readonly type: string;
  readonly payload: string;
  /** The sender's own id of the event. */
  readonly senderId: string | null;
  /** Null where the sender does not say. */
  readonly happenedAt: number | null;
  /** What stands with the received headers beside them. */
  readonly attributes: Readonly<Record<string, string>> | null;
}

/** How a body is to be read: what of the request's headers counts for that, and the rules of its source. */
export interface WebhookReading {
  readonly media: MediaType;
  /** Null: one event, its type the body's own. */
  readonly rules: CompiledRules | null;
  readonly typeHeader: string | null;
  readonly cloud: CloudMode | null;
}

export type WebhookReader = (bytes: Uint8Array, reading: WebhookReading) => WebhookContent;

export function createWebhookReader(limits: Limits): WebhookReader {
  return (bytes, reading) => {
    const content = readBody(bytes, reading);
    const fields = reading.rules?.secretFields ?? null;
    if (fields === null) return content;
    const events = content.events.map(event => ({ ...event, payload: strikeFields(event.payload, fields) }));
    return { ...content, events };
  };

  function readBody(bytes: Uint8Array, reading: WebhookReading): WebhookContent {
    const { media, rules } = reading;
    if (reading.cloud !== null) return readCloudEvents(bytes, reading, reading.cloud);
    if (media !== 'form') return readJson(bytes, reading);
    const fields = readForm(decodeText(bytes), requireSize);
    const wrapped = rules?.formField == null ? undefined : fields[rules.formField];
    if (typeof wrapped === 'string') {
      if (rules?.each == null) requireSize(Buffer.byteLength(wrapped));
      return readText(wrapped, reading);
    }
    requireStorableText(fields, '');
    const payload = stringifyJson(fields);
    requireSize(Buffer.byteLength(payload));
    return one(fields, payload, reading);
  }

  function readJson(bytes: Uint8Array, reading: WebhookReading): WebhookContent {
    // A list may be as large as a body: each of its events has to keep the limit.
    if (reading.rules?.each == null) requireSize(bytes.byteLength);
    const text = decodeText(bytes);
    if (reading.media !== 'text') return readText(text, reading);
    try {
      return readText(text, reading);
    } catch (error) {
      // Text that holds no JSON is text.
      if (error instanceof Problem && error.code === 'invalid_json')
        throw new Problem('unsupported_media_type');
      throw error;
    }
  }

  /** The sender's text is kept as it came; a value that is no object is wrapped, its text unchanged too. */
  function readText(text: string, reading: WebhookReading): WebhookContent {
    const body = parseJson(text);
    const { rules } = reading;
    if (rules?.each != null) {
      if (Array.isArray(body)) return list(body, rules.each, reading);
      requireSize(Buffer.byteLength(text));
    }
    const isObject = isRecord(body);
    const payload: JsonObject = isObject ? body : { body };
    requireNesting(payload, limits.nesting, '');
    if (mayHoldUnstorableText(text)) requireStorableText(payload, '');
    return one(payload, isObject ? text : `{"body":${text}}`, reading);
  }

  function one(payload: JsonObject, text: string, reading: WebhookReading): WebhookContent {
    const { rules } = reading;
    return {
      events: [
        {
          type: typeOfEvent(payload, rules?.type ?? null, reading.typeHeader, limits),
          payload: text,
          senderId: null,
          happenedAt: null,
          attributes: null,
        },
      ],
      isList: false,
      deliveryId: rules?.deliveryId == null ? null : idOf(payload, rules.deliveryId),
    };
  }

  function list(items: readonly Json[], id: readonly Path[], reading: WebhookReading): WebhookContent {
    requireLength(items);
    const events = items.map((item, i): WebhookEvent => {
      const payload = isRecord(item) ? item : { body: item };
      return {
        type: typeOfEvent(payload, reading.rules?.type ?? null, reading.typeHeader, limits),
        payload: writeItem(payload, `[${i}]`),
        senderId: idOf(payload, id),
        happenedAt: null,
        attributes: null,
      };
    });
    return { events, isList: true, deliveryId: null };
  }

  function readCloudEvents(bytes: Uint8Array, reading: WebhookReading, mode: CloudMode): WebhookContent {
    if (mode.kind === 'binary') {
      const { attributes } = mode;
      const given =
        bytes.byteLength === 0 ? attributes : { ...attributes, data: dataOf(bytes, reading.media) };
      return { events: [toEvent(given, '')], isList: false, deliveryId: null };
    }
    if (mode.kind === 'structured') requireSize(bytes.byteLength);
    const body = parseJson(decodeText(bytes));
    if (mode.kind === 'structured') {
      return { events: [toEvent(body, '')], isList: false, deliveryId: null };
    }
    if (!Array.isArray(body))
      throw new Problem('validation_failed', { message: 'A batch of CloudEvents is a list.' });
    requireLength(body);
    const events = body.map((item, i) => toEvent(item, `[${i}]`));
    return { events, isList: true, deliveryId: null };
  }

  function dataOf(bytes: Uint8Array, media: MediaType): Json {
    requireSize(bytes.byteLength);
    const text = decodeText(bytes);
    if (media === 'form') return readForm(text, requireSize);
    return media === 'text' ? text : parseJson(text);
  }

  /** Attributes are stored as the data is: what holds for its text holds for all of the event's. */
  function toEvent(given: Json, path: string): WebhookEvent {
    const { payload, ...rest } = cloudEventOf(given, path);
    requireNesting(payload, limits.nesting, joinPath(path, 'data'));
    requireNesting(given, limits.nesting + 1, path);
    requireStorableText(given, path);
    const type = typeOfEvent({ type: rest.type }, null, null, limits);
    return { ...rest, type, payload: write(payload, path) };
  }

  function writeItem(payload: JsonObject, path: string): string {
    requireNesting(payload, limits.nesting, path);
    requireStorableText(payload, path);
    return write(payload, path);
  }

  function write(payload: JsonObject, path: string): string {
    const text = stringifyJson(payload);
    requireSize(Buffer.byteLength(text), path);
    return text;
  }

  function requireLength(items: readonly Json[]): void {
    if (items.length > 0 && items.length <= limits.batchEvents) return;
    throw new Problem('validation_failed', {
      message: `A list must have from 1 to ${limits.batchEvents} events.`,
    });
  }

  function requireSize(size: number, path = ''): void {
    if (size <= limits.eventBytes) return;
    throw new Problem('payload_too_large', {
      path,
      message: `An event may have at most ${limits.eventBytes} bytes.`,
    });
  }
}

const isRecord = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null unless the first of them is there: the others only tell apart what shares it. */
function idOf(payload: JsonObject, paths: readonly Path[]): string | null {
  const texts = paths.map(path => textAt(payload, path));
  return texts[0] ? texts.filter(Boolean).join(' ') : null;
}
