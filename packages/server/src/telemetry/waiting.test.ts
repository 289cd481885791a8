import { expect, test } from 'bun:test';
import type { Waiting } from '../core/stores/counters.ts';
import { createWaitingCounts } from './waiting.ts';

const nothing: Waiting = {
  events: 0,
  deliveries: { pending: 0, delivering: 0, retrying: 0 },
  deadDeliveries: 0,
  failedEvents: 0,
};

function looks(answer: () => Promise<Waiting>) {
  let now = 1_000_000;
  let count = 0;
  const read = createWaitingCounts(
    {
      countWaiting: () => {
        count++;
        return answer();
      },
    },
    { now: () => now },
  );
  return { read, count: () => count, pass: (ms: number) => (now += ms) };
}

test('who asks within a few seconds shares one look', async () => {
  const { read, count, pass } = looks(async () => nothing);
  expect(await Promise.all([read(), read()])).toEqual([nothing, nothing]);
  pass(4_999);
  await read();
  expect(count()).toBe(1);
  pass(1);
  await read();
  expect(count()).toBe(2);
});

test('a clock that goes back makes nobody wait for it', async () => {
  const { read, count, pass } = looks(async () => nothing);
  await read();
  pass(-3_600_000);
  await read();
  expect(count()).toBe(2);
});

test('while storage is away nothing is known, and it is asked again', async () => {
  let isAway = true;
  const { read, count } = looks(async () => {
    if (isAway) throw new Error('away');
    return nothing;
  });
  expect(await read()).toBeNull();
  isAway = false;
  expect(await read()).toEqual(nothing);
  expect(count()).toBe(2);
});

test('storage that takes too long is not waited for, and not asked twice at a time', async () => {
  const { promise, resolve } = Promise.withResolvers<Waiting>();
  const { read, count, pass } = looks(() => promise);
  expect(await read()).toBeNull();
  pass(60_000);
  const again = read();
  resolve(nothing);
  expect(await again).toEqual(nothing);
  expect(count()).toBe(1);
});
