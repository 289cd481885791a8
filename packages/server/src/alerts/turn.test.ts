import { beforeEach, expect, test } from 'bun:test';
import { seconds } from '../core/clock.ts';
import { createTurn } from './turn.ts';

let now = 0;
let stored: Map<string, string>;
const clock = { now: () => now };
const upkeep = {
  findSetting: async (name: string) => stored.get(name) ?? null,
  async keepSetting(name: string, value: string) {
    if (!stored.has(name)) stored.set(name, value);
    return stored.get(name) ?? value;
  },
  async replaceSetting(name: string, from: string, to: string) {
    if (stored.get(name) !== from) return false;
    stored.set(name, to);
    return true;
  },
};
beforeEach(() => {
  now = seconds(1_000);
  stored = new Map();
});
const nodes = () => ['a', 'b'].map(name => createTurn(upkeep, clock, name)) as [Turn, Turn];
type Turn = ReturnType<typeof createTurn>;

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
