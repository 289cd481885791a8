import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/core/json/json.ts';

/** Any text that could be stored, or none. */
export const storableText = fc.string({ unit: 'binary' }).map(some => some.replaceAll('\0', ''));
export const storableTextOrNull = fc.option(storableText);

/** Any event on its way through a pipeline. */
export const pipelineEvents = fc.record({
  id: storableText,
  type: storableText,
  icon: storableTextOrNull,
  senderId: storableTextOrNull,
  entity: fc.option(fc.record({ kind: storableText, externalId: storableText })),
  happenedAt: fc.nat({ max: 4_102_444_800_000 }),
  receivedAt: fc.nat({ max: 4_102_444_800_000 }),
});

/** Any JSON value that the ingest endpoints accept: integers of any size, no NUL, no half of a surrogate pair. */
const text = fc.string({ unit: 'binary', maxLength: 12 }).map(string => string.replaceAll('\0', ''));
const names = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', '0', '1', ''));
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter(n => !Object.is(n, -0) && !isWhole(n)),
  fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }).filter(n => !Number.isSafeInteger(Number(n))),
);

/** A whole double is written with digits only, and then it is an integer: exact, and so another value. */
const isWhole = (n: number) => Number.isInteger(n) && !Number.isSafeInteger(n);

const { value } = fc.letrec<{ value: Json; object: JsonObject }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    numbers,
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(names, tie('value')), { maxLength: 5 }).map(pairs => Object.fromEntries(pairs)),
}));

export const jsonValues: fc.Arbitrary<Json> = value;
export const jsonObjects: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(names, value), { maxLength: 6 })
  .map(pairs => Object.fromEntries(pairs));
