import { expect, test } from 'bun:test';
import { readTraits } from './traits-input.tsx';

test('traits are an object, and integers in them stay exact', () => {
  expect(readTraits('{"seats": 9007199254740993}')).toEqual({
    traits: { seats: 9007199254740993n },
    problem: null,
  });
  expect(readTraits('  ')).toEqual({ traits: {}, problem: null });
});

test('what is none says why', () => {
  for (const text of ['[]', 'null', '"pro"', '5']) expect(readTraits(text).problem).toContain('JSON object');
  expect(readTraits('{"plan": ').problem).toStartWith('This is not JSON yet: ');
});
