import { expect, test } from 'bun:test';
import { sorted } from './sorted.ts';

const rows = [
  { name: 'b10', n: 3 },
  { name: 'B2', n: null },
  { name: 'a', n: 20 },
  { name: 'c', n: 3 },
];
const names = (given: readonly { name: string }[]) => given.map(({ name }) => name);

test('numbers go by size and texts as people sort them', () => {
  expect(names(sorted(rows, row => row.name, false))).toEqual(['a', 'B2', 'b10', 'c']);
  expect(names(sorted(rows, row => row.name, true))).toEqual(['c', 'b10', 'B2', 'a']);
});

test('what has no value is last either way, and equals stay in their order', () => {
  expect(names(sorted(rows, row => row.n, false))).toEqual(['b10', 'c', 'a', 'B2']);
  expect(names(sorted(rows, row => row.n, true))).toEqual(['a', 'b10', 'c', 'B2']);
});
