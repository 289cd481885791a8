import { expect, test } from 'bun:test';
import { days, minutes, seconds } from '../../../src/core/clock.ts';
import { arrow, EVENT_TYPES, isLate, stepOf, WHOLE_ORGANISATION } from '../../../src/core/stores/counters.ts';
import type { ClaimedDelivery, EndedAttempt } from '../../../src/core/stores/delivery-queue.ts';
import type { SettledRun } from '../../../src/core/stores/event-queue.ts';
import { packDurations } from '../../../src/core/stores/latency.ts';
import { createCountKeeper } from '../../../src/telemetry/counters.ts';
import { failedInEach } from '../../../src/web/dashboard/overview/failed-figures.ts';
import { createSeeded } from '../../corpus/seeded.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination } from './delivery-samples.ts';
import { onOwnDatabase } from './own-database.ts';
import { aClaimInput, aJob, aRun, aSettlement, unclaimed } from './pipeline-samples.ts';
import { anEvent, aRequest, idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

/** Whatever happens to deliveries, their figures are what the list of all of them says. */
export function presentFiguresContract(subject: Subject): void {
  let storage: EveryStore;
  onOwnDatabase(subject, ({ nodes: [first] }) => {
    storage = everyStore(first);
  });

  const ever = { from: 0, to: NOW + days(3_650) };
  const hour = minutes(60);
  // Ids never go back: deliveries are made no earlier than whatever had an id before, in this process, of the real time.
  const window = { from: NOW - (NOW % hour), stepMs: 100_000 * hour, points: 1 };

  const types = ['order.paid', 'order.shipped', 'user.joined'];
  const states = ['delivered', 'waiting', 'retrying', 'held', 'dead'] as const;
  type Figures = Record<(typeof states)[number], number>;

  /** As the dashboard has them. */
  async function figuresOf(orgId: string, destination?: string): Promise<Figures> {
    const subjectOf = destination ?? WHOLE_ORGANISATION;
    const [sum] = await storage.readCounters(orgId, [subjectOf], ['delivered'], window);
    const of = destination === undefined ? {} : { destination };
    const { waiting, retrying, held, dead } = await storage.countPresent(orgId, { ...ever, ...of }, 1_000);
    return {
      delivered: sum?.amount ?? 0,
      waiting: waiting.count,
      retrying: retrying.count,
      held: held.count,
      dead: dead.count,
    };
  }

  /** By looking at each. */
  async function listed(orgId: string, destination?: string): Promise<Figures> {
    const all = await storage.listDeliveries(orgId, {}, { limit: 100_000, below: null });
    const figures: Figures = { delivered: 0, waiting: 0, retrying: 0, held: 0, dead: 0 };
    for (const { state, destination: to } of all) {
      if (destination !== undefined && to.id !== destination) continue;
      const shown = state === 'pending' || state === 'delivering' ? 'waiting' : state;
      if (shown !== 'cancelled') figures[shown]++;
    }
    return figures;
  }

  test.each([1, 2, 3, 4])(
    'through failures, recoveries, replays, pauses, deletes and kills (%d)',
    async seed => {
      const random = createSeeded(seed);
      const orgId = await storedOrganisation(storage);
      let now = NOW + seed * hour;
      const clock = { now: () => now };
      let nodes = 0;
      let keeper = createCountKeeper(storage, clock, () => `node ${seed} ${nodes}`);
      let destinations = ['a', 'b', 'c'].map(name => aDestination(orgId, { id: idAt('dst', NOW), name }));
      const gone: string[] = [];
      for (const destination of destinations) await storage.createDestination(destination);
      await storage.join({ id: `node ${seed} 0`, roles: [], version: '1.2.3', host: 'here' }, true);
      let claims = 0;
      let held: { readonly delivery: ClaimedDelivery; readonly token: string }[] = [];
      const events: string[] = [];

      async function settleClaimed(): Promise<void> {
        for (const claimed of (await storage.claimEvents(aClaimInput({ now }))).events) {
          const to = destinations.filter(() => random.between(0, 2) > 0).map(({ id }) => id);
          const outcome = random.between(0, 9) === 0 ? 'failed' : 'routed';
          const run = aRun({ id: idAt('run', now), outcome, destinations: outcome === 'failed' ? [] : to });
          const settlement = aSettlement(claimed, { runs: [{ ...run, output: '{}' }] });
          const [result] = await storage.settleEvents([settlement], now);
          if (result?.kind === 'settled') keeper.settled(settlement, result, [], now);
        }
      }

      async function end(some: typeof held, next: (one: ClaimedDelivery) => EndedAttempt['next']) {
        const records = some.map(({ delivery, token }) => ({
          orgId,
          deliveryId: delivery.id,
          token,
          attempt: {
            n: delivery.attempt + 1,
            at: now,
            durationMs: 0,
            status: null,
            code: null,
            message: null,
            request: '{}',
            response: '',
          },
          next: next(delivery),
        }));
        const refused = await storage.recordAttempts(records);
        for (const [n, record] of records.entries()) {
          const delivery = some[n]?.delivery;
          if (delivery && !refused.includes(n)) keeper.attempted(delivery, record.next);
        }
      }

      const deadOf = () => storage.listDeliveries(orgId, { state: 'dead' }, { limit: 5, below: null });
      const some = <T>(items: readonly T[]): T[] => items.filter(() => random.between(0, 1) === 0);

      const happenings: readonly (() => Promise<unknown>)[] = [
        async () => {
          const made = Array.from({ length: random.between(2, 6) }, () =>
            anEvent({ id: idAt('evt', now), type: random.oneOf(types) }),
          );
          const request = aRequest(orgId, made, { receivedAt: now });
          const [result] = await storage.append([request]);
          if (result?.kind === 'stored') keeper.received(request, made.length, result.events);
          events.push(...made.map(({ id }) => id));
          // Some wait, and come to their end long after.
          if (random.between(0, 2) > 0) await settleClaimed();
        },
        async () => {
          const token = `node ${seed} ${nodes} ${++claims}`;
          const inputs = destinations.map(({ id }) => ({
            orgId,
            destinationId: id,
            limit: 4,
            bytes: 1 << 20,
          }));
          for (const delivery of await storage.claimDeliveries(inputs, { token, now })) {
            held.push({ delivery, token });
          }
        },
        async () => {
          const ended = some(held);
          held = held.filter(one => !ended.includes(one));
          await end(ended, ({ id, destinationId }) =>
            isLate(id, now) ? { state: 'delivered', lateAt: destinationId } : { state: 'delivered' },
          );
        },
        async () => {
          const ended = some(held);
          held = held.filter(one => !ended.includes(one));
          await end(ended, () =>
            random.between(0, 1) === 0
              ? { state: 'retrying', dueAt: now + seconds(random.between(0, 60)) }
              : { state: 'dead', code: 'timeout' },
          );
        },
        async () => {
          for (const { id } of some(await deadOf())) await storage.retryDelivery(orgId, id, now);
        },
        async () => {
          const all = await storage.listDeliveries(orgId, {}, { limit: 20, below: null });
          for (const { id } of all.filter(() => random.between(0, 9) === 0))
            await storage.discardDelivery(orgId, id, now);
        },
        async () => {
          const page = { limit: 1, below: null };
          for (const id of await storage.listFailedEvents(orgId, page))
            await storage.discardFailedEvent(orgId, id);
        },
        async () => {
          // Only what was processed for the first time is replayed.
          await settleClaimed();
          const job = aJob(orgId, { createdAt: now });
          await storage.createJob(job);
          const replays = some(events.slice(-5)).map(eventId => ({ eventId, plan: null }));
          await storage.advanceJob(unclaimed(job), {}, now, { replays });
          await settleClaimed();
        },
        async () => {
          const { id } = random.oneOf(destinations);
          await storage.updateDestination(orgId, id, { paused: random.between(0, 3) === 0 }, now);
        },
        async () => {
          if (destinations.length < 2 || random.between(0, 9) > 0) return;
          const { id } = random.oneOf(destinations);
          await storage.deleteDestination(orgId, id, 'test', now);
          destinations = destinations.filter(one => one.id !== id);
          gone.push(id);
          if (random.between(0, 1) === 0) await storage.cancelOrphans(now, 100);
        },
        async () => {
          // As once a second: what a kill takes is what was counted since.
          await keeper.flush();
          now += seconds(random.between(1, 50));
        },
        () => keeper.flush(),
        async () => {
          // Its claims and what it counted are gone with it.
          nodes++;
          keeper = createCountKeeper(storage, clock, () => `node ${seed} ${nodes}`);
          held = [];
          await storage.join(
            { id: `node ${seed} ${nodes}`, roles: [], version: '1.2.3', host: 'here' },
            true,
          );
          const { deliveries } = await storage.listClaims();
          await storage.freeClaims(
            { events: [], deliveries, probes: [], jobs: [], labels: [], listeners: [] },
            1_000,
            now,
          );
        },
      ];
      for (let n = 0; n < 400; n++) await random.oneOf(happenings)();
      await settleClaimed();
      await keeper.flush();

      const inAll = await listed(orgId);
      expect(await figuresOf(orgId)).toEqual(inAll);
      for (const id of [...destinations.map(({ id }) => id), ...gone]) {
        expect(await figuresOf(orgId, id)).toEqual(await listed(orgId, id));
      }
      const each = await storage.countPresentOfEach(orgId, ever, 1_000);
      expect(each.map(({ destinationId }) => destinationId).toSorted()).toEqual(
        destinations.map(({ id }) => id).toSorted(),
      );
      const { destinations: waitingAt } = await storage.countWaitingAt(orgId, 1_000);
      for (const { destinationId: id, waiting, retrying, held, dead, open } of each) {
        const { delivered: _, ...figures } = await listed(orgId, id);
        const counted = {
          ...{ waiting: waiting.count, retrying: retrying.count },
          ...{ held: held.count, dead: dead.count },
        };
        expect(counted).toEqual(figures);
        const listedOpen = { destination: id, state: 'open' } as const;
        expect(open.count).toBe(await storage.countDeliveries(orgId, listedOpen));
        expect(open.count).toBe(figures.waiting + figures.retrying + figures.held);
        expect(waitingAt.get(id)?.count ?? 0).toBe(open.count);
      }
      // It was a lively time.
      expect(inAll.delivered).toBeGreaterThan(5);
      const names = ['received', 'processed', 'failed', 'dropped', 'unrouted'];
      const counted = await storage.readCounters(orgId, [WHOLE_ORGANISATION], names, window);
      const stored = await storage.listEvents(orgId, {}, { limit: 100_000, below: null, budgetMs: 10_000 });
      for (const { id } of stored.events.filter(({ outcome }) => outcome === 'failed'))
        expect(await storage.listFailures(orgId, [id])).not.toEqual([]);
      const pageOfAll = { limit: 100_000, below: null, budgetMs: 10_000 };
      const { events: failedOnes } = await storage.listEvents(orgId, { outcome: 'failed' }, pageOfAll);
      expect(await storage.countFailedEvents(orgId, {})).toBe(failedOnes.length);
      const byState = Object.groupBy(stored.events, ({ state }) => state);
      expect(Object.fromEntries(counted.map(({ name, amount }) => [name, amount]))).toEqual({
        received: events.length,
        ...Object.fromEntries(Object.entries(byState).map(([state, some]) => [state, some?.length])),
      });
      expect(await storage.listCountedTypes(orgId, 10)).toEqual(types);
      for (const { name, amount } of await storage.readCounters(orgId, [EVENT_TYPES], types, window)) {
        const page = { limit: 100_000, below: null, budgetMs: 10_000 };
        expect((await storage.listEvents(orgId, { type: name }, page)).events).toHaveLength(amount);
      }
    },
  );

  test('what is settled, settled again or erased long after it came in is counted with that: a kill takes none of it', async () => {
    const orgId = await storedOrganisation(storage);
    const join = (id: string) => storage.join({ id, roles: [], version: '1.2.3', host: 'here' }, true);
    await join('late 1');
    const came = NOW + days(1);
    const later = came + minutes(10);
    const entity = { entityKind: 'person', entityExternalId: 'ada' };
    const events = [{}, {}, {}, entity].map(of => anEvent({ id: idAt('evt', came), ...of }));
    await storage.append([aRequest(orgId, events, { receivedAt: came })]);
    const keeper = createCountKeeper(storage, { now: () => later }, () => 'late 1');
    keeper.received(aRequest(orgId, events), events.length, []);
    await keeper.flush();
    const settle = async (limit: number, outcome: 'routed' | 'failed') => {
      for (const claimed of (await storage.claimEvents(aClaimInput({ now: later, limit }))).events) {
        const run = aRun({ id: idAt('run', later), outcome, destinations: [], output: '{}' });
        const settlement = aSettlement(claimed, { runs: [run] });
        const [result] = await storage.settleEvents([settlement], later);
        if (result?.kind !== 'settled') throw new Error('It was not settled.');
        keeper.settled(settlement, result, [], later);
      }
    };
    await settle(2, 'failed');
    await settle(1, 'routed');
    const job = aJob(orgId, { createdAt: later });
    await storage.createJob(job);
    const again = events.slice(0, 1).map(({ id }) => ({ eventId: id, plan: null }));
    await storage.advanceJob(unclaimed(job), {}, later, { replays: again });
    await storage.eraseEventsOfEntity(
      orgId,
      { kind: 'person', externalId: 'ada' },
      { after: null, limit: 10, at: later },
    );
    await settle(1, 'routed');
    // What it had counted and not written goes with it, and what has come in since is much newer.
    await storage.append([aRequest(orgId, [anEvent({ id: idAt('evt', later) })], { receivedAt: later })]);
    await join('late 2');
    const names = ['received', 'processed', 'failed', 'dropped'];
    const counted = await storage.readCounters(orgId, [WHOLE_ORGANISATION], names, window);
    expect(Object.fromEntries(counted.map(({ name, amount }) => [name, amount]))).toEqual({
      ...{ received: 5, processed: 2, failed: 1, dropped: 1 },
    });
  });

  test('an event counts once in each pipeline, by its latest run, in the minute it came in, however often and late it runs', async () => {
    const orgId = await storedOrganisation(storage);
    await storage.join({ id: 'again', roles: [], version: '1.2.3', host: 'here' }, true);
    const came = NOW + days(2);
    let now = came + seconds(1);
    const events = Array.from({ length: 6 }, () => anEvent({ id: idAt('evt', came) }));
    await storage.append([aRequest(orgId, events, { receivedAt: came })]);
    const keeper = createCountKeeper(storage, { now: () => now }, () => 'again');
    type End = Pick<SettledRun, 'outcome' | 'step' | 'version'>;
    const durations = packDurations([1, 1, 1]);
    /** All that waits, in one go: `ends` says by its place among the events what becomes of each. */
    async function settle(ends: (n: number) => readonly (End & { readonly pipelineId: string })[]) {
      const { events: claimed } = await storage.claimEvents(aClaimInput({ now }));
      const settlements = claimed.map(one =>
        aSettlement(one, {
          runs: ends(events.findIndex(({ id }) => id === one.event.id)).map(end =>
            aRun({
              ...end,
              id: idAt('run', now),
              output: '{}',
              durations: durations.slice(0, (end.step ?? 1) + 2),
            }),
          ),
        }),
      );
      const results = await storage.settleEvents(settlements, now);
      for (const [n, settlement] of settlements.entries()) {
        const result = results[n];
        if (result?.kind !== 'settled') throw new Error('It was not settled.');
        keeper.settled(settlement, result, ['src_one'], now);
      }
      return results;
    }
    async function replay(ids: readonly string[]) {
      const job = aJob(orgId, { createdAt: now });
      await storage.createJob(job);
      const replays = ids.map(eventId => ({ eventId, plan: null }));
      await storage.advanceJob(unclaimed(job), {}, now, { replays });
    }
    const failed = { pipelineId: 'pipe_one', outcome: 'failed', step: 0, version: 1 } as const;
    const dropped = { ...failed, outcome: 'dropped', step: 1 } as const;
    const routed = { ...failed, outcome: 'routed', step: null } as const;

    // Two fail, one is dropped, three go through; the last goes through another pipeline as well.
    await settle(n => [
      n < 2 ? failed : n === 2 ? dropped : routed,
      ...(n === 5 ? [{ ...dropped, pipelineId: 'pipe_two' }] : []),
    ]);
    const failures = (most: number) => storage.countFailedInEach(orgId, { receivedAfter: came - 1 }, most);
    const ofOne = { pipelineId: 'pipe_one', version: 1, step: 0 };
    expect(await failures(2)).toEqual({ counts: [{ ...ofOne, count: 2 }], more: false });
    expect((await failures(1)).more).toBe(true);
    // Days later one of those that failed goes through, the other fails again, and all others as they did.
    now = came + days(4);
    await replay(events.map(({ id }) => id));
    await settle(n => [n === 0 ? routed : n === 1 ? failed : n === 2 ? dropped : routed]);
    // The same event twice at once, through the next version.
    now += minutes(1);
    await replay([events[2]?.id ?? '']);
    await replay([events[2]?.id ?? '']);
    await settle(() => [{ ...routed, version: 2 }]);
    await keeper.flush(true);
    expect(await failures(10)).toEqual({ counts: [{ ...ofOne, count: 1 }], more: false });

    const minute = { from: came - (came % minutes(1)), stepMs: minutes(1), points: 1 };
    const inHours = { from: came - (came % hour), stepMs: hour, points: 1 };
    const steps = [stepOf('pipe_one', 1, 0), stepOf('pipe_one', 1, 1), stepOf('pipe_one', 2, 0)];
    const of = ['pipe_one', 'pipe_two', arrow('src_one', 'pipe_one'), ...steps];
    const names = ['routed', 'dropped', 'failed', 'runs', 'step_dropped', 'latency_0'];
    for (const time of [minute, inHours]) {
      const sums = await storage.readCounters(orgId, of, names, time);
      const counted = sums
        .filter(({ amount }) => amount !== 0)
        .map(sum => `${sum.subject} ${sum.name} ${sum.amount}`);
      expect(
        counted
          .filter(one => !one.startsWith('pipe_one latency') && !one.startsWith('pipe_two lat'))
          .toSorted(),
      ).toEqual([
        'pipe_one failed 1',
        'pipe_one routed 5',
        'pipe_one@1#0 latency_0 6',
        // The two that failed at the step before never came to it, but for the one that did so later.
        'pipe_one@1#1 latency_0 5',
        'pipe_one@2#0 latency_0 1',
        'pipe_two dropped 1',
        'src_one>pipe_one runs 6',
      ]);
    }
    // Nothing of it stands where it happened.
    const since = { from: minute.from + hour, stepMs: days(30), points: 1 };
    expect(await storage.readCounters(orgId, of, names, since)).toEqual([]);
  });

  test('where more failed than one look counts, each pipeline is counted by itself', async () => {
    const orgId = await storedOrganisation(storage);
    await storage.join({ id: 'many', roles: [], version: '1.2.3', host: 'here' }, true);
    const came = NOW + days(2);
    // The last of them is the newest.
    const ends = [
      { pipelineId: 'pipe_few', step: 1 },
      { pipelineId: 'pipe_gone', step: 0 },
      { pipelineId: 'pipe_many', step: 1 },
      ...Array.from({ length: 3 }, () => ({ pipelineId: 'pipe_many', step: 0 })),
    ];
    const events = ends.map((_, n) => anEvent({ id: idAt('evt', came + n) }));
    await storage.append([aRequest(orgId, events, { receivedAt: came })]);
    const now = came + seconds(1);
    const keeper = createCountKeeper(storage, { now: () => now }, () => 'many');
    for (const claimed of (await storage.claimEvents(aClaimInput({ now }))).events) {
      const end = ends[events.findIndex(({ id }) => id === claimed.event.id)];
      if (end === undefined) continue;
      const runs = [aRun({ ...end, id: idAt('run', now), outcome: 'failed' })];
      const settlement = aSettlement(claimed, { runs });
      const [result] = await storage.settleEvents([settlement], now);
      if (result?.kind === 'settled') keeper.settled(settlement, result, [], now);
    }
    await keeper.flush(true);
    await storage.discardFailedEvent(orgId, events[1]?.id ?? '');

    const minute = { from: came - (came % minutes(1)), stepMs: minutes(1), points: 1 };
    const stores = { deliveryQueue: storage, counters: storage, clock: { now: () => now } };
    const pipelines = ['pipe_many', 'pipe_few', 'pipe_gone', 'pipe_none'].map(id => ({ id }));
    const failed = async (most: number) => {
      const of = await failedInEach(stores, orgId, minute, pipelines, most);
      return pipelines.map(({ id }) => of(id)).map(({ count, more }) => `${count}${more ? '+' : ''}`);
    };
    expect(await failed(10)).toEqual(['4', '1', '0', '0']);
    expect(await failed(4)).toEqual(['4', '1', '0', '0']);
    // What failed in one pipeline hides nothing of another, and what was discarded is not counted.
    expect(await failed(2)).toEqual(['2+', '1', '0', '0']);
    // Looking takes no longer than a while: what was not reached may have more.
    let time = now;
    const slow = {
      now: () => {
        time += 200;
        return time;
      },
    };
    const inTime = await failedInEach({ ...stores, clock: slow }, orgId, minute, pipelines, 2);
    expect(pipelines.map(({ id }) => inTime(id))).toEqual([
      { count: 2, more: true },
      { count: 1, more: false },
      { count: 0, more: true },
      { count: 0, more: false },
    ]);
  });

  test('what has not arrived is counted no further than asked', async () => {
    const orgId = await storedOrganisation(storage);
    const destination = aDestination(orgId);
    await storage.createDestination(destination);
    await storage.append([aRequest(orgId, [anEvent(), anEvent(), anEvent()])]);
    for (const claimed of (await storage.claimEvents(aClaimInput())).events) {
      const run = aRun({ id: idAt('run', NOW), destinations: [destination.id], output: '{}' });
      await storage.settleEvents([aSettlement(claimed, { runs: [run] })], NOW);
    }
    expect(await storage.countPresent(orgId, ever, 3)).toMatchObject({ waiting: { count: 3, more: false } });
    expect(await storage.countPresent(orgId, ever, 2)).toMatchObject({ waiting: { count: 2, more: true } });
    expect((await storage.countPresent(orgId, { from: 0, to: 1 }, 2)).waiting.count).toBe(0);

    const [one] = await storage.countPresentOfEach(orgId, ever, 2);
    expect(one).toMatchObject({ waiting: { count: 2, more: true }, open: { count: 2, more: true } });
    // What was made before is open all the same.
    const later = { from: NOW + days(3_650), to: NOW + days(3_651) };
    expect((await storage.countPresentOfEach(orgId, later, 9))[0]).toMatchObject({
      waiting: { count: 0, more: false },
      open: { count: 3, more: false },
    });
  });
}
