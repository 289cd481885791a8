import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { OPEN_TO_LOOPBACK, routeAllTo } from '../support/delivery-process.ts';
import { ingestWith } from '../support/endpoints.ts';
import { startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { type Prepared, prepareDirectory } from './prepare.ts';

const idsOf = (body: unknown): string[] =>
  (body as { data: { events: { id: string }[] } }).data.events.map(({ id }) => id);

async function prepared(url: string): Promise<Prepared> {
  const directory = await prepareDirectory();
  const engine = await directory.reopen();
  await routeAllTo(engine, directory.seed, url, { timeout_s: 60, concurrency: 4 });
  await engine.close();
  return directory;
}

/** A receiver that hangs until it is told not to, and records whom it answered. */
function startMoody() {
  let hangs = true;
  const answered = new Set<string>();
  const receiver = startReceiver(({ headers }) => {
    if (hangs) return new Promise<Response>(() => {});
    answered.add(headers.get('x-service-event-id') ?? '');
    return new Response('');
  });
  const recover = () => {
    hangs = false;
  };
  return { receiver, answered, recover };
}

test('killed after the 202: every event is delivered after the restart', async () => {
  const { receiver, answered, recover } = startMoody();
  const { directory, seed, reopen } = await prepared(receiver.url);
  const server = await startProcess({ directory, settings: OPEN_TO_LOOPBACK });
  const sent = await ingestWith(
    server.url,
    seed.apiKey,
  )({ events: Array.from({ length: 30 }, (_, n) => ({ type: `n${n}` })) });
  expect(sent.status).toBe(202);
  await until(() => receiver.requests.length > 0, 'Nothing was sent.');
  server.kill('SIGKILL');
  await server.ended;

  recover();
  const again = await startProcess({ directory, settings: OPEN_TO_LOOPBACK });
  await until(() => answered.size === 30, 'Not all of them arrived.');
  expect([...answered].sort()).toEqual(idsOf(sent.body).sort());
  again.kill('SIGTERM');
  expect(await again.ended).toBe(0);
  const engine = await reopen();
  expect(await engine.deliveryQueue.countDeliveries(seed.orgId, { state: 'delivered' })).toBe(30);
  expect(await engine.deliveryQueue.countDeliveries(seed.orgId, {})).toBe(30);
  await engine.close();
  await receiver.stop();
  rmSync(directory, { recursive: true });
});

test('asked to stop with a hung receiver: exit 0 soon, and it is delivered after the restart', async () => {
  const { receiver, answered, recover } = startMoody();
  const { directory, seed, reopen } = await prepared(receiver.url);
  const server = await startProcess({ directory, settings: OPEN_TO_LOOPBACK });
  const sent = await ingestWith(
    server.url,
    seed.apiKey,
  )({ events: Array.from({ length: 10 }, (_, n) => ({ type: `n${n}` })) });
  await until(() => receiver.requests.length === 4, 'Its places were not taken.');
  const asked = performance.now();
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(performance.now() - asked).toBeLessThan(25_000);
  const between = await reopen();
  expect(await between.deliveryQueue.countDeliveries(seed.orgId, { state: 'pending' })).toBe(10);
  await between.close();

  recover();
  const again = await startProcess({ directory, settings: OPEN_TO_LOOPBACK });
  await until(() => answered.size === 10, 'Not all of them arrived.');
  expect([...answered].sort()).toEqual(idsOf(sent.body).sort());
  again.kill('SIGTERM');
  await again.ended;
  await receiver.stop();
  rmSync(directory, { recursive: true });
});
