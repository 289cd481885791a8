import { type Extracted, found, missed } from './received.ts';

/** Reading a body before it is known to be genuine, where its signature lies inside it or covers its fields. */

/** Read at once by whoever knows the address, so it is bounded; no provider that signs so sends as much. */
const MOST_BYTES = 1024 * 1024;

type BodyObject = Readonly<Record<string, unknown>>;

export function jsonInBody(bytes: Uint8Array): Extracted<BodyObject> {
  try {
    const value: unknown = bytes.byteLength > MOST_BYTES ? null : JSON.parse(Buffer.from(bytes).toString());
    if (isObject(value)) return found(value);
  } catch {
    // As good as none.
  }
  return missed({ part: 'body_unreadable', expected: 'a JSON object' });
}

/** A body that is compressed, or larger than it may be, has no fields. */
export function formInBody(bytes: Uint8Array): Extracted<URLSearchParams> {
  return bytes.byteLength > MOST_BYTES
    ? missed({ part: 'body_unreadable', expected: 'a form' })
    : found(new URLSearchParams(Buffer.from(bytes).toString()));
}

export const isObject = (value: unknown): value is BodyObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each name with each of its values, names in order, as those sign forms who sign URL and fields together. */
export function fieldsAsSigned(fields: URLSearchParams): string {
  const names = [...new Set(fields.keys())].sort();
  return names.flatMap(name => [...new Set(fields.getAll(name))].sort().map(value => name + value)).join('');
}
