import { beforeAll, expect, test } from 'bun:test';
import { hours, minutes } from '../../../src/core/clock.ts';
import {
  arrow,
  type Count,
  type CounterWindow,
  EVENT_TYPES,
  stepOf,
} from '../../../src/core/stores/counters.ts';
import { createCountKeeper } from '../../../src/telemetry/counters.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { aClaimInput, accepted, aJob, aRun, aSettlement } from './pipeline-samples.ts';
import {
  anEvent,
  anOrganisation,
  aRequest,
  idAt,
  NOW,
  removeDeleted,
  storedOrganisation,
} from './samples.ts';
import type { Subject } from './suite.ts';

const window = (minuteCount: number, stepMinutes = 1) => ({
  from: NOW,
  stepMs: minutes(stepMinutes),
  points: minuteCount / stepMinutes,
});

const NODE = 'node that counts';

export function countersContract(subject: Subject): void {
  beforeAll(async () => {
    await subject.storage.join({ id: NODE, roles: [], version: '1.2.3', host: 'here' }, false);
  });

  const count = (orgId: string, given: Partial<Count> = {}): Count => ({
    orgId,
    subject: '',
    name: 'received',
    at: NOW,
    amount: 1,
    ...given,
  });
  const read = (
    orgId: string,
    over = window(60),
    { subjects = [''], names = ['received'] }: { subjects?: string[]; names?: string[] } = {},
    storage: EveryStore = subject.storage,
  ) => storage.readCounters(orgId, subjects, names, over);

  test('counts add up, also of nodes that record the same minute at once', async () => {
    const org = await storedOrganisation(subject.storage);
    await subject.atOnce(8, storage =>
      storage.addCounts(
        [
          count(org, { at: NOW + 59_999, amount: 2 }),
          count(org, { at: NOW, amount: 1 }),
          count(org, { subject: 'dst_x', name: 'dead' }),
        ],
        NODE,
      ),
    );
    expect(await read(org)).toEqual([{ subject: '', name: 'received', point: 0, amount: 24 }]);
    expect(await read(org, window(60), { subjects: ['dst_x'], names: ['dead', 'failed'] })).toEqual([
      { subject: 'dst_x', name: 'dead', point: 0, amount: 8 },
    ]);
    await subject.storage.addCounts([], NODE);
  });

  test('of a long stretch add up to the minute, wherever it begins and ends', async () => {
    const org = await storedOrganisation(subject.storage);
    const moments = Array.from({ length: 240 }, (_, n) => ({ at: NOW + minutes(7 * n), amount: n + 1 }));
    await subject.storage.addCounts(
      moments.map(one => count(org, one)),
      NODE,
    );
    for (const [begin, length] of [
      [0, 360],
      [59, 361],
      [60, 720],
      [61, 839],
      [130, 1_439],
    ] as const) {
      const over = { from: NOW + minutes(begin), stepMs: minutes(length), points: 1 };
      const within = moments.filter(({ at }) => at >= over.from && at < over.from + over.stepMs);
      const amount = within.reduce((sum, one) => sum + one.amount, 0);
      expect(await read(org, over)).toEqual([{ subject: '', name: 'received', point: 0, amount }]);
    }
  });

  test('are read by the stretches of a window, and nothing before or after it', async () => {
    const org = await storedOrganisation(subject.storage);
    const at = [-1, 0, 4, 5, 9, 10].map(minute => NOW + minutes(minute));
    await subject.storage.addCounts(
      at.map((at, n) => count(org, { at, amount: 10 ** n })),
      NODE,
    );
    const points = (await read(org, window(10, 5))).toSorted((a, b) => a.point - b.point);
    expect(points.map(({ point, amount }) => [point, amount])).toEqual([
      [0, 110],
      [1, 11_000],
    ]);
    expect(await read(org, window(10), { subjects: [] })).toEqual([]);
    expect(await read(org, window(10), { names: [] })).toEqual([]);
  });

  test('are the same by the hour as by the minute', async () => {
    const org = await storedOrganisation(subject.storage);
    const at = [0, 59, 60, 61, 130].map(minute => NOW + minutes(minute));
    await subject.storage.addCounts(
      at.map(at => count(org, { at })),
      NODE,
    );
    const byHour = await read(org, { from: NOW, stepMs: hours(1), points: 3 });
    expect(byHour.toSorted((a, b) => a.point - b.point).map(({ amount }) => amount)).toEqual([2, 2, 1]);
    const byMinute = await read(org, { from: NOW, stepMs: minutes(1), points: 180 });
    expect(byMinute).toHaveLength(5);
  });

  test('that could not be written for a while are added, unless they are so old that they may have been counted again', async () => {
    const org = await storedOrganisation(subject.storage);
    const at = Date.now();
    const old = at - minutes(3);
    await subject.storage.addCounts(
      [count(org, { at, amount: 3 }), count(org, { at: old, amount: 5 })],
      null,
    );
    const all = { from: old - (old % hours(1)), stepMs: hours(2), points: 1 };
    expect(await read(org, all)).toMatchObject([{ amount: 3 }]);
  });

  test('that were written although storage failed are right again once their minute is counted again', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    await storage.join({ id: NODE, roles: [], version: '1.2.3', host: 'here' }, false);
    const org = await storedOrganisation(storage);
    const at = Date.now();
    const request = aRequest(org, [anEvent({ id: idAt('evt', at) })], { receivedAt: at });
    await storage.append([request]);
    let failures = 0;
    const inDoubt: Pick<EveryStore, 'addCounts' | 'listCountedTypes'> = {
      listCountedTypes: (...asked) => storage.listCountedTypes(...asked),
      async addCounts(...given) {
        await storage.addCounts(...given);
        if (failures++ < 2) throw new Error('Nobody knows what became of it.');
      },
    };
    const keeper = createCountKeeper(
      inDoubt,
      { now: () => at },
      () => NODE,
      () => at,
    );
    keeper.received(request, 1, [{ id: 'evt', duplicate: false }]);
    for (let n = 0; n < 2; n++) expect(await keeper.flush().catch(String)).toContain('Nobody knows');
    await keeper.flush();
    const all = { from: at - (at % hours(1)), stepMs: hours(2), points: 1 };
    const both = { subjects: ['', EVENT_TYPES], names: ['received', anEvent().type] };
    const amounts = async () => (await read(org, all, both, storage)).map(({ amount }) => amount);
    expect(await amounts()).toEqual([3, 3]);
    while (await storage.recountAfter(0));
    expect(await amounts()).toEqual([1, 1]);
    await remove();
  });

  test('belong to one organisation, and go with it', async () => {
    const [ours, theirs] = [anOrganisation(), await storedOrganisation(subject.storage)];
    await subject.storage.createOrganisation(ours, idAt('usr', NOW));
    await subject.storage.addCounts([count(ours.id, { amount: 3 }), count(theirs, { amount: 4 })], NODE);
    expect(await read(theirs)).toMatchObject([{ amount: 4 }]);
    await subject.storage.deleteOrganisation(ours.id, NOW);
    await removeDeleted(subject.storage);
    await subject.storage.addCounts([count(ours.id), count(theirs)], NODE);
    expect(await read(ours.id)).toEqual([]);
    expect(await read(theirs)).toMatchObject([{ amount: 5 }]);
  });

  test('of types are listed by name, each once, and no further than asked', async () => {
    const [ours, theirs] = [
      await storedOrganisation(subject.storage),
      await storedOrganisation(subject.storage),
    ];
    const ofTypes = ['b', 'a', 'ä', 'c'].flatMap(name =>
      [0, 1, 70].map(minute => count(ours, { subject: EVENT_TYPES, name, at: NOW + minutes(minute) })),
    );
    await subject.storage.addCounts(
      [...ofTypes, count(theirs, { subject: EVENT_TYPES, name: 'z' }), count(ours)],
      NODE,
    );
    expect(await subject.storage.listCountedTypes(ours, 10)).toEqual(['a', 'b', 'c', 'ä']);
    expect(await subject.storage.listCountedTypes(ours, 2)).toEqual(['a', 'b']);
    expect(await subject.storage.listCountedTypes(theirs, 10)).toEqual(['z']);
    expect(await subject.storage.listCountedTypes(idAt('org', NOW), 10)).toEqual([]);
  });

  test('are removed in slices, the oldest first', async () => {
    const org = await storedOrganisation(subject.storage);
    const at = [0, 1, 2].map(minute => NOW + minutes(minute));
    await subject.storage.addCounts(
      at.map(at => count(org, { at })),
      NODE,
    );
    // Three minutes, and the hour that they are in.
    expect(await subject.storage.pruneCounters(org, NOW, 10)).toBe(0);
    expect(await subject.storage.pruneCounters(org, NOW + minutes(2), 2)).toBe(2);
    expect(await subject.storage.pruneCounters(org, NOW + minutes(2), 2)).toBe(1);
    expect(await read(org)).toEqual([{ subject: '', name: 'received', point: 2, amount: 1 }]);
  });

  test('of steps lose their old minutes, in slices, and keep their hours; all else keeps both', async () => {
    const org = await storedOrganisation(subject.storage);
    const pipeline = idAt('pipe', NOW);
    const steps = Array.from({ length: 25 }, (_, place) => stepOf(pipeline, 1, place));
    const others = ['', pipeline, arrow(pipeline, 'dst_x'), EVENT_TYPES];
    const names = ['latency_0', 'step_dropped', 'cache_hit'];
    await subject.storage.addCounts(
      [...steps, ...others].flatMap(subject =>
        names.flatMap(name => [0, 1, 2].map(n => count(org, { subject, name, at: NOW + minutes(n) }))),
      ),
      NODE,
    );
    let [after, slices]: [string | null, number] = ['', 0];
    for (; after !== null; slices++)
      after = await subject.storage.pruneStepMinutes(org, NOW + minutes(2), { after, limit: 50 });
    // Of 20 steps at a time: 120 rows in slices of 50, then 30.
    expect(slices).toBe(4);
    const sums = async (subjects: string[], over: CounterWindow) =>
      (await read(org, over, { subjects, names })).reduce((sum, { amount }) => sum + amount, 0);
    expect(await sums(steps, window(60))).toBe(75);
    expect(await sums(steps, { from: NOW, stepMs: hours(1), points: 1 })).toBe(225);
    expect(await sums(others, window(60))).toBe(36);
    expect(await subject.storage.pruneStepMinutes(idAt('org', NOW), NOW, { after: '', limit: 9 })).toBeNull();
  });

  test('what is to be tried again is counted at the pipelines that will, and no more where it came in', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const org = await storedOrganisation(storage);
    const trace = 'x'.repeat(1_000);
    const stopped = { pipelineName: 'One', version: 1, step: 0, trace, tries: [] };
    const run = (pipelineId: string) => ({ pipelineId, version: 1, retries: 1, dueAt: NOW + 5, stopped });
    await accepted(storage, org, 4);
    const [one, two, three] = (await storage.claimEvents(aClaimInput())).events;
    const park = async (event: typeof one, ...pipelines: string[]) =>
      event && (await storage.settleEvents([aSettlement(event, { parked: pipelines.map(run) })], NOW));
    await park(one, 'pipe_one');
    await park(two, 'pipe_one', 'pipe_two');
    await park(three, 'pipe_one');
    const count = async (most = 100, bytes = 100_000) => {
      const { counts, more } = await storage.countRetryingAt(org, { most, bytes });
      return [
        ...[...counts].map(([id, count]) => `${id} ${count}`).toSorted(),
        ...(more ? ['and more'] : []),
      ];
    };
    expect(await count()).toEqual(['pipe_one 3', 'pipe_two 1']);
    // The newest of them, and of those as many as are small enough together.
    expect(await count(1)).toEqual(['pipe_one 1', 'and more']);
    expect(await count(2)).toEqual(['pipe_one 2', 'pipe_two 1', 'and more']);
    expect(await count(3)).toEqual(['pipe_one 3', 'pipe_two 1']);
    expect(await count(100, 2_000)).toEqual(['pipe_one 1', 'and more']);
    // Where there was room for none, none is known to have no more.
    expect(await count(100, 100)).toEqual(['and more']);
    const waiting = async () => [...(await storage.countWaitingAt(org, 100)).types.values()];
    expect(await waiting()).toEqual([{ count: 1, more: false }]);
    // While one is tried again, too.
    expect((await storage.claimEvents(aClaimInput({ now: NOW + 5, limit: 1 }))).events).toHaveLength(1);
    expect(await count()).toEqual(['pipe_one 3', 'pipe_two 1']);
    expect(await waiting()).toEqual([{ count: 1, more: false }]);
    const nobody = await storage.countRetryingAt(idAt('org', NOW), { most: 9, bytes: 9 });
    expect(nobody).toEqual({ counts: new Map(), more: false });
    await remove();
  });

  test('what waits is counted by what it waits for, and no further than asked', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const org = await storedOrganisation(storage);
    const [open, paused] = [aDestination(org), aDestination(org, { paused: true })];
    for (const destination of [open, paused]) await storage.createDestination(destination);
    await routedTo(storage, org, [open.id, paused.id], { count: 3 });
    const claimed = await storage.claimDeliveries(
      [{ orgId: org, destinationId: open.id, limit: 2, bytes: 1_000_000 }],
      { token: 't', now: NOW },
    );
    const ends = [
      { state: 'retrying', dueAt: NOW + 5 } as const,
      { state: 'dead', code: 'timeout' } as const,
    ];
    await storage.recordAttempts(
      claimed.map(({ id }, n) => ({
        orgId: org,
        deliveryId: id,
        token: 't',
        attempt: {
          n: 1,
          at: NOW,
          durationMs: 1,
          status: n === 0 ? 503 : null,
          code: 'timeout',
          message: 'It took too long.',
          request: '{}',
          response: n === 0 ? ' Later, please. ' : '',
        },
        next: ends[n] ?? { state: 'delivered' },
      })),
    );
    await accepted(storage, org, 1);
    const [failing] = (await storage.claimEvents(aClaimInput())).events;
    if (failing)
      await storage.settleEvents([aSettlement(failing, { runs: [aRun({ outcome: 'failed' })] })], NOW);
    await accepted(storage, org, 4);

    const exactly = (count: number) => ({ count, more: false });
    expect(await storage.countBacklog(org, 100)).toEqual({
      accepted: exactly(4),
      pending: exactly(1),
      retrying: exactly(1),
      held: exactly(3),
      deadDeliveries: exactly(1),
      failedEvents: exactly(1),
    });
    expect(await storage.countBacklog(org, 2)).toMatchObject({
      accepted: { count: 2, more: true },
      pending: { count: 1, more: false },
      held: { count: 2, more: true },
    });
    const job = aJob(org);
    await storage.createJob(job);
    await storage.createJob(aJob(org, { state: 'done', finishedAt: NOW }));
    const idle = aDestination(org, { kind: 'listener' });
    await storage.createDestination(idle);
    // What is paused or held is not down, whatever its circuit.
    for (const { id } of [open, paused, idle])
      await storage.openBreaker(org, id, { openedAt: NOW, nextProbeAt: NOW, failure: 'It is down.' });
    expect(await storage.countBadges(org, 100)).toEqual({
      deadLetters: exactly(2),
      destinationsDown: 1,
      runningJobs: 1,
    });
    expect((await storage.countBadges(org, 1)).deadLetters).toEqual({ count: 1, more: true });
    expect(await storage.countBadges(idAt('org', NOW), 100)).toEqual({
      deadLetters: exactly(0),
      destinationsDown: 0,
      runningJobs: 0,
    });
    expect(await storage.countWaiting(100)).toEqual({
      events: 4,
      deliveries: { pending: 4, delivering: 0, retrying: 1 },
      deadDeliveries: 1,
      failedEvents: 1,
    });
    expect(await storage.countWaiting(2)).toMatchObject({ events: 2, deliveries: { pending: 2 } });
    const at = await storage.countWaitingAt(org, 100);
    expect([...at.destinations].toSorted()).toEqual(
      [
        [open.id, exactly(2)],
        [paused.id, exactly(3)],
      ].toSorted() as [],
    );
    // They were sent with a key: by their types.
    expect([...at.sources]).toEqual([]);
    expect([...at.types.values()]).toEqual([exactly(4)]);
    expect((await storage.countWaitingAt(org, 2)).types.values().toArray()).toEqual([
      { count: 2, more: true },
    ]);
    expect((await storage.countWaitingAt(org, 2)).destinations.get(paused.id)).toEqual({
      count: 2,
      more: true,
    });
    const made = { from: 0, to: NOW + hours(100_000) };
    const { groups, more } = await storage.listErrorGroups(org, made, 100);
    expect(
      groups
        .map(({ state, destination, code, status, count }) => [state, destination.id, code, status, count])
        .toSorted(),
    ).toEqual([
      ['dead', open.id, 'timeout', null, 1],
      ['retrying', open.id, 'timeout', 503, 1],
    ]);
    for (const [status, code, found] of [
      [503, 'timeout', 1],
      [503, undefined, 1],
      [null, 'timeout', 0],
      [null, undefined, 0],
      [500, 'timeout', 0],
    ] as const) {
      const filter = { state: 'retrying', destination: open.id, status, code } as const;
      expect(await storage.listDeliveries(org, filter, { limit: 9, below: null })).toHaveLength(found);
      expect(await storage.countDeliveries(org, filter)).toBe(found);
    }
    // What is dead or retrying with it, and nothing that was delivered.
    const withStatus = { destination: open.id, status: 503 };
    for (const filter of [withStatus, { status: 503 }, { status: 503, code: 'timeout' }])
      expect(await storage.countDeliveries(org, filter)).toBe(1);
    // The dead one got no response; what was never sent got none either, and is not meant.
    expect(await storage.countDeliveries(org, { status: null })).toBe(1);
    expect(await storage.countDeliveries(org, { status: 503, state: 'delivered' })).toBe(0);
    for (const [state, found] of [
      ['open', 1],
      ['retrying', 1],
      ['waiting', 0],
      ['dead', 1],
      ['cancelled', 0],
    ] as const) {
      const filter = { state, code: 'timeout' };
      expect(await storage.listDeliveries(org, filter, { limit: 9, below: null })).toHaveLength(found);
      expect(await storage.countDeliveries(org, filter)).toBe(found);
    }
    const latest = groups.map(group => group.latest).toSorted();
    expect(latest).toEqual(claimed.map(({ id }) => id).toSorted());
    expect((await storage.findLastMessages(org, latest)).values().toArray().toSorted()).toEqual([
      'It took too long.',
      'Later, please.',
    ]);
    expect((await storage.findLastMessages(idAt('org', NOW), latest)).size).toBe(0);
    expect(more).toEqual({ dead: false, retrying: false });
    expect((await storage.listErrorGroups(org, { from: 0, to: 1 }, 100)).groups).toEqual([]);
    expect(await storage.findLastEnds(org, [open.id, paused.id])).toEqual([
      { destinationId: open.id, deliveredAt: null, failedAt: NOW + 1 },
      { destinationId: paused.id, deliveredAt: null, failedAt: null },
    ]);
    const again = await storage.claimDeliveries(
      [{ orgId: org, destinationId: open.id, limit: 1, bytes: 1_000_000 }],
      { token: 'u', now: NOW },
    );
    const attempt = { n: 1, at: NOW + 10, durationMs: 5, status: 200, code: null, message: null };
    await storage.recordAttempts(
      again.map(({ id }) => ({
        orgId: org,
        deliveryId: id,
        token: 'u',
        attempt: { ...attempt, request: '{}', response: '' },
        next: { state: 'delivered' },
      })),
    );
    expect(await storage.findLastEnds(org, [open.id])).toEqual([
      { destinationId: open.id, deliveredAt: NOW + 15, failedAt: NOW + 1 },
    ]);
    const nobody = await storage.countBacklog(idAt('org', NOW), 100);
    expect(Object.values(nobody)).toEqual(Array.from({ length: 6 }, () => exactly(0)));
    await remove();
  });
}
