import { expect, test } from 'bun:test';
import type { ClaimedDelivery, EndedAttempt } from '../../../src/core/stores/delivery-queue.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

const lease = (token: string) => ({ token, now: NOW + 1_000_000, until: NOW + 2_000_000 });

const failed = (
  { orgId, id, attempt }: ClaimedDelivery,
  token: string,
  next: EndedAttempt['next'],
): EndedAttempt => ({
  orgId,
  deliveryId: id,
  token,
  attempt: {
    n: attempt + 1,
    at: NOW,
    durationMs: 5,
    status: 500,
    code: 'bad_status',
    message: 'It answered 500.',
    request: '{"target":"POST https://example.com","headers":{},"body":""}',
    response: 'no',
  },
  next,
});

/** Breakers and probes as nodes agree on them, and what an outage ends. */
export function breakersContract(subject: Subject): void {
  async function sample() {
    const { storage } = subject;
    const orgId = await storedOrganisation(storage);
    const { id } = aDestination(orgId);
    await storage.createDestination(aDestination(orgId, { id }));
    const read = async () => {
      const destination = await storage.findDestination(orgId, id);
      if (destination === null) throw new Error('It is gone.');
      return destination;
    };
    const open = (openedAt = NOW) =>
      storage.openBreaker(orgId, id, {
        openedAt,
        nextProbeAt: openedAt + 1_000,
        failure: 'It answered 500.',
      });
    const take = (now: number, firstDueAt = NOW) =>
      storage.takeProbe(orgId, id, { now, until: now + 25_000, token: `node ${now}`, firstDueAt });
    const fail = (now: number, endedAt = now + 5) =>
      storage.endProbe(orgId, id, `node ${now}`, {
        kind: 'failed',
        leftAt: now,
        endedAt,
        nextProbeAt: now + 30_000,
        failure: 'It answered 503.',
      });
    const deliver = (at = NOW, count = 1) => routedTo(storage, orgId, [id], { at, count });
    const claim = async (token = 'a') => {
      const input = { orgId, destinationId: id, limit: 1, bytes: 1 << 20 };
      const [claimed] = await storage.claimDeliveries([input], lease(token));
      if (!claimed) throw new Error('Nothing was claimed.');
      return claimed;
    };
    const waiting = (limit = 10) =>
      storage.listWaiting(orgId, id, { dueBy: NOW + 1_000_000, after: null, limit });
    const list = () => storage.listDeliveries(orgId, {}, { limit: 100, below: null });
    return { storage, orgId, id, read, open, take, fail, deliver, claim, waiting, list };
  }

  test('a breaker is opened once, by whoever comes first, and closed once', async () => {
    const { orgId, id, storage, read, open } = await sample();
    expect((await read()).breaker).toBeNull();
    const opened = {
      openedAt: NOW,
      nextProbeAt: NOW + 1_000,
      probeUntil: null,
      lastProbeAt: null,
      probeEndedAt: null,
      lastFailure: 'It answered 500.',
    };
    expect(await open()).toEqual(opened);
    expect(await open(NOW + 500)).toEqual(opened);
    expect((await read()).breaker).toEqual(opened);
    expect(await storage.closeBreaker(orgId, id)).toBe(true);
    expect(await storage.closeBreaker(orgId, id)).toBe(false);
    expect((await read()).breaker).toBeNull();
    expect(await open(NOW + 700)).toEqual({ ...opened, openedAt: NOW + 700, nextProbeAt: NOW + 1_700 });
  });

  test('a probe is taken at its moment, by one node, and nobody else until it has ended', async () => {
    const { orgId, id, storage, read, open, take, fail } = await sample();
    expect(await take(NOW)).toEqual({ isTaken: false, breaker: null });
    await open();
    expect((await take(NOW + 999)).isTaken).toBe(false);
    const probe = { now: NOW + 1_000, until: NOW + 26_000, token: `node ${NOW + 1_000}`, firstDueAt: NOW };
    const taken = await subject.atOnce(6, node => node.takeProbe(orgId, id, probe));
    expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(1);
    expect((await read()).breaker).toMatchObject({ probeUntil: NOW + 26_000 });
    // What somebody else reports of another probe changes nothing.
    await fail(NOW);
    expect((await read()).breaker).toMatchObject({ probeUntil: NOW + 26_000, lastProbeAt: null });
    await fail(NOW + 1_000);
    expect((await read()).breaker).toEqual({
      openedAt: NOW,
      nextProbeAt: NOW + 31_000,
      probeUntil: null,
      lastProbeAt: NOW + 1_000,
      probeEndedAt: NOW + 1_005,
      lastFailure: 'It answered 503.',
    });
    expect((await take(NOW + 30_999)).isTaken).toBe(false);
    expect((await take(NOW + 31_000)).isTaken).toBe(true);
    // Its node has died.
    expect((await take(NOW + 55_999)).isTaken).toBe(false);
    expect((await take(NOW + 56_000)).isTaken).toBe(true);
    await storage.endProbe(orgId, id, `node ${NOW + 56_000}`, { kind: 'not_sent' });
    expect((await read()).breaker).toMatchObject({ probeUntil: null, lastProbeAt: NOW + 1_000 });
    expect((await take(NOW + 56_001)).isTaken).toBe(true);
    await storage.closeBreaker(orgId, id);
    expect((await take(NOW + 90_000)).isTaken).toBe(false);
  });

  test('with nothing waiting since the last probe was answered, the next delivery is the probe at once', async () => {
    const { open, take, fail } = await sample();
    await open();
    expect((await take(NOW + 300, NOW)).isTaken).toBe(false);
    expect((await take(NOW + 300, NOW + 1)).isTaken).toBe(true);
    await fail(NOW + 300);
    expect((await take(NOW + 400, NOW + 305)).isTaken).toBe(false);
    expect((await take(NOW + 400, NOW + 306)).isTaken).toBe(true);
    expect((await take(NOW + 401, NOW + 401)).isTaken).toBe(false);
  });

  test('a probe that somebody asks for is due then, and none goes to a destination that is paused', async () => {
    const { orgId, id, storage, read, open, take } = await sample();
    await open();
    expect(await storage.hastenProbe(orgId, id, NOW + 10)).toBe(true);
    expect((await read()).breaker).toMatchObject({ nextProbeAt: NOW + 10 });
    await storage.updateDestination(orgId, id, { paused: true }, NOW + 10);
    expect((await take(NOW + 10)).isTaken).toBe(false);
    await storage.updateDestination(orgId, id, { paused: false }, NOW + 20);
    // It goes on as if it went down then, and is tried at once.
    expect((await read()).breaker).toMatchObject({ openedAt: NOW + 20, nextProbeAt: NOW + 20 });
    expect((await take(NOW + 20)).isTaken).toBe(true);
    await storage.closeBreaker(orgId, id);
    expect(await storage.hastenProbe(orgId, id, NOW + 30)).toBe(false);
    await storage.updateDestination(orgId, id, { paused: false }, NOW + 30);
    expect((await read()).breaker).toBeNull();
  });

  test('what waits first is made due for a probe that somebody asks for, and its schedule ends no sooner', async () => {
    const { orgId, id, storage, open, deliver, claim, waiting } = await sample();
    const hasten = (at: number, org = orgId) => storage.hastenFirst(org, id, at);
    await open();
    expect(await hasten(NOW)).toBe(false);
    await deliver(NOW, 2);
    // Both have failed once, and are retried later.
    const retryAt = async (token: string, dueAt: number) => {
      const claimed = await claim(token);
      await storage.recordAttempts([failed(claimed, token, { state: 'retrying', dueAt })]);
      return claimed.id;
    };
    const [first, second] = [await retryAt('a', NOW + 7_000), await retryAt('b', NOW + 9_000)];
    expect(await hasten(NOW + 50, await storedOrganisation(storage))).toBe(false);
    await storage.closeBreaker(orgId, id);
    expect(await hasten(NOW + 50)).toBe(false);
    await open();
    expect(await hasten(NOW + 50)).toBe(true);
    expect(await hasten(NOW + 60)).toBe(false);
    const other = { id: second, dueAt: NOW + 9_000, waitingFrom: NOW + 9_000, attemptsMade: 1 };
    expect(await waiting()).toMatchObject([
      { id: first, dueAt: NOW + 50, waitingFrom: NOW + 7_000, attemptsMade: 1 },
      other,
    ]);
    const probed = await claim('c');
    const waits = { state: 'retrying', dueAt: NOW + 70, isUnspent: true } as const;
    await storage.recordAttempts([failed(probed, 'c', waits)]);
    expect(await waiting()).toMatchObject([
      { id: first, dueAt: NOW + 70, waitingFrom: NOW + 7_000, attemptsMade: 1 },
      other,
    ]);
  });

  test('nobody makes anything due where no probe could go: what waits is held, or one is under way', async () => {
    const { orgId, id, storage, read, open, take, deliver, waiting } = await sample();
    await open();
    await deliver(NOW + 90_000);
    const hasten = async (of: string, at: number) => [
      await storage.hastenFirst(orgId, of, at),
      await storage.hastenProbe(orgId, of, at),
    ];
    expect((await take(NOW + 1_000)).isTaken).toBe(true);
    expect(await hasten(id, NOW + 2_000)).toEqual([false, false]);
    expect((await read()).breaker).toMatchObject({ nextProbeAt: NOW + 1_000 });
    expect(await waiting()).toMatchObject([{ dueAt: NOW + 90_000 }]);
    // Its node has died.
    expect(await hasten(id, NOW + 26_000)).toEqual([true, true]);
    await storage.updateDestination(orgId, id, { paused: true }, NOW);
    expect(await hasten(id, NOW + 30_000)).toEqual([false, false]);

    const listener = aDestination(orgId, { kind: 'listener' });
    await storage.createDestination(listener);
    await routedTo(storage, orgId, [listener.id], { at: NOW + 90_000 });
    await storage.openBreaker(orgId, listener.id, { openedAt: NOW, nextProbeAt: NOW, failure: 'No.' });
    expect(await hasten(listener.id, NOW + 2_000)).toEqual([false, false]);
  });

  test('what was made due for a probe and is given back unsent is pending still', async () => {
    const { orgId, id, storage, open, deliver, claim, list } = await sample();
    await open();
    await deliver(NOW + 5_000);
    expect(await storage.hastenFirst(orgId, id, NOW)).toBe(true);
    const claimed = await claim('a');
    await storage.releaseDeliveries([{ orgId, id: claimed.id, token: 'a' }], NOW);
    expect(await list()).toMatchObject([{ id: claimed.id, state: 'pending', attempt: 0 }]);
  });

  test('what a clock that went back has put out of reach is brought forward', async () => {
    const { storage, read, open, take, fail } = await sample();
    await open(NOW + 86_400_000);
    await take(NOW + 86_401_000);
    await fail(NOW + 86_401_000);
    await take(NOW + 86_440_000);
    const latest = { nextProbeAt: NOW + 30_000, probeUntil: NOW + 600_000 };
    await storage.bringProbesForward({ now: NOW, ...latest });
    expect((await read()).breaker).toMatchObject({
      openedAt: NOW,
      nextProbeAt: NOW,
      probeUntil: null,
      lastProbeAt: null,
      probeEndedAt: null,
    });
    await take(NOW);
    const before = (await read()).breaker;
    await storage.bringProbesForward({ now: NOW, ...latest });
    expect((await read()).breaker).toEqual(before);
    // The last probe ended in what is the future now: its next moment is one of that time too.
    await fail(NOW, NOW + 5_000);
    await storage.bringProbesForward({ now: NOW + 5_000, ...latest });
    expect((await read()).breaker?.nextProbeAt).toBe(NOW + 30_000);
    await storage.bringProbesForward({ now: NOW + 4_999, ...latest });
    expect((await read()).breaker?.nextProbeAt).toBe(NOW + 4_999);
  });

  test('a probe that failed is on record, spends nothing, and leaves its delivery the last of those that wait', async () => {
    const { orgId, storage, deliver, claim, waiting, list } = await sample();
    await deliver(NOW, 2);
    const [first, second] = await waiting();
    const probed = await claim();
    expect(probed.id).toBe(first?.id ?? '');
    const waits = { state: 'retrying', dueAt: NOW + 50, isUnspent: true } as const;
    await storage.recordAttempts([failed(probed, 'a', waits)]);
    expect(await waiting()).toMatchObject([
      { id: second?.id, dueAt: NOW, waitingFrom: NOW, attemptsMade: 0 },
      { id: first?.id, dueAt: NOW + 50, waitingFrom: NOW, attemptsMade: 0 },
    ]);
    expect((await list()).find(({ id }) => id === first?.id)).toMatchObject({
      state: 'retrying',
      attempt: 1,
    });
    expect(await storage.listAttempts(orgId, probed.id)).toHaveLength(1);
    // Given back, it is still one that was attempted.
    const stateOf = async (wanted?: string) => (await list()).find(({ id }) => id === wanted)?.state;
    const input = { orgId, destinationId: probed.destinationId, limit: 2, bytes: 1 << 20 };
    const both = await storage.claimDeliveries([input], lease('given back'));
    await storage.releaseDeliveries(
      both.map(({ id }) => ({ orgId, id, token: 'given back' })),
      NOW + 1_000_000,
    );
    expect([both.length, await stateOf(first?.id), await stateOf(second?.id)]).toEqual([
      2,
      'retrying',
      'pending',
    ]);
    // An attempt of its own budget ends the waiting.
    const ordinary = await claim('b');
    await storage.recordAttempts([failed(ordinary, 'b', { state: 'retrying', dueAt: NOW + 70 })]);
    const again = await claim('c');
    expect(again).toMatchObject({ id: first?.id, attempt: 1, budgetFrom: 1, budgetAt: NOW });
    await storage.recordAttempts([failed(again, 'c', { state: 'retrying', dueAt: NOW + 90 })]);
    expect(await waiting()).toMatchObject([
      { id: second?.id, waitingFrom: NOW + 70, attemptsMade: 1 },
      { id: first?.id, waitingFrom: NOW + 90, attemptsMade: 1 },
    ]);
  });

  test('of a delivery that is probed with for days the last probes are kept, and every attempt of its own', async () => {
    const { orgId, storage, deliver, claim } = await sample();
    await deliver();
    const own = new Set([1, 2, 30]);
    for (let n = 1; n <= 56; n++) {
      const probed = await claim(`${n}`);
      const waits = { state: 'retrying', dueAt: NOW } as const;
      const next = own.has(n) ? waits : { ...waits, isUnspent: true as const };
      await storage.recordAttempts([failed(probed, `${n}`, next)]);
    }
    const delivery = await claim();
    expect(delivery).toMatchObject({ attempt: 56, budgetFrom: 53, isRetried: false });
    const attempts = await storage.listAttempts(orgId, delivery.id);
    // Its own are all there, and of 53 probes the last 50.
    expect(attempts.map(({ n }) => n)).toEqual([1, 2, ...Array.from({ length: 51 }, (_, n) => n + 6)]);
  });

  test('lists what is due, the longest due first, page by page, and counts what waits', async () => {
    const { orgId, id, storage, deliver } = await sample();
    expect(await storage.readBacklogOf(orgId, id, 10)).toEqual({ waiting: 0, firstDueAt: null });
    await deliver(NOW + 5, 2);
    await deliver(NOW, 2);
    await deliver(NOW + 9);
    expect(await storage.readBacklogOf(orgId, id, 10)).toEqual({ waiting: 5, firstDueAt: NOW });
    expect(await storage.readBacklogOf(orgId, id, 3)).toEqual({ waiting: 3, firstDueAt: NOW });
    const other = await storedOrganisation(storage);
    expect(await storage.readBacklogOf(other, id, 3)).toEqual({ waiting: 0, firstDueAt: null });
    const due: number[] = [];
    for (let after = null; ; ) {
      const [next] = await storage.listWaiting(orgId, id, { dueBy: NOW + 8, after, limit: 1 });
      if (next === undefined) break;
      due.push(next.dueAt - NOW);
      after = next as never;
    }
    expect(due).toEqual([0, 0, 5, 5]);
    expect(await storage.listWaiting(other, id, { dueBy: NOW + 8, after: null, limit: 9 })).toEqual([]);
  });

  test('gives up what waits, with the outage that ended it, and a retry begins anew', async () => {
    const { orgId, id, storage, read, open, deliver, list, waiting } = await sample();
    await deliver(NOW, 2);
    const [one, two] = await waiting();
    const ids = [one?.id ?? '', two?.id ?? ''];
    const outage = { downSince: NOW, probedAt: NOW + 77 };
    const asOf = (await read()).updatedAt;
    const expire = (given: string[], as = asOf) =>
      storage.expireDeliveries({ orgId, id, asOf: as }, given, outage, NOW + 99);
    expect(await expire(ids)).toBe(0);
    await open();
    expect((await list())[0]?.outage).toEqual({ downSince: NOW, probedAt: null });
    // Its policy was changed, or it was paused, since it was looked at.
    expect(await expire(ids, asOf - 1)).toBe(0);
    expect(await expire([])).toBe(0);
    await storage.updateDestination(orgId, id, { paused: true }, asOf);
    expect(await expire(ids)).toBe(0);
    await storage.updateDestination(orgId, id, { paused: false }, NOW);
    expect(await expire(ids.slice(0, 1))).toBe(1);
    expect(await expire(ids)).toBe(1);
    const dead = { state: 'dead', code: 'destination_down', finishedAt: NOW + 99, attempt: 0, outage };
    expect(await list()).toMatchObject([dead, dead]);
    await storage.closeBreaker(orgId, id);
    expect(await list()).toMatchObject([dead, dead]);
    await storage.retryDelivery(orgId, ids[0] ?? '', NOW + 200);
    expect(await waiting()).toEqual([
      { id: ids[0] ?? '', dueAt: NOW + 200, waitingFrom: NOW + 200, attemptsMade: 0, budgetAt: NOW + 200 },
    ]);
    expect((await list()).find(delivery => delivery.id === ids[0])?.outage).toBeNull();
  });

  test('a policy that is changed while something is open stays with the destination', async () => {
    const { orgId, id, storage, read, deliver, claim } = await sample();
    const { policy } = await read();
    const change = (attempts: number, at: number) =>
      storage.updateDestination(orgId, id, { policy: { ...policy, attempts } }, at);
    const formers = async () => (await read()).formerPolicies;
    const { schedule_s, timeout_s } = policy;
    await change(4, NOW + 1);
    expect(await formers()).toEqual([]);
    await deliver();
    await change(5, NOW + 2);
    expect(await formers()).toEqual([{ attempts: 4, schedule_s, timeout_s, until: NOW + 2 }]);
    // What is being sent is open too, and what is no part of a schedule changes none.
    await claim();
    await storage.updateDestination(
      orgId,
      id,
      { policy: { ...policy, attempts: 5, concurrency: 3 } },
      NOW + 3,
    );
    await storage.updateDestination(orgId, id, { name: 'Elsewhere' }, NOW + 4);
    expect(await formers()).toHaveLength(1);
    await Promise.all([change(6, NOW + 5), change(7, NOW + 6)]);
    expect((await formers()).map(({ attempts }) => attempts).slice(0, 2)).toEqual([4, 5]);
    expect(await formers()).toHaveLength(3);
  });

  test('the last error of a destination is kept, an older one never over it', async () => {
    const { storage, orgId, id, read } = await sample();
    const [well, gone] = [aDestination(orgId), aDestination(orgId)];
    await storage.createDestination(well);
    expect(await storage.listLastErrors(orgId)).toEqual([]);
    const before = await read();
    const error = { orgId, id, at: NOW + 5, message: 'It answered 503.' };
    await storage.recordLastErrors([error, { ...error, id: gone.id }]);
    await storage.recordLastErrors([{ ...error, at: NOW + 4, message: 'Of another node, and late.' }]);
    await storage.recordLastErrors([]);
    expect(await storage.listLastErrors(orgId)).toEqual([error]);
    await storage.recordLastErrors([{ ...error, at: NOW + 6, message: 'It took too long.' }]);
    expect(await storage.listLastErrors(orgId)).toMatchObject([
      { at: NOW + 6, message: 'It took too long.' },
    ]);
    expect(await storage.listLastErrors(idAt('org', NOW))).toEqual([]);
    // It is nobody's change of the destination.
    expect(await read()).toEqual(before);
  });
}
