import { createHash } from 'node:crypto';
import { parseTimestamp } from '@sluice/contract';
import { invalid } from '../../core/errors.ts';
import { type Json, type JsonObject, joinPath } from '../../core/json/json.ts';

/** CloudEvents 1.0 over HTTP: in one JSON document, as a batch of them, or with attributes in headers. */

export type CloudMode =
  | { readonly kind: 'structured' | 'batch' }
  | { readonly kind: 'binary'; readonly attributes: Record<string, string> };

/** How a request carries its event; null where it carries none. */
export function cloudModeOf(headers: Headers): CloudMode | null {
  const media = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (media === 'application/cloudevents+json') return { kind: 'structured' };
  if (media === 'application/cloudevents-batch+json') return { kind: 'batch' };
  if (!headers.has('ce-specversion')) return null;
  const attributes: Record<string, string> = {};
  headers.forEach((value, name) => {
    // The body is the data: no attribute has that name.
    if (name.startsWith('ce-') && name !== 'ce-data') attributes[name.slice(3)] = decode(value);
  });
  return { kind: 'binary', attributes };
}

/** Attributes in headers are escaped as in URLs; one that is not stands for itself. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

interface ReadCloudEvent {
  readonly type: string;
  readonly payload: JsonObject;
  /** Source and id together tell an event from all others. */
  readonly senderId: string;
  readonly happenedAt: number | null;
  /** The other attributes, by the names that they have as headers. */
  readonly attributes: Readonly<Record<string, string>>;
}

export function cloudEventOf(given: Json, path: string): ReadCloudEvent {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid(path, 'A CloudEvent is an object.');
  const event = new Map(Object.entries(given));
  const text = (name: string): string => {
    const value = event.get(name);
    if (typeof value === 'string' && value !== '') return value;
    throw invalid(joinPath(path, name), `A CloudEvent has a ${name}.`);
  };
  text('specversion');
  const [type, source, id] = [text('type'), text('source'), text('id')];
  const attributes: Record<string, string> = {};
  for (const [name, value] of event) {
    if (inEvent.has(name) || value === null || typeof value === 'object') continue;
    attributes[`ce-${name}`] = String(value);
  }
  return {
    type,
    payload: payloadOf(event),
    senderId: senderIdOf(`${source} ${id}`),
    happenedAt: timeOf(event.get('time'), joinPath(path, 'time')),
    attributes,
  };
}

/** What becomes a part of the event itself. */
const inEvent = new Set(['type', 'id', 'time', 'data', 'data_base64']);

function payloadOf(event: ReadonlyMap<string, Json>): JsonObject {
  const data = event.get('data');
  if (data === undefined) {
    const base64 = event.get('data_base64');
    return base64 === undefined ? {} : { data_base64: base64 };
  }
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? data : { body: data };
}

function timeOf(time: Json | undefined, path: string): number | null {
  if (time === undefined || time === null) return null;
  const at = typeof time === 'string' ? parseTimestamp(time) : null;
  if (at === null) throw invalid(path, 'time must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.');
  return at;
}

/** What a sender's own id may have at most; beyond that, or with characters it may not have, its digest stands for it. */
const MOST_ID_LENGTH = 255;

export const senderIdOf = (id: string): string =>
  id.length <= MOST_ID_LENGTH && /^\P{Cc}+$/u.test(id) ? id : createHash('sha256').update(id).digest('hex');
