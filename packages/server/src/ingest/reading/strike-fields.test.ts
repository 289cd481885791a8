import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { jsonObjects } from '../../../test/support/json-values.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';
import { strikeFields } from './strike-fields.ts';

const state = [['value', 'state']];

test.each([
  ['{"value":[{"state":"s"},{"state":"t"}]}', '{"value":[{"state":"…"},{"state":"…"}]}'],
  ['{"value":{"state":"s"}}', '{"value":{"state":"…"}}'],
  ['{"value":[[{"state":"s"}]]}', '{"value":[[{"state":"…"}]]}'],
  // As it is spelt and as often as it is there, whatever it holds.
  ['{"value":[{"\\u0073tate":"a\\"b\\\\"}]}', '{"value":[{"\\u0073tate":"…"}]}'],
  [
    '{"value":[{"state":"s","state":"t"}],"value":{"state":1}}',
    '{"value":[{"state":"…","state":"…"}],"value":{"state":"…"}}',
  ],
  ['{"value":{"state":{"a":["}",1]},"b":2}}', '{"value":{"state":"…","b":2}}'],
  ['{"value":{"state":[1,{"state":2}]}}', '{"value":{"state":"…"}}'],
  ['{"value":{"state":null},"b":[]}', '{"value":{"state":"…"},"b":[]}'],
  ['{"value":{"state":-1e3 }}', '{"value":{"state":"…" }}'],
  // All else as it came.
  [
    '{ "n" : 12345678901234567890.0,\r\n\t"value": [ { "state" :\n"s" , "n": 1.50 } ] }',
    '{ "n" : 12345678901234567890.0,\r\n\t"value": [ { "state" :\n"…" , "n": 1.50 } ] }',
  ],
])('%s is left as %s', (text, left) => {
  expect(strikeFields(text, state)).toBe(left);
});

test.each([
  '{"state":"s"}',
  '{"value":["state",":","s"]}',
  '{"value":[{"a":{"state":"s"}}]}',
  '{"a":{"value":{"state":"s"}}}',
  '{"value":[{"a":"\\"state\\":\\"s\\""}]}',
  '{"value":"state"}',
])('nothing is struck out of %s', text => {
  expect(strikeFields(text, state)).toBe(text);
});

test('of whatever JSON it is given', () => {
  fc.assert(
    fc.property(jsonObjects, fc.constantFrom(0, 2), (value, indent) => {
      const text = stringifyJson(value, indent);
      expect(strikeFields(text, [])).toBe(text);
      for (const [name, inner] of Object.entries(value)) {
        const left = parseJson(strikeFields(text, [[name]]));
        expect(left).toEqual(withField(value, name, '…'));
        if (!isObject(inner)) continue;
        for (const one of Object.keys(inner))
          expect(parseJson(strikeFields(text, [[name, one]]))).toEqual(
            withField(value, name, withField(inner, one, '…')),
          );
      }
    }),
  );
});

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The name `__proto__` is a name like any other. */
const withField = (value: JsonObject, name: string, field: Json): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([one, inner]) => [one, one === name ? field : inner]));
