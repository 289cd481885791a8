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
  const turns = createTurns({ most: 1, rest: 0 });
  const { done, work } = recorder();
  await Promise.all(['a', 'a', 'a', 'b', 'c', 'b'].map(owner => turns.take(owner, work(owner), cost)));
  expect(done).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('what is begun goes on before anything else is begun, the latest first', async () => {
  const turns = createTurns({ most: 1, rest: 0 });
  const { done, work } = recorder();
  const all = [
    turns.take('a', work('another'), cost),
    turns.takeNext(work('begun'), cost),
    turns.takeNext(work('begun later'), cost),
  ];
  await Promise.all(all);
  expect(done).toEqual(['begun later', 'begun', 'another']);
});

test('a turn ends with its cost, and others are let in before the next', async () => {
  const turns = createTurns({ most: 2, rest: 0 });
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

test('each turn is followed by a rest of so many times its length', async () => {
  const turns = createTurns({ most: 1, rest: 3 });
  const began = performance.now();
  const busy = () => {
    const until = performance.now() + 10;
    while (performance.now() < until);
  };
  await turns.take('a', busy, cost);
  await turns.take('a', () => {}, cost);
  expect(performance.now() - began).toBeGreaterThanOrEqual(39);
});

test('work that throws rejects for its own owner only, and the turns go on', async () => {
  const turns = createTurns({ most: 9, rest: 0 });
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
