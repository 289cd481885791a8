import { type Extracted, found, missed, type Proof } from './received.ts';

/** Reading a body before it is known to be genuine, where its signature lies inside it or covers its fields. */

export type ProofReader = (bytes: Uint8Array) => Extracted<Proof>;

/** No provider that signs so sends as much. */
const MOST_BYTES = 1024 * 1024;

/** What asks whether an address is ours is shorter, so that it can be read where it came in. */
const LARGEST_QUESTION = 8 * 1024;

type BodyObject = Readonly<Record<string, unknown>>;

/** What is taken of a body that is a JSON object. */
export function readProof(bytes: Uint8Array, take: (body: BodyObject) => Extracted<Proof>): Extracted<Proof> {
  const body = bytes.byteLength > MOST_BYTES ? null : parse(bytes);
  return isObject(body) ? take(body) : missed({ part: 'body_unreadable', expected: 'a JSON object' });
}

/** The texts under these names; the first that is none is what is missing. */
export function textsOf(from: BodyObject, names: readonly string[], path = ''): Extracted<Proof> {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const value = from[name];
    if (typeof value !== 'string' || value === '')
      return missed({ part: 'field_missing', field: path + name });
    texts[name] = value;
  }
  return found(texts);
}

/**
 * The fields of a form as those sign them who sign URL and fields together: each name with each of its values, names
 * in order. A body that is compressed, or larger than it may be, has no fields.
 */
export const formProof: ProofReader = bytes => {
  if (bytes.byteLength > MOST_BYTES) return missed({ part: 'body_unreadable', expected: 'a form' });
  const fields = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(Buffer.from(bytes).toString())) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, new Set([value]));
    else values.add(value);
  }
  let text = '';
  for (const name of [...fields.keys()].sort())
    for (const value of [...(fields.get(name) ?? [])].sort()) text += name + value;
  return found({ fields: text });
};

/** The JSON of a body that may be a provider's question, which has this word in it; null of any other. */
export const questionIn = (bytes: Uint8Array, word: string): unknown =>
  bytes.byteLength > LARGEST_QUESTION || !Buffer.from(bytes).includes(word) ? null : parse(bytes);

export const isObject = (value: unknown): value is BodyObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
}
