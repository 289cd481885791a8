import { Problem } from '../../core/errors.ts';
import { WEBHOOK_EVENT_TYPE } from '../../core/event/event.ts';
import { decodeText, type MediaType } from '../../core/http/read-body.ts';
import {
  type Json,
  type JsonObject,
  longerThan,
  mayHoldUnstorableText,
  parseJson,
  requireNesting,
  requireStorableText,
  stringifyJson,
} from '../../core/json/json.ts';
import type { Limits } from '../limits.ts';

/** What of a webhook's body makes an event, read from its bytes. */
export interface WebhookContent {
  readonly type: string;
  readonly payload: string;
}

export type WebhookReader = (bytes: Uint8Array, media: MediaType) => WebhookContent;

export function createWebhookReader(limits: Limits): WebhookReader {
  return (bytes, media) => (media === 'form' ? readForm(bytes) : readJson(bytes));

  /** The sender's text is kept as it came; a value that is no object is wrapped, its text unchanged too. */
  function readJson(bytes: Uint8Array): WebhookContent {
    requireSize(bytes.byteLength);
    const text = decodeText(bytes);
    const body = parseJson(text);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    const payload: JsonObject = isObject ? body : { body };
    requireNesting(payload, limits.nesting, '');
    if (mayHoldUnstorableText(text)) requireStorableText(payload, '');
    return { type: typeOf(payload), payload: isObject ? text : `{"body":${text}}` };
  }

  function readForm(bytes: Uint8Array): WebhookContent {
    const fields = parseForm(decodeText(bytes), requireSize);
    requireStorableText(fields, '');
    const payload = stringifyJson(fields);
    requireSize(Buffer.byteLength(payload));
    return { type: typeOf(fields), payload };
  }

  function requireSize(size: number): void {
    if (size <= limits.eventBytes) return;
    throw new Problem('payload_too_large', {
      message: `An event may have at most ${limits.eventBytes} bytes.`,
    });
  }

  function typeOf(payload: JsonObject): string {
    const type = Object.hasOwn(payload, 'type') ? payload.type : undefined;
    if (typeof type !== 'string' || type === '') return WEBHOOK_EVENT_TYPE;
    if (longerThan(type, limits.typeLength)) {
      throw new Problem('validation_failed', {
        path: 'type',
        message: `type may have at most ${limits.typeLength} characters.`,
      });
    }
    return type;
  }
}

/** What a field takes at least beside its name and value: quotes, colon, comma. */
const PUNCTUATION = 6;

/** Names are taken literally; a name that repeats becomes an array. Ends as soon as it is too large. */
function parseForm(text: string, requireSize: (size: number) => void): JsonObject {
  const fields = new Map<string, Json>();
  let size = 0;
  for (let from = 0; from < text.length; ) {
    const ampersand = text.indexOf('&', from);
    const to = ampersand < 0 ? text.length : ampersand;
    const pair = text.slice(from, to);
    from = to + 1;
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeField(equals < 0 ? pair : pair.slice(0, equals));
    const value = decodeField(equals < 0 ? '' : pair.slice(equals + 1));
    const before = fields.get(name);
    size += value.length + (before === undefined ? name.length + PUNCTUATION : 3);
    requireSize(size);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  return Object.fromEntries(fields);
}

function decodeField(text: string): string {
  if (!/[%+]/.test(text)) return text;
  // A percent sign that begins no escape stands for itself, as in every browser.
  const escaped = text.replaceAll('+', ' ').replace(/%(?![0-9a-fA-F]{2})/g, '%25');
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw new Problem('invalid_encoding');
  }
}
