import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { days, minutes, seconds } from '../../src/core/clock.ts';
import { Problem } from '../../src/core/errors.ts';
import { delivered, failed, never, openWorkerBench, type WorkerBench } from '../support/delivery-worker.ts';
import { until } from '../support/until.ts';

let bench: WorkerBench;

beforeAll(async () => {
  bench = await openWorkerBench();
});
afterEach(() => bench.reset());
afterAll(() => bench.close());

/** Waits until the organisation's deliveries stand like this. */
const untilStates = (orgId: string, wanted: Record<string, number>) =>
  until(
    async () => Bun.deepEquals(await bench.states(orgId), wanted),
    `The deliveries did not become ${JSON.stringify(wanted)}.`,
  );

test('a destination whose settings cannot be read ends its deliveries with the reason, and holds up nobody', async () => {
  const org = await bench.organisation();
  const unreadable = await bench.destination(org, { attempts: 1 });
  const fine = await bench.destination(await bench.organisation());
  await bench.deliver(unreadable, 3);
  await bench.deliver(fine, 3);
  bench.start({
    prepare(destination) {
      if (destination.id === unreadable.id) throw new Error('Its secret cannot be opened.');
      return { readsTraits: false, send: async () => delivered };
    },
  });
  await untilStates(fine.orgId, { delivered: 3 });
  await untilStates(org, { dead: 3 });
  const [dead] = await bench.list(org);
  const [attempt] = await bench.storage.listAttempts(org, dead?.id ?? '');
  expect(attempt?.message).toContain('Its secret cannot be opened.');
  expect(bench.errors).toHaveLength(1);
});

test('a destination that throws while it sends fails that delivery, and frees its place', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org, { attempts: 1, concurrency: 1 }), 5);
  bench.start({ send: () => Promise.reject(new Error('a defect')) });
  await untilStates(org, { dead: 5 });
});

test('a long timeout is given its time', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org, { timeout_s: 300 }));
  bench.start({});
  await untilStates(org, { delivered: 1 });
});

test('a rate is kept however often deliveries end and the worker is woken', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org, { rate_per_second: 5 }), 12);
  const worker = bench.start({});
  await until(() => bench.sent.length === 5, 'The first second’s worth did not go out.');
  for (let n = 0; n < 50; n++) worker.wake();
  bench.clock.time += 400;
  await until(() => bench.sent.length === 7, 'The next two did not go out.');
  bench.clock.time += 10_000;
  await untilStates(org, { delivered: 12 });
});

test('a change elsewhere leaves a destination its queue; a change of its own takes effect at once', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org, { concurrency: 1 }, '{"v":1}');
  await bench.deliver(destination, 3);
  const prepared: string[] = [];
  const held: (() => void)[] = [];
  bench.start({
    prepare(stored) {
      prepared.push(stored.config);
      return {
        readsTraits: false,
        send: () => new Promise(resolve => held.push(() => resolve(delivered))),
      };
    },
  });
  await until(() => held.length === 1, 'Nothing was sent.');
  await bench.destination(org);
  held[0]?.();
  await until(() => held.length === 2, 'The queue did not go on.');
  expect(prepared).toEqual(['{"v":1}']);
  await bench.storage.updateDestination(org, destination.id, { config: '{"v":2}' }, bench.clock.time);
  held[1]?.();
  await until(() => held.length === 3, 'The rest was not sent.');
  expect(prepared).toEqual(['{"v":1}', '{"v":2}']);
  held[2]?.();
  await untilStates(org, { delivered: 3 });
});

test('a change that comes while a destination is being read is not missed', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org, {}, '{"v":1}');
  await bench.deliver(destination);
  const seen: string[] = [];
  // The sweep at the start reads it once, and the queue that is opened does.
  let version = 1;
  bench.start({
    storage: {
      async findDestination(orgId, id) {
        const read = await bench.storage.findDestination(orgId, id);
        if (version < 3) {
          const config = `{"v":${++version}}`;
          await bench.storage.updateDestination(org, id, { config }, bench.clock.time);
        }
        return read;
      },
    },
    async send(_, to) {
      seen.push(to.config);
      return delivered;
    },
  });
  await untilStates(org, { delivered: 1 });
  expect(seen).toEqual(['{"v":3}']);
});

test('nothing that was claimed before a pause is sent after it', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org, { concurrency: 1 });
  await bench.deliver(destination, 5);
  let finish = () => {};
  bench.start({
    send: () =>
      new Promise(resolve => {
        finish = () => resolve(failed);
      }),
  });
  await until(() => bench.sent.length === 1, 'Nothing was sent.');
  await bench.storage.updateDestination(org, destination.id, { paused: true }, bench.clock.time);
  finish();
  await untilStates(org, { held: 5 });
  expect(bench.sent).toHaveLength(1);
});

test('an attempt that fails after its destination was deleted is cancelled, not retried', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org);
  await bench.deliver(destination);
  let finish = () => {};
  bench.start({
    send: () =>
      new Promise(resolve => {
        finish = () => resolve(failed);
      }),
  });
  await until(() => bench.sent.length === 1, 'Nothing was sent.');
  await bench.storage.deleteDestination(org, destination.id, 'me', bench.clock.time);
  finish();
  await untilStates(org, { cancelled: 1 });
  bench.clock.time += seconds(31);
  await until(
    async () => (await bench.list(org))[0]?.finishedAt != null,
    'The sweep did not come to what waits for nobody.',
  );
  expect(bench.sent).toHaveLength(1);
});

test('the result of a delivery that was discarded while it was sent is refused', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org));
  let finish = () => {};
  const worker = bench.start({
    send: () =>
      new Promise(resolve => {
        finish = () => resolve(delivered);
      }),
  });
  await until(() => bench.sent.length === 1, 'Nothing was sent.');
  const [delivery] = await bench.list(org);
  expect(await bench.storage.discardDelivery(org, delivery?.id ?? '', bench.clock.time)).toBe(true);
  finish();
  await worker.stop();
  expect(await bench.states(org)).toEqual({ cancelled: 1 });
});

const free = (deliveries: readonly string[]) =>
  bench.storage.freeClaims(
    { events: [], deliveries, probes: [], listeners: [], jobs: [], labels: [] },
    100,
    bench.clock.time,
  );

test('a worker whose node was declared dead: another delivers, and the late result is refused', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org));
  let finish = () => {};
  const late = bench.start({
    storage: {
      // After its one send it sees nothing more, as a process that was stopped.
      listWaitingDestinations: async () =>
        bench.sent.length > 0 ? [] : bench.storage.listWaitingDestinations(),
    },
    send: () =>
      new Promise(resolve => {
        finish = () => resolve(failed);
      }),
  });
  await until(() => bench.sent.length === 1, 'Nothing was sent.');
  const other = bench.start({});
  const claimed = late.heldTokens();
  // However much time goes by, its claim holds until its node is dead.
  bench.clock.time += minutes(30);
  expect(await bench.states(org)).toEqual({ delivering: 1 });
  await free(claimed);
  other.wake();
  await untilStates(org, { delivered: 1 });
  finish();
  await late.stop();
  const [delivery] = await bench.list(org);
  expect(delivery).toMatchObject({ state: 'delivered', attempt: 1 });
  expect(await bench.storage.listAttempts(org, delivery?.id ?? '')).toMatchObject([{ n: 1, code: null }]);
});

test('a worker whose node was declared dead sends nothing of what waited, and goes on though something hangs', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org, { concurrency: 1 }), 4);
  const ends: (() => void)[] = [];
  let isAlive = true;
  let tokens = 0;
  const worker = bench.start({
    newToken: () => (isAlive ? `${ends.length === 0 ? 'dead' : 'new'} ${tokens++}` : null),
    send: () => new Promise(resolve => ends.push(() => resolve(delivered))),
  });
  await until(() => ends.length === 1, 'Nothing was sent.');
  isAlive = false;
  await free(worker.heldTokens());
  worker.dropClaims();
  // The one under way is all that it still knows of, once the look that it may be at is over.
  await until(() => worker.heldTokens().length === 1, 'It holds more than what is under way.');
  expect([bench.sent.length, await bench.states(org)]).toEqual([1, { pending: 4 }]);
  isAlive = true;
  worker.wake();
  for (let n = 1; n <= 4; n++) {
    await until(() => ends.length > n, 'It does not go on.');
    ends[n]?.();
  }
  await untilStates(org, { delivered: 4 });
  ends[0]?.();
  await until(() => worker.heldTokens().length === 0, 'It does not let go.');
  expect(bench.sent).toHaveLength(5);
  expect((await bench.list(org)).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
});

test('what is claimed when the node dies is given back unsent', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org));
  let died = false;
  let held: readonly string[] = [];
  const worker = bench.start({
    newToken: () => (died ? null : 'dead 0'),
    storage: {
      async claimDeliveries(...args) {
        const claimed = await bench.storage.claimDeliveries(...args);
        held = worker.heldTokens();
        died = true;
        worker.dropClaims();
        return claimed;
      },
    },
  });
  await until(() => died, 'It does not claim.');
  await untilStates(org, { pending: 1 });
  expect([bench.sent, held, worker.heldTokens()]).toEqual([[], ['dead 0'], []]);
});

test('results wait for a database that is away, and nothing is sent twice for it', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org), 4);
  let away = 2;
  bench.start({
    storage: {
      async recordAttempts(records) {
        if (away-- > 0) throw new Problem('storage_unavailable');
        return bench.storage.recordAttempts(records);
      },
    },
  });
  await untilStates(org, { delivered: 4 });
  expect(bench.sent).toHaveLength(4);
});

test('the next goes out while results are written, but no more than as many again', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org, { concurrency: 3 }), 20);
  const written = Promise.withResolvers<void>();
  bench.start({
    storage: {
      async recordAttempts(records) {
        await written.promise;
        return bench.storage.recordAttempts(records);
      },
    },
  });
  await until(() => bench.sent.length >= 3, 'Nothing was sent.');
  // Everything that could be sent beside them would be by the time that storage has answered a few more questions.
  for (let n = 0; n < 20; n++) await bench.states(org);
  expect(bench.sent.length).toBeGreaterThan(3);
  expect(bench.sent.length).toBeLessThan(6);
  written.resolve();
  await untilStates(org, { delivered: 20 });
  expect(bench.sent).toHaveLength(20);
});

test('a result that cannot be written takes no other with it', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org), 8);
  const bad = (await bench.list(org))[3]?.id;
  bench.start({
    storage: {
      async recordAttempts(records) {
        if (records.some(({ deliveryId }) => deliveryId === bad)) throw new Error('It cannot be written.');
        return bench.storage.recordAttempts(records);
      },
    },
  });
  await untilStates(org, { delivered: 7, delivering: 1 });
});

test('the clock goes back a day: what waits is sent, once', async () => {
  const org = await bench.organisation();
  const down = await bench.destination(org, { schedule_s: [0, 60] });
  await bench.deliver(down, 2);
  let healthy = false;
  const worker = bench.start({ send: async () => (healthy ? delivered : failed) });
  await untilStates(org, { retrying: 2 });
  await bench.storage.updateDestination(org, down.id, { paused: true }, bench.clock.time);
  await bench.deliver(down, 2);
  await untilStates(org, { held: 4 });
  healthy = true;
  bench.clock.time -= days(1);
  await bench.storage.updateDestination(org, down.id, { paused: false }, bench.clock.time);
  worker.wake();
  await untilStates(org, { delivered: 4 });
  expect(bench.sent).toHaveLength(6);
});

test('the clock goes back a day while a node that dies had something: it is sent, once it is freed', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org));
  let finish = () => {};
  const dead = bench.start({
    storage: {
      listWaitingDestinations: async () =>
        bench.sent.length > 0 ? [] : bench.storage.listWaitingDestinations(),
    },
    send: () =>
      new Promise(resolve => {
        finish = () => resolve(delivered);
      }),
  });
  await until(() => bench.sent.length === 1, 'Nothing was sent.');
  bench.clock.time -= days(1);
  const { promise: looked, resolve } = Promise.withResolvers<void>();
  const next = bench.start({
    storage: {
      // The first look of the next node comes before it knows of the death.
      async cancelOrphans(...args) {
        const cancelled = await bench.storage.cancelOrphans(...args);
        resolve();
        return cancelled;
      },
    },
    send: async () => delivered,
  });
  await looked;
  await free(dead.heldTokens());
  next.wake();
  await untilStates(org, { delivered: 1 });
  finish();
  await dead.stop();
});

test('the clock goes forward a day: no more at once than the destination takes, nothing stuck', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org, { concurrency: 2, schedule_s: [0, 3_600] }), 10);
  let now = 0;
  let most = 0;
  let healthy = false;
  const worker = bench.start({
    async send() {
      most = Math.max(most, ++now);
      await new Promise(resolve => setTimeout(resolve, 2));
      now--;
      return healthy ? delivered : failed;
    },
  });
  await untilStates(org, { retrying: 10 });
  healthy = true;
  bench.clock.time += days(1);
  worker.wake();
  await untilStates(org, { delivered: 10 });
  expect(most).toBe(2);
  expect(bench.sent).toHaveLength(20);
});

test('one organisation’s hanging destinations never starve another’s', async () => {
  const hog = await bench.organisation();
  for (let n = 0; n < 6; n++) {
    await bench.deliver(await bench.destination(hog, { concurrency: 1_000 }), 20);
  }
  const other = await bench.organisation();
  await bench.deliver(await bench.destination(other), 20);
  bench.start({ send: async (_, to) => (to.orgId === hog ? never() : delivered) });
  await untilStates(other, { delivered: 20 });
});

test('what is claimed ahead is bounded by its size, and what hangs leaves others their share', async () => {
  const org = await bench.organisation();
  const large = JSON.stringify({ text: 'x'.repeat(900_000) });
  const hanging = await bench.destination(org, { concurrency: 100 });
  await bench.deliver(hanging, 90, large);
  let sentToOther = 0;
  const worker = bench.start({
    send(_, to) {
      if (to.id !== hanging.id) sentToOther++;
      return never();
    },
  });
  await until(() => bench.sent.length >= 30, 'It does not use what there is.');
  const { delivering = 0, pending = 0 } = await bench.states(org);
  expect(delivering).toBeLessThanOrEqual(40);
  expect(delivering + pending).toBe(90);
  await bench.deliver(await bench.destination(org, { concurrency: 8 }), 8);
  worker.wake();
  await until(() => sentToOther === 8, 'Another has to wait for the one that hangs.');
});

test('a stop with a hung receiver takes a few seconds and gives everything back', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org, { concurrency: 2, timeout_s: 60 }), 6);
  const worker = bench.start({ send: never });
  await until(() => bench.sent.length === 2, 'Nothing was sent.');
  const began = performance.now();
  await worker.stop();
  expect(performance.now() - began).toBeLessThan(50_000);
  expect(await bench.states(org)).toEqual({ pending: 6 });
});

test('a worker does nothing before it is started, and can be stopped without that', async () => {
  const org = await bench.organisation();
  await bench.deliver(await bench.destination(org));
  let looked = 0;
  const idle = bench.create({
    storage: {
      async listWaitingDestinations() {
        looked++;
        return bench.storage.listWaitingDestinations();
      },
    },
  });
  idle.wake();
  await idle.stop();
  idle.start();
  await idle.stop();
  expect([looked, bench.sent]).toEqual([0, []]);
  expect(await bench.states(org)).toEqual({ pending: 1 });
  bench.start({});
  await untilStates(org, { delivered: 1 });
});
