import { expect, test } from 'bun:test';
import { prettyJson } from './pretty-json.ts';

test('JSON is laid out as it is otherwise: numbers keep their digits, strings what is in them', () => {
  const value = { a: [1, { b: 'x, {y}: "z"' }], empty: {}, none: [], deep: { c: null } };
  expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  expect(prettyJson('{"n":9007199254740993,"x":1.0,"e": { }}')).toBe(
    '{\n  "n": 9007199254740993,\n  "x": 1.0,\n  "e": {}\n}',
  );
});

test('what was cut is laid out up to there', () => {
  expect(prettyJson('{"a":[1,2],"text":"half of i…')).toBe(
    '{\n  "a": [\n    1,\n    2\n  ],\n  "text": "half of i…',
  );
});

test('what is no JSON is left as it is', () => {
  for (const text of ['', 'ok', '<html>{}</html>', '"text"', '{}}', '42', '{out of stock}', '[12:30] no [x]'])
    expect(prettyJson(text)).toBe(text);
});
