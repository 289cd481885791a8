import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { days, minutes, seconds } from '../../src/core/clock.ts';
import type { StoredDestination } from '../../src/core/stores/configuration/destinations.ts';
import type { DeliveryWorker } from '../../src/delivery/work/worker.ts';
import { delivered, failed, never, openWorkerBench, type WorkerBench } from '../support/delivery-worker.ts';
import { until } from '../support/until.ts';

/** The worker and the breaker of a destination on a real database, with a clock to move. */

let bench: WorkerBench;

beforeAll(async () => {
  bench = await openWorkerBench();
});
afterEach(() => bench.reset());
afterAll(() => bench.close());

const read = async ({ orgId, id }: StoredDestination): Promise<StoredDestination> => {
  const found = await bench.storage.findDestination(orgId, id);
  if (found === null) throw new Error('It is gone.');
  return found;
};

/** A destination that went down now. */
async function down(policy: Partial<StoredDestination['policy']> = {}) {
  const org = await bench.organisation();
  const destination = await bench.destination(org, { schedule_s: [0, 1], attempts: 2, ...policy });
  const openedAt = bench.clock.time;
  await bench.storage.openBreaker(org, destination.id, {
    openedAt,
    nextProbeAt: openedAt + seconds(1),
    failure: 'It answered 500.',
  });
  return { org, destination, openedAt };
}

const untilStates = (orgId: string, wanted: Record<string, number>) =>
  until(
    async () => Bun.deepEquals(await bench.states(orgId), wanted),
    `The deliveries did not become ${JSON.stringify(wanted)}.`,
  );

/** Moves the clock to this long after it opened, and waits until a probe that failed has left by then. */
async function probedAt(
  destination: StoredDestination,
  openedAt: number,
  afterMs: number,
  worker: DeliveryWorker,
) {
  bench.clock.time = openedAt + afterMs;
  await until(async () => {
    worker.wake();
    return ((await read(destination)).breaker?.lastProbeAt ?? 0) >= openedAt + afterMs;
  }, `No probe has failed ${afterMs} ms after it opened.`);
}

test('a destination that only fails is probed, and gets the rest once it is back', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org, { attempts: 8, schedule_s: [0, 600] });
  await bench.deliver(destination, 200);
  let healthy = false;
  const worker = bench.start({ send: async () => (healthy ? delivered : failed) });
  await until(async () => (await read(destination)).breaker !== null, 'The breaker did not open.');
  const before = bench.sent.length;
  expect(before).toBeGreaterThanOrEqual(50);
  expect(before).toBeLessThan(50 + 16);
  healthy = true;
  bench.clock.time += seconds(1);
  worker.wake();
  await until(() => bench.sent.length > before, 'No probe went out.');
  bench.clock.time += seconds(600);
  worker.wake();
  await untilStates(org, { delivered: 200 });
  expect((await read(destination)).breaker).toBeNull();
});

test('a short schedule outlives a short outage, and every delivery is attempted', async () => {
  const { org, destination, openedAt } = await down();
  await bench.deliver(destination, 100);
  let healthy = false;
  const worker = bench.start({ send: async () => (healthy ? delivered : failed) });
  for (const after of [1, 2, 4, 8, 16, 30, 60, 300, 870]) {
    await probedAt(destination, openedAt, seconds(after), worker);
  }
  expect((await bench.list(org)).every(({ state }) => state !== 'dead')).toBe(true);
  healthy = true;
  bench.clock.time = openedAt + seconds(900);
  worker.wake();
  await untilStates(org, { delivered: 100 });
});

test('what waits is dead only after 15 minutes, its own schedule, and a probe that failed after both', async () => {
  const { org, destination, openedAt } = await down();
  await bench.deliver(destination, 3);
  const worker = bench.start({ send: async () => failed });
  await probedAt(destination, openedAt, seconds(1), worker);
  await probedAt(destination, openedAt, minutes(15), worker);
  // A sweep or two, which find nothing to end: the probe left at the very moment, not after it.
  bench.clock.time += seconds(29);
  worker.wake();
  expect(await bench.states(org)).not.toHaveProperty('dead');
  await probedAt(destination, openedAt, minutes(15) + seconds(30), worker);
  await until(async () => {
    // One that is out as a probe is left for the next sweep.
    bench.clock.time += seconds(31);
    worker.wake();
    return (await bench.states(org)).dead === 3;
  }, 'Nothing was given up.');
  for (const dead of await bench.list(org)) {
    expect(dead.code).toBe('destination_down');
    expect(dead.outage?.downSince).toBe(openedAt);
    expect(dead.outage?.probedAt).toBeGreaterThan(openedAt + minutes(15));
  }
});

test('a policy that is made shorter ends nothing that waits', async () => {
  const { org, destination, openedAt } = await down({ attempts: 8, schedule_s: [0, 7_200] });
  await bench.deliver(destination, 20);
  const worker = bench.start({ send: async () => failed });
  await probedAt(destination, openedAt, seconds(1), worker);
  const policy = { ...destination.policy, attempts: 1, schedule_s: [0] };
  await bench.storage.updateDestination(org, destination.id, { policy }, bench.clock.time);
  bench.clock.time += 1;
  await bench.deliver(destination, 5);
  await probedAt(destination, openedAt, minutes(20), worker);
  bench.clock.time += seconds(31);
  await until(async () => {
    worker.wake();
    return ((await bench.states(org)).dead ?? 0) > 0;
  }, 'What came after the change was not given up.');
  await until(async () => (await bench.states(org)).dead === 5, 'Not all that came after it were given up.');
  expect((await bench.list(org)).filter(({ state }) => state === 'dead').map(({ id }) => id)).toEqual(
    (await bench.list(org)).slice(0, 5).map(({ id }) => id),
  );
});

test('one delivery that is refused keeps no other from being the probe', async () => {
  const { org, destination, openedAt } = await down();
  await bench.deliver(destination, 5);
  const bad = (
    await bench.storage.listWaiting(org, destination.id, { dueBy: openedAt, after: null, limit: 1 })
  )[0];
  const worker = bench.start({ send: async ({ id }) => (id === bad?.id ? failed : delivered) });
  await probedAt(destination, openedAt, seconds(1), worker);
  bench.clock.time = openedAt + seconds(2);
  await until(async () => {
    worker.wake();
    return (await bench.states(org)).delivered === 4;
  }, 'The others were not delivered.');
  expect((await read(destination)).breaker).toBeNull();
});

test('with nothing waiting the next delivery is the probe, at once', async () => {
  const { org, destination, openedAt } = await down();
  bench.clock.time = openedAt + 100;
  const worker = bench.start({});
  await bench.deliver(destination);
  worker.wake();
  await untilStates(org, { delivered: 1 });
  expect((await read(destination)).breaker).toBeNull();
});

test('two nodes send one probe at a time', async () => {
  const { org, destination, openedAt } = await down();
  await bench.deliver(destination, 20);
  let underWay = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const send = async () => {
    most = Math.max(most, ++underWay);
    await new Promise<void>(resolve => ends.push(resolve));
    underWay--;
    return failed;
  };
  const nodes = [bench.start({ send }), bench.start({ send })];
  for (const [n, after] of [1, 2, 4, 8, 16, 30].entries()) {
    bench.clock.time = openedAt + seconds(after);
    for (const node of nodes) node.wake();
    await until(() => ends.length === n + 1, 'No probe went out.');
    // Both nodes look again while it is under way.
    for (let look = 0; look < 3; look++) {
      for (const node of nodes) node.wake();
      await bench.states(org);
    }
    expect(ends).toHaveLength(n + 1);
    ends[n]?.();
    await until(
      async () => (await read(destination)).breaker?.lastProbeAt === openedAt + seconds(after),
      'The probe was not recorded.',
    );
  }
  expect(most).toBe(1);
});

test('a node that stands still with a probe keeps no other from sending the next', async () => {
  const { org, destination, openedAt } = await down();
  await bench.deliver(destination, 30);
  const first = bench.start({
    send: never,
    storage: {
      // After its one send it sees nothing more, as a process that was stopped.
      listWaitingDestinations: async () =>
        bench.sent.length > 0 ? [] : bench.storage.listWaitingDestinations(),
    },
  });
  bench.clock.time = openedAt + seconds(1);
  first.wake();
  await until(() => bench.sent.length === 1, 'No probe went out.');
  const second = bench.start({});
  bench.clock.time = openedAt + minutes(2);
  second.wake();
  await until(async () => ((await bench.states(org)).delivered ?? 0) >= 1, 'The other node did not probe.');
  expect((await read(destination)).breaker).toBeNull();
});

test('while one node’s probe is under way, another asks once and does not ask again', async () => {
  const { org, destination, openedAt } = await down();
  await bench.deliver(destination, 5);
  bench.clock.time = openedAt + seconds(1);
  const first = bench.start({ send: never });
  first.wake();
  await until(() => bench.sent.length === 1, 'No probe went out.');
  let asked = 0;
  let looks = 0;
  const second = bench.start({
    storage: {
      takeProbe(...probe) {
        asked++;
        return bench.storage.takeProbe(...probe);
      },
      listWaitingDestinations() {
        looks++;
        return bench.storage.listWaitingDestinations();
      },
    },
  });
  await until(() => {
    second.wake();
    return looks > 20;
  }, 'The other node did not look.');
  expect(asked).toBeLessThanOrEqual(1);
  // Nobody reports that probe any more. Its time is known from storage.
  bench.clock.time = openedAt + minutes(2);
  second.wake();
  await until(async () => ((await bench.states(org)).delivered ?? 0) >= 1, 'The other node did not probe.');
});

test('a node that is none of the living takes no probe', async () => {
  const { destination, openedAt } = await down();
  await bench.deliver(destination);
  bench.clock.time = openedAt + seconds(1);
  let looks = 0;
  const worker = bench.start({
    newToken() {
      looks++;
      return null;
    },
  });
  await until(() => {
    worker.wake();
    return looks > 3;
  }, 'It does not look.');
  expect((await read(destination)).breaker?.probeUntil).toBeNull();
});

test('a breaker that could not be closed is closed by the next probe', async () => {
  const { org, destination, openedAt } = await down();
  await bench.deliver(destination);
  let isAway = true;
  const worker = bench.start({
    storage: {
      async closeBreaker(...address) {
        if (isAway) throw new Error('Storage is away.');
        return bench.storage.closeBreaker(...address);
      },
    },
  });
  bench.clock.time = openedAt + seconds(1);
  worker.wake();
  await untilStates(org, { delivered: 1 });
  await until(() => bench.errors.length > 0, 'It could be closed.');
  isAway = false;
  bench.clock.time = openedAt + minutes(1);
  await bench.deliver(destination);
  await until(async () => {
    worker.wake();
    return (await read(destination)).breaker === null;
  }, 'The breaker stands open.');
  await untilStates(org, { delivered: 2 });
});

test('a restart in the middle of an outage ends nothing, and goes on where it was', async () => {
  const { org, destination, openedAt } = await down();
  await bench.deliver(destination, 10);
  const worker = bench.start({ send: async () => failed });
  for (const after of [1, 60]) await probedAt(destination, openedAt, seconds(after), worker);
  await worker.stop();
  // Killed in the middle of a probe: it was taken, and nobody will report it.
  const [now, until] = [openedAt + seconds(90), openedAt + minutes(14)];
  const killed = { now, until, token: 'dead 1', firstDueAt: openedAt };
  expect((await bench.storage.takeProbe(org, destination.id, killed)).isTaken).toBe(true);
  const { probes } = await bench.storage.listClaims();
  expect(probes).toEqual(['dead 1']);
  await bench.storage.freeClaims(
    { events: [], deliveries: [], probes, listeners: [], jobs: [], labels: [] },
    100,
    bench.clock.time,
  );
  bench.clock.time = openedAt + seconds(91);
  let healthy = false;
  const again = bench.start({ send: async () => (healthy ? delivered : failed) });
  await probedAt(destination, openedAt, seconds(120), again);
  expect((await read(destination)).breaker).toMatchObject({ openedAt });
  expect((await bench.list(org)).every(({ state }) => state !== 'dead')).toBe(true);
  healthy = true;
  bench.clock.time = openedAt + seconds(150);
  again.wake();
  await untilStates(org, { delivered: 10 });
});

test('a clock that goes back does not silence the probes', async () => {
  const { org, destination, openedAt } = await down({ schedule_s: [0, 3_600] });
  await bench.deliver(destination);
  const worker = bench.start({});
  await untilStates(org, { pending: 1 });
  bench.clock.time -= days(1);
  await until(async () => {
    bench.clock.time += seconds(5);
    worker.wake();
    return (await bench.states(org)).delivered === 1;
  }, 'No probe went out within the time.');
  expect(bench.clock.time).toBeLessThan(openedAt);
});

test('a backlog that is older than its schedule outlives the breaker that opens now', async () => {
  const org = await bench.organisation();
  const destination = await bench.destination(org, { attempts: 3, schedule_s: [0, 60] });
  await bench.deliver(destination, 200);
  bench.clock.time += days(1);
  const worker = bench.start({ send: async () => failed });
  await until(async () => (await read(destination)).breaker !== null, 'The breaker did not open.');
  const openedAt = (await read(destination)).breaker?.openedAt ?? 0;
  await probedAt(destination, openedAt, minutes(14), worker);
  bench.clock.time += seconds(31);
  worker.wake();
  await probedAt(destination, openedAt, minutes(15), worker);
  expect((await bench.list(org)).filter(({ code }) => code === 'destination_down')).toEqual([]);
});
