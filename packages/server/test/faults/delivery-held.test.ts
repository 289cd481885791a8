import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { days, seconds } from '../../src/core/clock.ts';
import { delivered, failed, openWorkerBench, type WorkerBench } from '../support/delivery-worker.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(30_000);

let bench: WorkerBench;

beforeEach(async () => {
  bench = await openWorkerBench();
});

afterEach(() => bench.close());

test('what was held for days is attempted after the pause, also where the destination was down before', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org, { schedule_s: [0, 1] });
  const openedAt = bench.clock.time;
  const breaker = { failuresInARow: 0, openedAt, nextProbeAt: openedAt + seconds(30) };
  await bench.storage.saveBreaker(org, destination.id, breaker);
  await bench.storage.updateDestination(org, destination.id, { paused: true }, openedAt);
  await bench.deliver(destination, 20);
  bench.clock.time += days(3);
  await bench.storage.updateDestination(org, destination.id, { paused: false }, bench.clock.time);
  bench.start({ send: async () => delivered });
  await until(async () => (await bench.states(org)).delivered === 20, 'They were not all delivered.');
});

test('a backlog that is older than its schedule outlives the breaker that opens now', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org, { attempts: 2, schedule_s: [0, 60] });
  await bench.deliver(destination, 200);
  bench.clock.time += days(1);
  let sweeps = 0;
  const worker = bench.start({
    send: async () => failed,
    storage: {
      async expireDeliveries(...args) {
        const ended = await bench.storage.expireDeliveries(...args);
        sweeps++;
        return ended;
      },
    },
  });
  const isDown = async () =>
    (await bench.storage.findDestination(org, destination.id))?.breaker.openedAt != null;
  await until(isDown, 'The breaker did not open.');
  bench.clock.time += seconds(31);
  worker.wake();
  await until(() => sweeps > 0, 'Nobody looked for what has waited in vain.');
  expect((await bench.list(org)).filter(({ code }) => code === 'destination_down')).toEqual([]);
});
