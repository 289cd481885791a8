import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { postgresDestination } from '../../src/delivery/destinations/postgres.ts';
import { databaseThread, destinationDeps, prepareFrom, sampleDelivery } from '../support/delivery.ts';

const TIMEOUT_MS = 700;
const MEBIBYTE = 1024 * 1024;
const LOOK_MS = 5;

const databases = databaseThread();
const server = Bun.spawn([process.execPath, join(import.meta.dir, '../support/hostile-databases.ts')], {
  stdout: 'pipe',
});
let ports: Readonly<Record<string, number>>;
beforeAll(async () => {
  const { value } = await server.stdout.getReader().read();
  ports = JSON.parse(new TextDecoder().decode(value)) as Record<string, number>;
});
afterAll(async () => {
  databases.stop();
  server.kill();
  await server.exited;
});

async function attempt(port: number) {
  const connection_string = `postgres://u:p@127.0.0.1:${port}/d?sslmode=disable`;
  const deps = destinationDeps({ databases });
  const destination = prepareFrom(postgresDestination, { connection_string, table: 't' }, deps);
  const result = await destination.send(sampleDelivery({ timeoutMs: TIMEOUT_MS }));
  await destination.close?.();
  return result;
}

/** How long whoever else uses this process had to wait, again and again, and the most memory that it took. */
function watch() {
  const before = process.memoryUsage.rss();
  const waits: number[] = [];
  let mostBytes = before;
  let due = performance.now() + LOOK_MS;
  const timer = setInterval(() => {
    waits.push(performance.now() - due);
    due = performance.now() + LOOK_MS;
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }, LOOK_MS);
  return {
    waits: () => waits.toSorted((a, b) => a - b),
    grownBytes: () => mostBytes - before,
    stop: () => clearInterval(timer),
  };
}
test('a database that answers anything whatever fails its own delivery in time, and neither holds up others nor fills memory', async () => {
  // The thread itself takes memory, and that is not what is looked for.
  await attempt(ports['a close at once'] ?? 0);
  const watching = watch();
  expect(Object.keys(ports).length).toBeGreaterThan(60);
  const wrong: string[] = [];
  for (const [what, port] of Object.entries(ports)) {
    const result = await attempt(port);
    if (result.outcome !== 'failed') wrong.push(`${what}: ${result.outcome}`);
    if (result.durationMs > TIMEOUT_MS + 500) wrong.push(`${what}: took ${result.durationMs} ms`);
    if (JSON.stringify(result).length > 20_000) wrong.push(`${what}: too much is kept`);
  }
  watching.stop();
  expect(wrong).toEqual([]);
  const waits = watching.waits();
  expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(100);
  expect(watching.grownBytes()).toBeLessThan(100 * MEBIBYTE);
}, 120_000);
