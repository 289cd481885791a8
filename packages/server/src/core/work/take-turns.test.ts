import { expect, test } from 'bun:test';
import { createTurns } from './take-turns.ts';

/** Work that only says that it was done. */
function recorder() {
  const done: string[] = [];
  const work = (name: string) => () => void done.push(name);
  return { done, work };
}

const cost = () => 1;

test('owners take turns, however much waits of one', async () => {
  const turns = createTurns({ most: 1 });
  const { done, work } = recorder();
  await Promise.all(['a', 'a', 'a', 'b', 'c', 'b'].map(owner => turns.take(owner, work(owner), cost)));
  expect(done).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('a turn ends with its cost, and others are let in before the next', async () => {
  const turns = createTurns({ most: 2 });
  const { done, work } = recorder();
  const all = Array.from({ length: 5 }, () => turns.take('a', work('a'), cost));
  const seen: number[] = [];
  while (done.length < 5) {
    await new Promise(resolve => setImmediate(resolve));
    seen.push(done.length);
  }
  await Promise.all(all);
  expect(seen).toEqual([2, 4, 5]);
});

test('work that throws rejects for its own owner only, and the turns go on', async () => {
  const turns = createTurns({ most: 9 });
  const failing = turns.take(
    'a',
    () => {
      throw new Error('No.');
    },
    cost,
  );
  const fine = turns.take('b', () => 'done', cost);
  expect(await failing.catch((error: Error) => error.message)).toBe('No.');
  expect(await fine).toBe('done');
});
