import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { readConnections } from './connection.ts';
import { createPrimary, NoPrimary } from './primary.ts';

/** A host that hangs up on everybody, and counts them. */
let callers = 0;
let port = 0;
const server = createServer(socket => {
  callers++;
  socket.destroy();
});
beforeAll(async () => {
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => void server.close());

test('while there is no primary, one connection at a time is tried, with growing pauses of at most a second', async () => {
  let now = 0;
  const hosts = readConnections(`postgres://ada@127.0.0.1:${port},localhost:${port}/sluice`);
  const primary = createPrimary(hosts, { replicas: 0 }, { now: () => now, random: () => 1 });
  const all = async () => {
    callers = 0;
    const tried = Array.from({ length: 10 }, () => primary.connect({ name: 'test', statementMs: 0 }));
    const outcomes = await Promise.allSettled(tried);
    for (const outcome of outcomes) {
      expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(NoPrimary);
    }
    return callers;
  };
  // Nobody knows yet.
  expect(await all()).toBe(2 * 10);
  expect(await all()).toBe(0);
  const pauses: number[] = [];
  for (let n = 0; n < 8; n++) {
    const since = now;
    let called = 0;
    while (called === 0) {
      now += 10;
      called = await all();
    }
    expect(called).toBe(2);
    pauses.push(now - since);
  }
  expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses);
  expect(pauses[0]).toBeLessThanOrEqual(100);
  expect(pauses.at(-1)).toBeGreaterThan(500);
  expect(pauses.at(-1)).toBeLessThanOrEqual(1_000);
});
