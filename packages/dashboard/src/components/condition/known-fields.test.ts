import { expect, test } from 'bun:test';
import { fieldsOf } from './known-fields.ts';

test('the fields of a payload are named as CEL names them', () => {
  const payload = { id: 7, customer: { 'e-mail': 'a@b.co' }, in: null, items: [{ sku: 'x' }, {}], empty: [] };
  expect(fieldsOf('payload', payload)).toEqual([
    { path: 'payload.id', example: '7' },
    { path: 'payload.customer', example: 'an object' },
    { path: 'payload.customer["e-mail"]', example: '"a@b.co"' },
    { path: 'payload["in"]', example: 'null' },
    { path: 'payload.items', example: 'a list of 2' },
    { path: 'payload.items[0]', example: 'an object' },
    { path: 'payload.items[0].sku', example: '"x"' },
    { path: 'payload.empty', example: 'a list of 0' },
  ]);
});

test('long texts are cut, and of many fields only some are named', () => {
  expect(fieldsOf('payload', { a: 'x'.repeat(100) })[0]?.example.length).toBeLessThan(50);
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, n]));
  expect(fieldsOf('payload', many)).toHaveLength(200);
});
