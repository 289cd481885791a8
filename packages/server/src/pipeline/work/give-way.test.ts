import { expect, test } from 'bun:test';
import { createGiveWay } from './give-way.ts';

test('nobody queues: as much as there is may be begun', () => {
  const giveWay = createGiveWay(() => false);
  giveWay.began(10_000);
  expect(giveWay.room()).toBe(Number.POSITIVE_INFINITY);
});

test('senders queue: a step is begun, and the next only when its time has come', () => {
  let now = 1_000;
  const giveWay = createGiveWay(
    () => true,
    () => now,
  );
  const step = giveWay.room();
  expect(step).toBeGreaterThan(0);
  giveWay.began(step - 1);
  expect(giveWay.room()).toBe(1);
  giveWay.began(1);
  expect(giveWay.room()).toBe(0);
  now += 79;
  expect(giveWay.room()).toBe(0);
  now += 1;
  expect(giveWay.room()).toBe(step);
});

test('who waits for room is called once, however often they ask', async () => {
  const giveWay = createGiveWay(() => true);
  giveWay.began(giveWay.room());
  let calls = 0;
  await new Promise<void>(resolve => {
    const called = () => {
      calls++;
      resolve();
    };
    giveWay.later(called);
    giveWay.later(called);
  });
  expect(calls).toBe(1);
  expect(giveWay.room()).toBeGreaterThan(0);
});
