import { expect, test } from 'bun:test';
import { threadMs } from './cel/budget.ts';
import { compileGlob } from './glob.ts';

test.each([
  ['order.paid', 'order.paid', true],
  ['order.paid', 'order.paid.late', false],
  ['order.paid', 'Order.paid', false],
  ['*', '', true],
  ['*', 'any.thing', true],
  ['order.*', 'order.', true],
  ['order.*', 'order.item.added', true],
  ['order.*', 'orders.paid', false],
  ['*.paid', 'order.paid', true],
  ['*.paid', 'order.paid.late', false],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'a.b.b.c', true],
  ['a*b*c', 'acb', false],
  ['aa*aa', 'aaa', false],
  ['a*ab*b', 'ab', false],
  ['a*ab*b', 'aabb', true],
  ['order.[a-z]*', 'order.paid', false],
  ['order.?aid', 'order.paid', false],
])('%s against %s: %p', (glob, text, matches) => {
  expect(compileGlob(glob)(text)).toBe(matches);
});

test('many stars on a long type take no time to speak of', () => {
  const match = compileGlob(`${'a*'.repeat(120)}b`);
  const began = threadMs();
  expect(match('a'.repeat(4_096))).toBe(false);
  expect(threadMs() - began).toBeLessThan(2_000);
});
