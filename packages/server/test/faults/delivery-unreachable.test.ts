import { afterEach, beforeEach, expect, test } from 'bun:test';
import { delivered, failed, openWorkerBench, type WorkerBench } from '../support/delivery-worker.ts';
import { until } from '../support/until.ts';

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
});
afterEach(() => bench.close());

test('nothing is claimed for a destination that this node has no way to, until it has one', async () => {
  const orgId = await bench.organisation();
  const away = await bench.destination(orgId);
  const beside = await bench.destination(orgId);
  await bench.deliver(away);
  await bench.deliver(beside);
  let isReachable = false;
  const claimed: string[] = [];
  const worker = bench.start({
    prepare: ({ id }) => ({
      readsTraits: false,
      isReachable: () => id !== away.id || isReachable,
      send: async () => delivered,
    }),
    storage: {
      claimDeliveries(inputs, claim) {
        claimed.push(...inputs.map(({ destinationId }) => destinationId));
        return bench.storage.claimDeliveries(inputs, claim);
      },
    },
  });
  await until(async () => (await bench.states(orgId)).delivered === 1, 'The one beside it should arrive.');
  expect(claimed).toContain(beside.id);
  expect(claimed).not.toContain(away.id);
  isReachable = true;
  worker.wake();
  await until(async () => (await bench.states(orgId)).delivered === 2, 'It should arrive by now.');
});

test('attempts whose connection was lost spend nothing, and do not open the breaker', async () => {
  const orgId = await bench.organisation();
  const destination = await bench.destination(orgId, { attempts: 1 });
  await bench.deliver(destination, 60);
  let sent = 0;
  bench.start({ send: async () => (++sent <= 60 ? { ...failed, isUnspent: true } : delivered) });
  await until(async () => (await bench.states(orgId)).delivered === 60, 'They should arrive in the end.');
  expect((await bench.list(orgId)).reduce((attempts, { attempt }) => attempts + attempt, 0)).toBe(120);
  expect(await bench.storage.findDestination(orgId, destination.id)).toMatchObject({ breaker: null });
});
