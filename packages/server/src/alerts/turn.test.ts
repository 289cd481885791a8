import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { temporaryDirectory } from '../../test/support/service.ts';
import { seconds } from '../core/clock.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import { openStorage } from '../storage/open.ts';
import { createTurn, type Turn } from './turn.ts';

const directory = temporaryDirectory();
let engine: StorageEngine;
let now = 0;
const clock = { now: () => now };

beforeAll(async () => {
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});
/** Each test comes long after the one before it. */
beforeEach(() => {
  now += seconds(10_000);
});
const nodes = () => ['a', 'b'].map(name => createTurn(engine.upkeep, clock, name)) as [Turn, Turn];

test('one node has the turn for as long as it looks', async () => {
  const [a, b] = nodes();
  expect([await a.take(), await b.take()]).toEqual([true, false]);
  now += seconds(25);
  expect([await b.take(), await a.take()]).toEqual([false, true]);
  now += seconds(25);
  expect([await b.take(), await a.take()]).toEqual([false, true]);
});

test('of two that ask at once one has it', async () => {
  const [a, b] = nodes();
  expect((await Promise.all([a.take(), b.take()])).filter(Boolean)).toHaveLength(1);
});

test('another has it once that one was away for half a minute, or has given it up', async () => {
  const [a, b] = nodes();
  await a.take();
  now += seconds(30);
  expect([await b.take(), await a.take()]).toEqual([true, false]);
  await b.giveUp();
  await b.giveUp();
  expect(await a.take()).toBe(true);
});

test('giving up what another has changes nothing', async () => {
  const [a, b] = nodes();
  await a.take();
  await b.giveUp();
  expect(await b.take()).toBe(false);
});

test('a clock that went back leaves it to nobody for a day', async () => {
  const [a, b] = nodes();
  await a.take();
  now -= seconds(600);
  expect(await b.take()).toBe(true);
});
