import { heapSize } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { createMemory } from './live.ts';

test('an answer is new the first time, and whenever it has changed', () => {
  const isNew = createMemory();
  expect(isNew('/jobs', 'none')).toBe(true);
  expect(isNew('/sources', 'none')).toBe(true);
  expect(isNew('/jobs', 'none')).toBe(false);
  expect(isNew('/jobs', 'one')).toBe(true);
  expect(isNew('/jobs', 'none')).toBe(true);
});

test('a stream holds no more of a large answer than of a small one', () => {
  const isNew = createMemory();
  const heldNow = () => {
    Bun.gc(true);
    return heapSize();
  };
  const before = heldNow();
  for (let n = 0; n < 64; n++) isNew(`/events/${n}`, Buffer.alloc(1024 * 1024, String(n)).toString());
  expect(heldNow() - before).toBeLessThan(8 * 1024 * 1024);
  expect(isNew('/events/0', '')).toBe(true);
});
