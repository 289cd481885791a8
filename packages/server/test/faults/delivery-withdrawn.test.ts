import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { seconds } from '../../src/core/clock.ts';
import { createTemplateRenderer } from '../../src/delivery/rendering/template-renderer.ts';
import { delivered, openWorkerBench, type WorkerBench } from '../support/delivery-worker.ts';
import { until } from '../support/until.ts';

let bench: WorkerBench;

beforeAll(async () => {
  bench = await openWorkerBench();
});
afterEach(() => bench.reset());
afterAll(() => bench.close());

/** Three deliveries of which one is under way and two wait in the worker's queue; and how to let the first end. */
async function twoInTheQueue(storage: Parameters<WorkerBench['start']>[0]['storage'] = {}) {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org, { concurrency: 1 }), 3);
  let finish = () => {};
  const worker = bench.start({
    storage,
    send: () =>
      bench.sent.length > 1
        ? Promise.resolve(delivered)
        : new Promise(resolve => {
            finish = () => resolve(delivered);
          }),
  });
  await until(
    async () => bench.sent.length === 1 && ((await bench.states(org)).delivering ?? 0) >= 2,
    'Nothing waits in the queue.',
  );
  const underWay = bench.sent[0]?.id ?? '';
  const waiting = (await bench.list(org)).find(({ id, state }) => id !== underWay && state === 'delivering');
  return { org, worker, waiting: waiting?.id ?? '', finish: () => finish() };
}

async function expectUnsent(org: string, id: string): Promise<void> {
  await until(async () => (await bench.states(org)).delivered === 2, 'The others did not arrive.');
  expect(await bench.states(org)).toEqual({ delivered: 2, cancelled: 1 });
  expect(bench.sent.map(delivery => delivery.id)).not.toContain(id);
}

test('what is discarded while it waits in the queue is not sent', async () => {
  const { org, worker, waiting, finish } = await twoInTheQueue();
  await bench.storage.discardDelivery(org, waiting, bench.clock.time);
  worker.recheckClaims(org, [waiting]);
  finish();
  await expectUnsent(org, waiting);
});

test('nor is it where another node discards it, once it has waited for a second', async () => {
  const { org, waiting, finish } = await twoInTheQueue();
  await bench.storage.discardDelivery(org, waiting, bench.clock.time);
  bench.clock.time += seconds(1);
  finish();
  await expectUnsent(org, waiting);
});

test('while nobody can say whether it was discarded, nothing of the queue is sent', async () => {
  let away = 2;
  const { org, worker, waiting, finish } = await twoInTheQueue({
    async findClaimed(claims) {
      if (away-- > 0) throw new Error('The database is away.');
      return bench.storage.findClaimed(claims);
    },
  });
  await bench.storage.discardDelivery(org, waiting, bench.clock.time);
  worker.recheckClaims(org, [waiting]);
  finish();
  await expectUnsent(org, waiting);
  expect(bench.errors.length).toBeGreaterThan(0);
});

test('what is paused while the traits for it are read is given back unsent', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org);
  await bench.deliver(destination);
  const { promise: mayRead, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  bench.start({
    storage: {
      async claimDeliveries(...args) {
        const claimed = await bench.storage.claimDeliveries(...args);
        const entity = { kind: 'person', externalId: 'ada' };
        return claimed.map(delivery => ({ ...delivery, event: { ...delivery.event, entity } }));
      },
    },
    readTraits: async () => {
      await mayRead;
      return {};
    },
    prepare: () => ({
      readsTraits: true,
      async send() {
        sent++;
        return delivered;
      },
    }),
  });
  await until(async () => (await bench.states(org)).delivering === 1, 'It was not claimed.');
  await bench.storage.updateDestination(org, destination.id, { paused: true }, bench.clock.time);
  resolve();
  await until(async () => (await bench.states(org)).held === 1, 'It was not given back.');
  expect(sent).toBe(0);
});

/** One delivery, of which something happens while it waits for its templates to be rendered. */
async function whileRendering(
  happens: (found: {
    org: string;
    destination: string;
    id: string;
    recheckClaims(): void;
  }) => Promise<unknown>,
) {
  const org = await bench.organisation();
  const destination = await bench.destination(org);
  await bench.deliver(destination);
  const renderer = createTemplateRenderer({
    render: () => Promise.reject(new Error('Nothing here is large.')),
  });
  const recipe = {
    kind: 'none',
    config: {},
    composer: { readsTraits: false, check: () => {}, compose: () => '' },
  };
  const seen = { begun: 0, sent: 0 };
  const worker = bench.start({
    async send(delivery) {
      seen.begun++;
      await happens({
        org,
        destination: destination.id,
        id: delivery.id,
        recheckClaims: () => worker.recheckClaims(org, [delivery.id]),
      });
      await renderer.render(delivery, recipe);
      seen.sent++;
      return delivered;
    },
  });
  return { org, seen, worker };
}

test('what is paused while it is rendered is given back unsent', async () => {
  const { org, seen } = await whileRendering(({ org, destination }) =>
    bench.storage.updateDestination(org, destination, { paused: true }, bench.clock.time),
  );
  await until(async () => (await bench.states(org)).held === 1, 'It was not given back.');
  expect(seen).toEqual({ begun: 1, sent: 0 });
  expect(await bench.list(org)).toMatchObject([{ attempt: 0 }]);
});

test.each([
  ['here', (recheckClaims: () => void) => recheckClaims()],
  [
    'on another node, and has waited for a second',
    () => {
      bench.clock.time += seconds(1);
    },
  ],
])('what is discarded %s while it is rendered is not sent', async (_, passes) => {
  const { org, seen, worker } = await whileRendering(async ({ org, id, recheckClaims }) => {
    await bench.storage.discardDelivery(org, id, bench.clock.time);
    passes(recheckClaims);
  });
  await until(async () => (await bench.states(org)).cancelled === 1, 'It was not discarded.');
  await worker.stop();
  expect(seen).toEqual({ begun: 1, sent: 0 });
});

test('what is rendered while others are discarded goes out at once', async () => {
  const { org, seen } = await whileRendering(async ({ recheckClaims }) => recheckClaims());
  await until(async () => (await bench.states(org)).delivered === 1, 'It was not delivered.');
  expect(seen).toEqual({ begun: 1, sent: 1 });
});
