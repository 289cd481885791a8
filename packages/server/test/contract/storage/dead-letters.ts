import { expect, test } from 'bun:test';
import { idTime, newId } from '../../../src/core/ids.ts';
import type { FailureFilter } from '../../../src/core/stores/dead-letters.ts';
import { everyStore } from '../../support/every-store.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { aClaimInput, accepted, aJob, aRun, aSettlement, unclaimed } from './pipeline-samples.ts';
import { idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

export function deadLettersContract(subject: Subject): void {
  /** Deliveries to two destinations, of which those named so have died of it. */
  async function sample() {
    const { storage } = subject;
    const orgId = await storedOrganisation(storage);
    const [first, second] = [idAt('dst', NOW), idAt('dst', NOW + 1)];
    for (const id of [first, second]) await storage.createDestination(aDestination(orgId, { id }));
    const die = async (
      destinationId: string,
      code: 'timeout' | 'bad_status',
      at = NOW,
      answered: { status?: number; response?: string; exchange?: string } = {},
    ) => {
      const input = { orgId, destinationId, limit: 1, bytes: 1 << 20 };
      const [claimed] = await storage.claimDeliveries([input], { token: 't', now: at });
      if (!claimed) throw new Error('Nothing was claimed.');
      const facts = { n: 1, at, durationMs: 1, status: null, message: 'No.', response: '', ...answered };
      const attempt = { ...facts, code, request: '{"target":"","headers":{},"body":""}' };
      const next = { state: 'dead' as const, code };
      await storage.recordAttempts([{ orgId, deliveryId: claimed.id, token: 't', attempt, next }]);
      return claimed.id;
    };
    return { storage, orgId, first, second, die };
  }
  const page = { limit: 100, below: null };

  test('deliveries are found by state, code and destination in any combination, each once', async () => {
    const { storage, orgId, first, second, die } = await sample();
    await routedTo(storage, orgId, [first, second], { count: 3 });
    const dead = [await die(first, 'timeout'), await die(first, 'bad_status'), await die(second, 'timeout')];
    await storage.discardDelivery(orgId, dead[0] ?? '', NOW);
    const count = (filter: object) => storage.listDeliveries(orgId, filter, page).then(found => found.length);
    expect(await count({})).toBe(6);
    expect(await count({ state: 'pending' })).toBe(3);
    expect(await count({ state: 'pending', destination: first })).toBe(1);
    expect(await count({ state: 'dead' })).toBe(2);
    expect(await count({ state: 'dead', destination: second, code: 'timeout' })).toBe(1);
    expect(await count({ state: 'dead', pipeline: 'pipe_1' })).toBe(2);
    expect(await count({ state: 'dead', pipeline: 'pipe_2' })).toBe(0);
    expect(await count({ code: 'timeout' })).toBe(2);
    expect(await count({ code: 'timeout', destination: first })).toBe(1);
    expect(await count({ state: 'cancelled' })).toBe(1);
    await storage.deleteDestination(orgId, second, 'me', NOW);
    expect(await count({ state: 'cancelled' })).toBe(3);
    expect(await storage.countDeliveries(orgId, { state: 'cancelled' })).toBe(3);
    expect(await storage.countDeliveries(orgId, { state: 'cancelled' }, 2)).toBe(2);
    const ids = (await storage.listDeliveries(orgId, { state: 'cancelled' }, page)).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  test('what is open is found by the state that it is shown in, page by page, as if all of it were looked through', async () => {
    const { storage, orgId, first, second, die } = await sample();
    const [third, fourth] = [idAt('dst', NOW), idAt('dst', NOW + 1)];
    for (const id of [third, fourth]) await storage.createDestination(aDestination(orgId, { id }));
    const all = [first, second, third, fourth];
    const [unanswered, wasAnswered] = [new Set<string>(), new Set<string>()];
    const retryLater = async (destinationId: string, limit: number, status: number | null) => {
      const input = { orgId, destinationId, limit, bytes: 1 << 20 };
      const taken = await storage.claimDeliveries([input], { token: 't', now: NOW });
      const facts = { n: 1, at: NOW, durationMs: 1, status, message: 'No.', response: '' };
      const attempt = { ...facts, code: 'bad_status', request: '{}' } as const;
      for (const { id } of taken) (status === null ? unanswered : wasAnswered).add(id);
      const next = { state: 'retrying', dueAt: NOW + 5, code: 'bad_status' } as const;
      await storage.recordAttempts(
        taken.map(({ id }) => ({ orgId, deliveryId: id, token: 't', attempt, next })),
      );
    };
    for (let n = 0; n < 3; n++) {
      await routedTo(storage, orgId, all, { count: 2 });
      for (const id of all) await retryLater(id, 1, n === 0 ? null : 500);
    }
    unanswered.add(await die(first, 'timeout'));
    const inputs = all.map(destinationId => ({ orgId, destinationId, limit: 1, bytes: 1 << 20 }));
    await storage.claimDeliveries(inputs, { token: 'on their way', now: NOW });
    await storage.updateDestination(orgId, third, { paused: true }, NOW);
    await storage.deleteDestination(orgId, fourth, 'me', NOW);

    const shown = await storage.listDeliveries(orgId, {}, page);
    expect(Map.groupBy(shown, ({ state }) => state).size).toBe(6);
    for (const state of [
      undefined,
      'pending',
      'retrying',
      'held',
      'delivering',
      'cancelled',
      'dead',
    ] as const) {
      for (const destination of [undefined, ...all]) {
        const filter = { state, destination, pipeline: 'pipe_1' };
        const expected = shown
          .filter(one => !state || one.state === state)
          .filter(one => !destination || one.destination.id === destination)
          .map(({ id }) => id);
        const found: string[] = [];
        for (let below: string | null = null, isOver = false; !isOver; ) {
          const some = await storage.listDeliveries(orgId, filter, { limit: 2, below });
          found.push(...some.map(({ id }) => id));
          below = some.at(-1)?.id ?? null;
          isOver = some.length === 0;
        }
        expect(found).toEqual(expected);
        expect(await storage.countDeliveries(orgId, filter)).toBe(expected.length);
        expect(await storage.countDeliveries(orgId, filter, 1)).toBe(Math.min(expected.length, 1));
      }
      const withoutResponse = shown.filter(one => (!state || one.state === state) && unanswered.has(one.id));
      expect(await storage.listDeliveries(orgId, { state, status: null }, page)).toEqual(withoutResponse);
      expect(await storage.countDeliveries(orgId, { state, status: null })).toBe(withoutResponse.length);
      const answered = await storage.listDeliveries(orgId, { state, status: 500 }, page);
      expect(answered.map(({ id, status }) => [id, status])).toEqual(
        shown
          .filter(one => (!state || one.state === state) && wasAnswered.has(one.id))
          .map(({ id }) => [id, 500]),
      );
      expect(await storage.listDeliveries(orgId, { state, pipeline: 'pipe_2' }, page)).toEqual([]);
      expect(await storage.listDeliveries(idAt('org', NOW), { state }, page)).toEqual([]);
    }
    const retrying = await storage.listDeliveries(orgId, { state: 'retrying', code: 'bad_status' }, page);
    expect(retrying.map(({ id }) => id)).toEqual(
      shown.filter(({ state }) => state === 'retrying').map(({ id }) => id),
    );
  });

  test('the dead are counted by destination and code, no further than asked', async () => {
    const { storage, orgId, first, second, die } = await sample();
    await routedTo(storage, orgId, [first, second], { count: 3 });
    for (const code of ['timeout', 'timeout', 'bad_status'] as const) await die(first, code);
    await die(second, 'timeout');
    const groups = await storage.listDeadGroups(orgId, {}, 100);
    expect(groups.map(({ destination, code, count }) => [destination.id, code, count])).toEqual(
      expect.arrayContaining([
        [first, 'timeout', 2],
        [first, 'bad_status', 1],
        [second, 'timeout', 1],
      ]),
    );
    expect(groups[0]).toMatchObject({ count: 2, destination: { name: 'Somewhere', kind: 'inbox' } });
    expect(await storage.listDeadGroups(orgId, { code: 'bad_status' }, 100)).toHaveLength(1);
    const [{ pipeline } = { pipeline: { id: '' } }] = await storage.listDeliveries(orgId, {}, page);
    const routes = await storage.countDeadByRoute(orgId, {}, 100);
    expect(routes.more).toBe(false);
    expect(routes.counts.toSorted((a, b) => b.count - a.count)).toEqual([
      { pipelineId: pipeline.id, destinationId: first, count: 3 },
      { pipelineId: pipeline.id, destinationId: second, count: 1 },
    ]);
    const cut = await storage.countDeadByRoute(orgId, {}, 2);
    expect(cut.more).toBe(true);
    expect(cut.counts.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    const capped = await storage.listDeadGroups(orgId, {}, 2);
    expect(capped.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    expect(await storage.countDeliveries(orgId, { state: 'dead' })).toBe(4);
    expect(await storage.countDeliveries(orgId, { state: 'dead' }, 3)).toBe(3);
  });

  test('the dead are told apart by status too, each group with what came back last, and found by it', async () => {
    const { storage, orgId, first, die } = await sample();
    await routedTo(storage, orgId, [first], { count: 5 });
    const full = await die(first, 'bad_status', NOW, { status: 507, response: '  The shelf is full. ' });
    const ids = [
      await die(first, 'bad_status', NOW, { status: 500, response: 'Earlier.' }),
      await die(first, 'bad_status', NOW, { status: 500, response: `Later.${'x'.repeat(1_000)}` }),
      await die(first, 'timeout'),
    ];
    const groups = await storage.listDeadGroups(orgId, {}, 100);
    expect(groups.map(({ code, status, count }) => [code, status, count])).toEqual([
      ['bad_status', 500, 2],
      ['timeout', null, 1],
      ['bad_status', 507, 1],
    ]);
    const [often, slow, once] = groups.map(({ message }) => message);
    expect(often).toStartWith('Later.');
    expect(often?.length).toBe(300);
    expect([slow, once]).toEqual(['No.', 'The shelf is full.']);
    const found = async (filter: object) =>
      (await storage.listDeliveries(orgId, { state: 'dead', ...filter }, page)).map(({ id }) => id).sort();
    for (const { code, status, count } of groups) {
      const filter = { code: code ?? '', status };
      expect(await found(filter)).toHaveLength(count);
      expect(await storage.countDeliveries(orgId, { state: 'dead', ...filter })).toBe(count);
    }
    expect(await found({ status: null })).toEqual([ids[2] ?? '']);
    expect(await found({ ids: [full, ids[0] ?? ''] })).toEqual([full, ids[0] ?? ''].sort());
    expect(await found({ endedBy: NOW })).toEqual([]);
    expect(await found({ endedBy: NOW + 1 })).toHaveLength(4);
    expect((await storage.findDelivery(orgId, full))?.status).toBe(507);
    await storage.retryDelivery(orgId, full, NOW);
    expect((await storage.findDelivery(orgId, full))?.status).toBeNull();
    // What was discarded keeps the status that it is found by.
    await storage.discardDelivery(orgId, ids[0] ?? '', NOW);
    const cancelled = await storage.listDeliveries(orgId, { state: 'cancelled', status: 500 }, page);
    expect(cancelled.map(({ id, status }) => [id, status])).toEqual([[ids[0] ?? '', 500]]);
  });

  test('an attempt that failed keeps its exchange, and one that had none has none', async () => {
    const { storage, orgId, first, die } = await sample();
    await routedTo(storage, orgId, [first], { count: 2 });
    const exchange = '{"headers":{"x-request-id":"7"},"phases":{"dns_ms":2}}';
    const [kept, none] = [await die(first, 'timeout', NOW, { exchange }), await die(first, 'timeout')];
    expect(await storage.listAttempts(orgId, kept)).toMatchObject([{ exchange }]);
    expect((await storage.listAttempts(orgId, none))[0]).not.toHaveProperty('exchange');
  });

  test('a job discards with its progress what is dead still, and who has lost it discards nothing', async () => {
    const { storage, orgId, first, die } = await sample();
    await routedTo(storage, orgId, [first], { count: 3 });
    const ids = [await die(first, 'timeout'), await die(first, 'timeout'), await die(first, 'timeout')];
    await storage.retryDelivery(orgId, ids[1] ?? '', NOW);
    const job = aJob(orgId);
    await storage.createJob(job);
    const discards = { deliveries: ids.slice(0, 2), events: [], at: NOW + 1 };
    const states = async () =>
      Promise.all(ids.map(async id => (await storage.findDelivery(orgId, id))?.state));
    const lost = { ...unclaimed(job), token: 'another' };
    expect(await storage.advanceJob(lost, {}, NOW, { discards })).toBe(false);
    expect(await states()).toEqual(['dead', 'pending', 'dead']);
    expect(await storage.advanceJob(unclaimed(job), {}, NOW, { discards })).toBe(true);
    expect(await states()).toEqual(['cancelled', 'pending', 'dead']);
    expect(await storage.findJob(orgId, job.id)).toMatchObject({ done: 2, failed: 1 });
  });

  test('are found and counted by when they were made, each stretch of a chart apart', async () => {
    const { storage, orgId, first, die } = await sample();
    const made: string[] = [];
    // Ids of deliveries count upwards in this process, so these moments lie ahead of all that it has made.
    const begin = idTime(newId('dlv')) + 10;
    for (const ms of [0, 10, 20]) {
      await routedTo(storage, orgId, [first], { at: begin + ms });
      made.push(await die(first, 'timeout', begin + 1_000));
    }
    const within = { madeAfter: begin + 5, madeBefore: begin + 15 };
    const found = await storage.listDeliveries(orgId, { ...within, state: 'dead' }, page);
    expect(found.map(({ id }) => id)).toEqual([made[1] ?? '']);
    expect(await storage.countDeliveries(orgId, { madeAfter: begin + 5, state: 'dead' })).toBe(2);
    expect(await storage.countDeliveries(orgId, { madeAfter: begin })).toBe(2);
    expect(await storage.listDeadGroups(orgId, within, 100)).toMatchObject([{ count: 1 }]);
    const inStretches = (most: number) =>
      storage.countDead(orgId, { from: begin, stepMs: 10, points: 4 }, most);
    for (const most of [9, 3]) expect(await inStretches(most)).toEqual({ counts: [1, 1, 1, 0], more: false });
    // The latest ones, of all stretches together.
    expect(await inStretches(2)).toEqual({ counts: [0, 1, 1, 0], more: true });
    const inOne = { from: begin, stepMs: 40, points: 1 };
    expect(await storage.countDead(orgId, inOne, 2)).toEqual({ counts: [2], more: true });
    expect(await storage.countDead(orgId, { ...inOne, from: begin + 15 }, 1)).toEqual({
      counts: [1],
      more: false,
    });
    const window = { from: begin, stepMs: 10, points: 4 };
    expect(await storage.countOpenOverTime(orgId, window, 9)).toEqual({ counts: [0, 0, 0, 0], more: false });
    await storage.retryDelivery(orgId, made[1] ?? '', begin + 2_000);
    await storage.retryDelivery(orgId, made[0] ?? '', begin + 2_000);
    expect(await storage.countOpenOverTime(orgId, window, 2)).toEqual({ counts: [1, 1, 0, 0], more: false });
    expect(await storage.countOpenOverTime(orgId, window, 1)).toEqual({ counts: [0, 1, 0, 0], more: true });
    expect(await inStretches(2)).toEqual({ counts: [0, 0, 1, 0], more: false });
    const waiting = { ...within, state: 'pending' } as const;
    expect(await storage.countDeliveries(orgId, waiting)).toBe(1);
    expect(await storage.countDeliveries(orgId, { ...waiting, madeAfter: begin + 15 })).toBe(0);
  });

  test('a job retries the dead with its progress, once each, and who has lost it retries none', async () => {
    const { storage, orgId, first, die } = await sample();
    await routedTo(storage, orgId, [first], { count: 2 });
    const ids = [await die(first, 'timeout'), await die(first, 'timeout')];
    await storage.discardDelivery(orgId, ids[1] ?? '', NOW);
    const job = aJob(orgId);
    await storage.createJob(job);
    const deliveries = { ids, at: NOW + 1 };
    const state = async () => (await storage.findDelivery(orgId, ids[0] ?? ''))?.state;
    const lost = { ...unclaimed(job), token: 'another' };
    expect(await storage.advanceJob(lost, {}, NOW, { deliveries })).toBe(false);
    expect(await state()).toBe('dead');
    expect(await storage.advanceJob(unclaimed(job), {}, NOW, { deliveries })).toBe(true);
    expect(await state()).toBe('pending');
    expect(await storage.findJob(orgId, job.id)).toMatchObject({ done: 2, failed: 1 });
  });

  test('of many attempts the latest are read, oldest first', async () => {
    const { storage, orgId, first, die } = await sample();
    await routedTo(storage, orgId, [first]);
    const id = await die(first, 'timeout');
    expect((await storage.listAttempts(orgId, id, 5)).map(({ n }) => n)).toEqual([1]);
    expect(await storage.listAttempts(orgId, id, 0)).toEqual([]);
  });

  test('events are found by the pipelines whose latest run failed, until one goes through', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const orgId = await storedOrganisation(storage);
    const ids = await accepted(storage, orgId, 3);
    const failed = (pipelineId: string, id = idAt('run', NOW)) =>
      aRun({ id, pipelineId, outcome: 'failed', step: 2, reason: `No ${pipelineId}.` });
    const { events } = await storage.claimEvents(aClaimInput());
    const runs = [
      [failed('pipe_a'), failed('pipe_b')],
      [failed('pipe_b'), aRun({ pipelineId: 'pipe_a' })],
    ];
    await storage.settleEvents(
      events.map((claimed, n) => aSettlement(claimed, { runs: runs[n] ?? [aRun()] })),
      NOW,
    );
    const [first = '', second = ''] = ids;
    expect(await storage.listFailedEvents(orgId, page)).toEqual([second, first]);
    expect(await storage.listFailedEvents(orgId, { ...page, pipeline: 'pipe_a' })).toEqual([first]);
    expect(await storage.countFailedEvents(orgId, {})).toBe(2);
    expect(await storage.countFailedEvents(orgId, {}, 1)).toBe(1);
    expect(await storage.countFailedEvents(orgId, { pipeline: 'pipe_a' })).toBe(1);
    const received = [idTime(second), idTime(first)] as const;
    expect(await storage.listFailedEvents(orgId, { ...page, receivedAfter: received[0] })).toEqual([]);
    expect(await storage.countFailedEvents(orgId, { receivedAfter: received[1] - 1 })).toBe(2);
    expect(await storage.listFailedEvents(orgId, { ...page, receivedBefore: received[1] })).toEqual([]);
    expect(await storage.countFailedEvents(orgId, { receivedBefore: received[0] + 1 })).toBe(2);
    const groups = await storage.listFailedGroups(orgId, {}, 100);
    expect(groups.map(({ pipeline, step, reason, count }) => [pipeline.id, step, reason, count])).toEqual([
      ['pipe_b', 2, 'No pipe_b.', 2],
      ['pipe_a', 2, 'No pipe_a.', 1],
    ]);
    const narrowed = (filter: object) => storage.listFailedEvents(orgId, { ...page, ...filter });
    for (const { pipeline, step, reason, count } of groups)
      expect(await narrowed({ pipeline: pipeline.id, step, reason: reason ?? '' })).toHaveLength(count);
    expect(await narrowed({ pipeline: 'pipe_a', reason: 'No pipe_b.' })).toEqual([]);
    expect(await narrowed({ step: null })).toEqual([]);
    expect(await narrowed({ ids: [second] })).toEqual([second]);
    expect(await narrowed({ endedBy: NOW - 1 })).toEqual([]);
    const failures = await storage.listFailures(orgId, ids);
    expect(failures).toHaveLength(3);
    expect(failures.find(({ eventId, pipelineId }) => eventId === second && pipelineId === 'pipe_b')).toEqual(
      expect.objectContaining({ step: 2, reason: 'No pipe_b.', eventState: 'processed', version: 1 }),
    );

    const job = aJob(orgId);
    await storage.createJob(job);
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId: second, plan: null }] });
    const [again] = (await storage.claimEvents(aClaimInput())).events;
    const better = aRun({ id: idAt('run', NOW + 1), pipelineId: 'pipe_b' });
    if (again) await storage.settleEvents([aSettlement(again, { runs: [better] })], NOW);
    expect(await storage.listFailedEvents(orgId, page)).toEqual([first]);
    expect(await storage.listFailures(orgId, [second])).toEqual([]);
    await remove();
  });

  test('of two replays at the same moment the later one counts, in every list and count', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const orgId = await storedOrganisation(storage);
    const [eventId = ''] = await accepted(storage, orgId, 1);
    const [first] = (await storage.claimEvents(aClaimInput())).events;
    if (first) await storage.settleEvents([aSettlement(first, { runs: [aRun()] })], NOW);
    for (let n = 0; n < 2; n++) {
      const job = aJob(orgId);
      await storage.createJob(job);
      await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId, plan: null }] });
    }
    const [one, other] = (await storage.claimEvents(aClaimInput())).events;
    if (!one || !other) throw new Error('They are not both claimed.');
    const failed = aRun({ id: idAt('run', NOW + 1), outcome: 'failed', reason: 'No.' });
    const better = aRun({ id: idAt('run', NOW + 2) });
    // The one that went through is written first, and finds nothing yet that it has resolved.
    await storage.settleEvents([aSettlement(other, { runs: [better] })], NOW);
    await storage.settleEvents([aSettlement(one, { runs: [failed] })], NOW);
    expect(await storage.listRuns(orgId, eventId, 9)).toHaveLength(3);
    expect(await storage.listFailedEvents(orgId, page)).toEqual([]);
    expect((await storage.countBacklog(orgId, 9)).failedEvents.count).toBe(0);
    expect((await storage.countWaiting(9)).failedEvents).toBe(0);
    await remove();
  });

  test('an event that fails again counts once, by its latest reason, and can be discarded for one pipeline alone', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const orgId = await storedOrganisation(storage);
    const [eventId = ''] = await accepted(storage, orgId, 1);
    const failed = (pipelineId: string, reason: string, at = NOW) =>
      aRun({ id: idAt('run', at), pipelineId, outcome: 'failed', reason });
    const [claimed] = (await storage.claimEvents(aClaimInput())).events;
    const runs = [failed('pipe_a', 'First.'), failed('pipe_b', 'Other.')];
    if (claimed) await storage.settleEvents([aSettlement(claimed, { runs })], NOW);
    const job = aJob(orgId);
    await storage.createJob(job);
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId, plan: null }] });
    const [again] = (await storage.claimEvents(aClaimInput())).events;
    const second = failed('pipe_a', 'Second.', NOW + 1);
    if (again) await storage.settleEvents([aSettlement(again, { runs: [second] })], NOW + 1);
    const groups = async () =>
      (await storage.listFailedGroups(orgId, {}, 100)).map(({ reason, count }) => [reason, count]);
    expect(await groups()).toEqual([
      ['Second.', 1],
      ['Other.', 1],
    ]);
    expect(await storage.countFailedEvents(orgId, { reason: 'First.' })).toBe(0);
    const discards = { deliveries: [], events: [eventId], failures: { pipeline: 'pipe_a' }, at: NOW };
    await storage.advanceJob(unclaimed(job), {}, NOW, { discards });
    expect(await groups()).toEqual([['Other.', 1]]);
    await remove();
  });

  test('of an event that failed in several pipelines only the failures that match are discarded', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const orgId = await storedOrganisation(storage);
    const [eventId = ''] = await accepted(storage, orgId, 1);
    const failed = (pipelineId: string, step: number | null, reason: string, at = NOW) =>
      aRun({ id: idAt('run', at), pipelineId, outcome: 'failed', step, reason });
    const [claimed] = (await storage.claimEvents(aClaimInput())).events;
    const runs = [failed('pipe_a', 1, 'X'), failed('pipe_b', 2, 'Y'), failed('pipe_c', null, 'Z')];
    if (claimed) await storage.settleEvents([aSettlement(claimed, { runs })], NOW);
    const replay = aJob(orgId);
    await storage.createJob(replay);
    await storage.advanceJob(unclaimed(replay), {}, NOW, { replays: [{ eventId, plan: null }] });
    const [again] = (await storage.claimEvents(aClaimInput())).events;
    const later = failed('pipe_d', 3, 'W', NOW + 5);
    if (again) await storage.settleEvents([aSettlement(again, { runs: [later] })], NOW + 5);
    const job = aJob(orgId);
    await storage.createJob(job);
    const discard = async (failures: FailureFilter) => {
      await storage.advanceJob(unclaimed(job), {}, NOW, {
        discards: { deliveries: [], events: [eventId], failures, at: NOW },
      });
      return (await storage.listFailures(orgId, [eventId])).map(({ reason }) => reason).toSorted();
    };
    expect(await discard({ reason: 'None.' })).toEqual(['W', 'X', 'Y', 'Z']);
    expect(await discard({ reason: 'X' })).toEqual(['W', 'Y', 'Z']);
    expect(await discard({ step: null })).toEqual(['W', 'Y']);
    expect(await discard({ pipeline: 'pipe_b', step: 3 })).toEqual(['W', 'Y']);
    expect(await discard({ endedBy: NOW })).toEqual(['W']);
    expect(await storage.findJob(orgId, job.id)).toMatchObject({ done: 5, failed: 2 });
    await remove();
  });

  test('a failed event that was discarded stays what it is, and comes back only when it fails again', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const orgId = await storedOrganisation(storage);
    const [first = '', second = ''] = await accepted(storage, orgId, 2);
    const failed = (pipelineId: string, id = idAt('run', NOW)) =>
      aRun({ id, pipelineId, outcome: 'failed', reason: 'No.' });
    const { events } = await storage.claimEvents(aClaimInput());
    await storage.settleEvents(
      events.map(claimed => aSettlement(claimed, { runs: [failed('pipe_a'), failed('pipe_b')] })),
      NOW,
    );
    expect(await storage.discardFailedEvent(await storedOrganisation(storage), first)).toBe(false);
    expect(await storage.discardFailedEvent(orgId, first)).toBe(true);
    expect(await storage.discardFailedEvent(orgId, first)).toBe(false);
    expect(await storage.listFailedEvents(orgId, page)).toEqual([second]);
    expect(await storage.countFailedEvents(orgId, {})).toBe(1);
    expect(await storage.listFailures(orgId, [first])).toEqual([]);
    expect((await storage.findEvent(orgId, first))?.state).toBe('failed');
    // Nobody wants it any more: it goes when others go that did not fail.
    const cutoffs = { before: NOW + 1_000, deadBefore: NOW };
    const pruned = await storage.pruneEvents(orgId, cutoffs, { after: null, limit: 1 });
    expect(pruned).toMatchObject({ removed: 1, next: first });

    await storage.discardFailedEvent(orgId, second);
    const job = aJob(orgId);
    await storage.createJob(job);
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId: second, plan: null }] });
    const [again] = (await storage.claimEvents(aClaimInput())).events;
    const later = failed('pipe_b', idAt('run', NOW + 1));
    if (again) await storage.settleEvents([aSettlement(again, { runs: [later] })], NOW);
    expect(await storage.listFailedEvents(orgId, page)).toEqual([second]);
    const failuresOf = async (id: string) =>
      (await storage.listFailures(orgId, [id])).map(({ pipelineId }) => pipelineId);
    expect(await failuresOf(second)).toEqual(['pipe_b']);
    await remove();
  });

  test('an event that waits to be tried again says until when', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const orgId = await storedOrganisation(storage);
    const [id = ''] = await accepted(storage, orgId, 1);
    expect(await storage.findRetry(orgId, id)).toBeNull();
    const [claimed] = (await storage.claimEvents(aClaimInput())).events;
    const parked = [{ pipelineId: 'pipe_a', version: null, retries: 2, dueAt: NOW + 5 }];
    if (claimed) await storage.settleEvents([aSettlement(claimed, { parked })], NOW);
    expect(await storage.findRetry(orgId, id)).toMatchObject([{ dueAt: NOW + 5, retries: 2 }]);
    await remove();
  });
}
