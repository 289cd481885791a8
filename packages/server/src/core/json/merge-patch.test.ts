import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { jsonObjects } from '../../../test/support/json-values.ts';
import { canonicalJson } from './canonical.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from './json.ts';
import { mergePatch } from './merge-patch.ts';

const merged = (target: string, patch: string): string =>
  stringifyJson(mergePatch(parseJson(target), parseJson(patch) as JsonObject));

describe('a merge patch', () => {
  // Those of the examples in RFC 7396, appendix A, whose patch is an object.
  const examples: [string, string, string][] = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '{"a":"b"}', '{"a":"b"}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ];
  test.each(examples)('%s with %s is %s', (target, patch, result) => {
    expect(merged(target, patch)).toBe(result);
  });

  test('keeps nulls within lists, and integers exact', () => {
    expect(merged('{}', '{"a":[null,{"b":null}],"n":12345678901234567890}')).toBe(
      '{"a":[null,{"b":null}],"n":12345678901234567890}',
    );
  });

  test('takes __proto__ for a key like any other', () => {
    expect(merged('{"__proto__":{"a":1}}', '{"__proto__":{"b":2}}')).toBe('{"__proto__":{"a":1,"b":2}}');
    expect(merged('{"__proto__":{"a":1}}', '{"__proto__":null}')).toBe('{}');
    expect(merged('{}', '{"constructor":{"prototype":{"x":1}}}')).toBe(
      '{"constructor":{"prototype":{"x":1}}}',
    );
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('says the same however often it is applied, and changes neither side', () => {
    fc.assert(
      fc.property(jsonObjects, jsonObjects, (target, patch) => {
        const [before, input] = [canonicalJson(target), canonicalJson(patch)];
        const once = mergePatch(target, patch);
        expect(canonicalJson(mergePatch(once, patch))).toBe(canonicalJson(once));
        expect(canonicalJson(target)).toBe(before);
        expect(canonicalJson(patch)).toBe(input);
      }),
    );
  });

  test('of the difference between two objects without nulls leads from one to the other', () => {
    fc.assert(
      fc.property(jsonObjects.map(withoutNulls), jsonObjects.map(withoutNulls), (from, to) => {
        const removals = Object.fromEntries(Object.keys(from).map(key => [key, null])) as JsonObject;
        expect(canonicalJson(mergePatch(mergePatch(from, removals), to))).toBe(canonicalJson(to));
      }),
    );
  });
});

/** Null cannot be said in a patch, but within a list. */
function withoutNulls(object: JsonObject): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]): [string, Json][] => {
    if (value === null) return [];
    const isObject = typeof value === 'object' && !Array.isArray(value);
    return [[key, isObject ? withoutNulls(value) : value]];
  });
  return Object.fromEntries(entries);
}
