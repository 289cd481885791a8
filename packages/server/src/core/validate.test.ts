import { expect, test } from 'bun:test';
import { z } from 'zod';
import { Problem } from './errors.ts';
import { validate } from './validate.ts';

const schema = z.strictObject({
  name: z.string(),
  mode: z.enum(['a', 'b']),
  count: z.int().min(1, 'must be at least 1.').optional(),
  inner: z.strictObject({ 'odd name': z.array(z.strictObject({ x: z.number() })) }).optional(),
});

const refusal = (value: unknown, root = '') => {
  try {
    validate(schema, value, root);
  } catch (error) {
    if (error instanceof Problem) return [error.path, error.message];
    throw error;
  }
  return null;
};

test('what fits is answered as it is', () => {
  expect(validate(schema, { name: 'x', mode: 'a' })).toEqual({ name: 'x', mode: 'a' });
});

const rows: [string, unknown, string | undefined, string][] = [
  ['a field that is missing', { mode: 'a' }, 'name', 'name is required.'],
  ['another type', { name: 1, mode: 'a' }, 'name', 'name must be a string.'],
  ['null', { name: null, mode: 'a' }, 'name', 'name must be a string.'],
  ['an unknown field', { name: 'x', mode: 'a', nmae: 1 }, 'nmae', 'nmae is not a known field.'],
  ['a value outside the list', { name: 'x', mode: 'c' }, 'mode', 'mode must be "a" or "b".'],
  ['a message of our own', { name: 'x', mode: 'a', count: 0 }, 'count', 'count must be at least 1.'],
  [
    'something deep',
    { name: 'x', mode: 'a', inner: { 'odd name': [{ x: 1 }, { x: 'y' }] } },
    'inner["odd name"][1].x',
    'inner["odd name"][1].x must be a number.',
  ],
  ['no object at all', [], undefined, 'The body must be an object.'],
];
for (const [name, value, path, message] of rows) {
  test(`${name}: the path and a plain sentence`, () => {
    expect(refusal(value)).toEqual([path, message]);
  });
}

test('the path begins at the root it is given', () => {
  expect(refusal({ mode: 'a' }, 'event')).toEqual(['event.name', 'event.name is required.']);
});
