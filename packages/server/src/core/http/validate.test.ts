import { expect, test } from 'bun:test';
import { jsonObject } from '@sluice/contract/event';
import { z } from 'zod';
import { Problem } from '../errors.ts';
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

/** What a library says of its own accord is put into our words: each names the field. */
const limits = z.strictObject({
  attempts: z.int().min(1).max(50).optional(),
  above: z.number().gt(0).lt(10).optional(),
  list: z.array(z.number()).min(1).max(2).optional(),
  pair: z.array(z.number()).min(2).optional(),
  text: z.string().min(2).max(4).optional(),
  filled: z.string().min(1).optional(),
  step: z.number().multipleOf(5).optional(),
  shaped: z.string().regex(/^a/).optional(),
  mail: z.email().optional(),
  names: z.record(z.string().min(1), z.string()).optional(),
  auth: z
    .discriminatedUnion('mode', [
      z.strictObject({ mode: z.literal('none') }),
      z.strictObject({ mode: z.literal('bearer'), secret: z.string() }),
      z.strictObject({ mode: z.literal('hmac') }),
    ])
    .optional(),
  either: z.union([z.string(), z.number()]).optional(),
  needed: z.strictObject({ traits: jsonObject }).optional(),
});
const worded: [unknown, string, string][] = [
  [{ attempts: 0 }, 'attempts', 'attempts must be at least 1.'],
  [{ attempts: 51 }, 'attempts', 'attempts must be at most 50.'],
  [{ attempts: 1.5 }, 'attempts', 'attempts must be a whole number.'],
  [{ above: 0 }, 'above', 'above must be more than 0.'],
  [{ above: 10 }, 'above', 'above must be less than 10.'],
  [{ list: [] }, 'list', 'list must hold at least 1 item.'],
  [{ list: [1, 2, 3] }, 'list', 'list may hold at most 2 items.'],
  [{ pair: [1] }, 'pair', 'pair must hold at least 2 items.'],
  [{ text: 'a' }, 'text', 'text must have at least 2 characters.'],
  [{ text: 'abcde' }, 'text', 'text may have at most 4 characters.'],
  [{ filled: '' }, 'filled', 'filled must have at least 1 character.'],
  [{ step: 3 }, 'step', 'step must be a multiple of 5.'],
  [{ shaped: 'b' }, 'shaped', 'shaped does not have the expected form.'],
  [{ mail: 'b' }, 'mail', 'mail must be an email address.'],
  [{ names: { '': 'x' } }, 'names[""]', 'The key "" of names must have at least 1 character.'],
  [{ auth: { mode: 'x' } }, 'auth.mode', 'auth.mode must be "none" or "bearer" or "hmac".'],
  [{ auth: {} }, 'auth.mode', 'auth.mode must be "none" or "bearer" or "hmac".'],
  [{ either: true }, 'either', 'either has no known shape.'],
  [{ needed: {} }, 'needed.traits', 'needed.traits is required.'],
  [{ needed: { traits: null } }, 'needed.traits', 'needed.traits must be an object.'],
];
for (const [value, path, message] of worded) {
  test(`${JSON.stringify(value)}: ${message}`, () => {
    expect(() => validate(limits, value)).toThrow(expect.objectContaining({ path, message }));
  });
}

test('the path begins at the root it is given', () => {
  expect(refusal({ mode: 'a' }, 'event')).toEqual(['event.name', 'event.name is required.']);
});
