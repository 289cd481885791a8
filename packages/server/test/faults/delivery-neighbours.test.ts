import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { ConfigurationChange } from '../../src/core/stores/change.ts';
import type { StoredDestination } from '../../src/core/stores/configuration/destinations.ts';
import type { DeliveryWorker } from '../../src/delivery/work/worker.ts';
import { delivered, openWorkerBench, type WorkerBench } from '../support/delivery-worker.ts';
import { until } from '../support/until.ts';

let bench: WorkerBench;

beforeEach(async () => {
  bench = await openWorkerBench();
});

afterEach(() => bench.close());

/**
 * A destination to which one delivery is under way while two wait in its queue; every later read of it is counted, and
 * answered only when it is let through.
 */
async function oneUnderWay(changeFeedIsLive = () => true) {
  const org = await bench.organisation();
  const destination = await bench.destination(org, { concurrency: 1 });
  await bench.deliver(destination, 3);
  const { promise: letThrough, resolve: answerReads } = Promise.withResolvers<void>();
  let isSwept = false;
  let reads: number | null = null;
  let lookups = 0;
  let finish = () => {};
  const worker = bench.start({
    changeFeedIsLive,
    storage: {
      async findDestination(orgId, id) {
        if (reads !== null && id === destination.id) {
          reads++;
          await letThrough;
        }
        return bench.storage.findDestination(orgId, id);
      },
      async findClaimed(claims) {
        lookups++;
        return bench.storage.findClaimed(claims);
      },
      // The sweep at the start reads destinations too, and is over with this.
      async bringForward(...args) {
        isSwept = true;
        return bench.storage.bringForward(...args);
      },
    },
    send: () =>
      bench.sent.length > 1
        ? Promise.resolve(delivered)
        : new Promise(resolve => {
            finish = () => resolve(delivered);
          }),
  });
  await until(() => isSwept && bench.sent.length === 1, 'Nothing was sent.');
  reads = 0;
  return {
    org,
    destination,
    worker,
    answerReads,
    finish: () => finish(),
    reads: () => reads,
    lookups: () => lookups,
  };
}

const untilDelivered = (org: string, count: number) =>
  until(async () => (await bench.states(org)).delivered === count, `${count} were not delivered.`);

type ChangeOf = (own: StoredDestination, neighbour: StoredDestination) => ConfigurationChange | null;

test.each<[string, ChangeOf]>([
  ['a key of another organisation', (_, { orgId }) => ({ organisationId: orgId, what: 'keys', id: 'key_1' })],
  ['a destination of another', (_, { orgId, id }) => ({ organisationId: orgId, what: 'destinations', id })],
  ['all destinations of another', (_, { orgId }) => ({ organisationId: orgId, what: 'destinations' })],
  ['another organisation itself', (_, { orgId }) => ({ organisationId: orgId, what: 'organisation' })],
  ['its own organisation’s keys', ({ orgId }) => ({ organisationId: orgId, what: 'keys' })],
  ['its own organisation’s sources', ({ orgId }) => ({ organisationId: orgId, what: 'sources' })],
  ['its own organisation’s pipelines', ({ orgId }) => ({ organisationId: orgId, what: 'pipelines' })],
  ['a sibling', ({ orgId }) => ({ organisationId: orgId, what: 'destinations', id: 'dst_sibling' })],
])(
  'a change of %s neither reads a destination again nor holds up what is sent there',
  async (_, changeOf) => {
    const neighbour = await bench.destination(await bench.organisation());
    const { org, destination, worker, finish, reads } = await oneUnderWay();
    worker.invalidate(changeOf(destination, neighbour));
    finish();
    await untilDelivered(org, 3);
    expect(reads()).toBe(0);
  },
);

test.each<[string, ChangeOf]>([
  ['itself', ({ orgId, id }) => ({ organisationId: orgId, what: 'destinations', id })],
  ['all destinations', ({ orgId }) => ({ organisationId: orgId, what: 'destinations' })],
  ['its organisation', ({ orgId }) => ({ organisationId: orgId, what: 'organisation' })],
  ['what nobody knows', () => null],
])('after a change of %s nothing is sent there before it was read again', async (_, changeOf) => {
  const { org, destination, worker, finish, reads, answerReads } = await oneUnderWay();
  worker.invalidate(changeOf(destination, destination));
  finish();
  await untilDelivered(org, 1);
  await until(() => reads() === 1, 'It was not read again.');
  expect(bench.sent).toHaveLength(1);
  answerReads();
  await untilDelivered(org, 3);
});

test.each<[string, (worker: DeliveryWorker, org: string) => void]>([
  ['of another organisation', worker => worker.recheckClaims('org_neighbour')],
  ['that no queue holds', (worker, org) => worker.recheckClaims(org, ['dlv_dead'])],
])('withdrawals %s are looked up by nobody', async (_, withdraw) => {
  const { org, worker, finish, lookups } = await oneUnderWay();
  withdraw(worker, org);
  finish();
  await untilDelivered(org, 3);
  expect(lookups()).toBe(0);
});

test('while changes cannot be received, every destination is read again before more is sent', async () => {
  let isLive = true;
  const { org, worker, finish, reads, answerReads } = await oneUnderWay(() => isLive);
  isLive = false;
  worker.wake();
  await until(() => reads() === 1, 'It was not read again.');
  finish();
  await untilDelivered(org, 1);
  expect(bench.sent).toHaveLength(1);
  answerReads();
  await untilDelivered(org, 3);
});

test('whoever has many destinations keeps others waiting for a few of them at a time', async () => {
  const org = await bench.organisation();
  for (let n = 0; n < 20; n++) await bench.deliver(await bench.destination(org));
  let opened = 0;
  let most = 0;
  bench.start({
    prepare() {
      most = Math.max(most, ++opened);
      return { readsTraits: false, send: async () => delivered };
    },
    storage: {
      async claimDeliveries(...args) {
        opened = 0;
        return bench.storage.claimDeliveries(...args);
      },
    },
  });
  await until(async () => (await bench.states(org)).delivered === 20, 'Not all were delivered.');
  expect(most).toBeLessThanOrEqual(4);
});
