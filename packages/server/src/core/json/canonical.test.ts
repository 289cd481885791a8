import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { canonicalJson, sha256Hex } from './canonical.ts';
import { type Json, parseJson, stringifyJson } from './json.ts';

test('keys are sorted at every depth, and blanks do not count', () => {
  expect(canonicalJson(parseJson('{ "b": [ {"y":1, "x":2} ], "a": null, "é": "ä\\n" }'))).toBe(
    '{"a":null,"b":[{"x":2,"y":1}],"é":"ä\\n"}',
  );
});

test('integers are exact, and a number has one text', () => {
  expect(canonicalJson(parseJson('[9007199254740993, -9007199254740993, 1.0, 1e2, -0, 0.1]'))).toBe(
    '[9007199254740993,-9007199254740993,1,100,0,0.1]',
  );
  expect(canonicalJson(parseJson('1e21'))).toBe(canonicalJson(parseJson('1000000000000000000000')));
  expect(canonicalJson(parseJson('-1.25e23'))).toBe('-125000000000000000000000');
  expect(canonicalJson(parseJson('1.5e-9'))).toBe('1.5e-9');
  expect(canonicalJson(parseJson('9007199254740993'))).not.toBe(canonicalJson(parseJson('9007199254740992')));
});

test('a key named __proto__ is kept', () => {
  expect(canonicalJson(parseJson('{"b":1,"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1},"b":1}');
});

test('equal values have equal texts however they were written, and it reads back as the value', () => {
  const json = fc.jsonValue() as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(json, value => {
      const shuffled = parseJson(stringifyJson(reversed(value)));
      expect(canonicalJson(shuffled)).toBe(canonicalJson(value));
      expect(canonicalJson(parseJson(canonicalJson(value)))).toBe(canonicalJson(value));
    }),
  );
});

test('a digest is that of the text', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, Json] => [key, reversed(inner)])
      .reverse(),
  );
}
