import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseExact } from '../../lib/api/exact-json.ts';
import { readValue, toPairs } from './pairs.ts';

test('values are shown so that they read as the same values', () => {
  const value = fc.oneof(fc.string(), fc.jsonValue(), fc.constantFrom('12', 'true', '"x"', '{"a":1}', ' 1'));
  fc.assert(
    fc.property(value, each => {
      const [[, shown] = ['', '']] = toPairs({ each }, false);
      expect(readValue(shown)).toEqual(parseExact(JSON.stringify(each)));
    }),
  );
});

test('a text is shown as it is, in quotes only where it would read as something else', () => {
  expect(toPairs({ a: '$event.payload.id', b: '12', c: 12, d: { e: 1 } }, false)).toEqual([
    ['a', '$event.payload.id'],
    ['b', '"12"'],
    ['c', '12'],
    ['d', '{"e":1}'],
  ]);
  expect(toPairs({ 'customer.mail': 'email', b: '12' }, true)).toEqual([
    ['customer.mail', 'email'],
    ['b', '12'],
  ]);
});
