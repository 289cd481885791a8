import { expect, test } from 'bun:test';
import { Budget } from './budget.ts';
import { findFirst, findLast, splitAt } from './search.ts';

let seed = 7;
const below = (most: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % most;
};
const letters = (count: number, most: number): string =>
  Array.from({ length: count }, () => 'ab'[below(most)]).join('');

/** Texts that repeat themselves a lot, and parts of them or what is nearly one. */
const pairs = Array.from({ length: 400 }, (_, i) => {
  const text = letters(1 + below(7), 2).repeat(30 + below(40)) + letters(below(60), 2);
  const start = below(Math.max(1, text.length - 40));
  const part = text.slice(start, start + 33 + below(60));
  return { text, wanted: i % 4 === 0 ? `${part.slice(0, -1)}c` : part, from: below(text.length + 10) };
});

test('a long text is found where the engine finds it', () => {
  expect(
    pairs.filter(({ text, wanted }) => wanted.length > 32 && text.includes(wanted)).length,
  ).toBeGreaterThan(100);
  for (const { text, wanted, from } of pairs) {
    expect(findFirst(text, wanted, from, new Budget())).toBe(text.indexOf(wanted, from));
    expect(findLast(text, wanted, from, new Budget())).toBe(text.lastIndexOf(wanted, from));
    expect(findLast(text, wanted, text.length, new Budget())).toBe(text.lastIndexOf(wanted));
    expect(splitAt(text, wanted, new Budget())).toEqual(text.split(wanted));
  }
});

test('what is looked for at a length is counted by both lengths', () => {
  const budget = new Budget();
  findFirst('b'.repeat(8_000), 'b'.repeat(4_000), 0, budget);
  expect(budget.spent).toBe(1_500);
});
