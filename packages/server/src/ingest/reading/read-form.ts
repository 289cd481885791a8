import { Problem } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';

/** A form as webhooks send it, read as an object of its fields. */

/** What a field takes at least beside its name and value: quotes, colon, comma. */
const PUNCTUATION = 6;

/** Names are taken literally; a name that repeats becomes an array. Ends as soon as it is too large. */
export function readForm(text: string, requireSize: (size: number) => void): JsonObject {
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
