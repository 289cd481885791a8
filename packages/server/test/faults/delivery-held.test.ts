import { afterEach, beforeEach, test } from 'bun:test';
import { days, seconds } from '../../src/core/clock.ts';
import { delivered, openWorkerBench, type WorkerBench } from '../support/delivery-worker.ts';
import { until } from '../support/until.ts';

let bench: WorkerBench;

beforeEach(async () => {
  bench = await openWorkerBench();
});

afterEach(() => bench.close());

test('what was held for days is attempted after the pause, also where the destination was down before', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org, { schedule_s: [0, 1] });
  const openedAt = bench.clock.time;
  const breaker = { openedAt, nextProbeAt: openedAt + seconds(30), failure: 'It answered 500.' };
  await bench.storage.openBreaker(org, destination.id, breaker);
  await bench.storage.updateDestination(org, destination.id, { paused: true }, openedAt);
  await bench.deliver(destination, 20);
  bench.clock.time += days(3);
  await bench.storage.updateDestination(org, destination.id, { paused: false }, bench.clock.time);
  bench.start({ send: async () => delivered });
  await until(async () => (await bench.states(org)).delivered === 20, 'They were not all delivered.');
});
