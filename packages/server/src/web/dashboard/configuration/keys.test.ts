import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { byKey, isKeyOf, keysOf } from './keys.ts';

const rows = (...names: string[]) =>
  names.map((name, n) => ({ id: `id_${String(n).padStart(3, '0')}`, name }));

test('the oldest of a name has it, the others are numbered in the order in which they were made', () => {
  expect([...keysOf(rows('Shop', 'Other', 'Shop', 'Shop').toReversed()).values()]).toEqual([
    'Shop',
    'Other',
    'Shop #2',
    'Shop #3',
  ]);
});

test('a number that is really a name is left to that', () => {
  expect([...keysOf(rows('Shop', 'Shop', 'Shop #2', 'Shop #2')).values()]).toEqual([
    'Shop',
    'Shop #3',
    'Shop #2',
    'Shop #2 #2',
  ]);
});

test('every key is there once, fits its name, and is the same again after all were made in its order', () => {
  const names = fc.array(fc.constantFrom('a', 'a #2', 'a #3', 'a #2 #2', 'b', 'a #10'), { maxLength: 24 });
  fc.assert(
    fc.property(names, given => {
      const first = rows(...given);
      const keys = keysOf(first);
      expect(new Set(keys.values()).size).toBe(given.length);
      for (const { id, name } of first) expect(isKeyOf(keys.get(id) ?? '', name)).toBe(true);
      const sorted = first.map(({ id, name }) => [keys.get(id) ?? '', name] as const).toSorted(byKey);
      const again = rows(...sorted.map(([, name]) => name));
      expect([...keysOf(again).values()]).toEqual(sorted.map(([key]) => key));
    }),
  );
});
