import { expect, test } from 'bun:test';
import type { DeliveryState } from '../../../src/core/stores/delivery.ts';
import type { ClaimedDelivery, EndedAttempt } from '../../../src/core/stores/delivery-queue.ts';
import type { EveryStore } from '../../support/every-store.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { tokensOf } from './pipeline-samples.ts';
import { idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

const lease = (token: string, given: Partial<{ now: number }> = {}) => ({ token, now: NOW, ...given });

const record = (
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
    status: next.state === 'delivered' ? 200 : 500,
    code: next.state === 'delivered' ? null : 'bad_status',
    message: next.state === 'delivered' ? null : 'It answered 500.',
    request: '{"target":"POST https://example.com","headers":{},"body":""}',
    response: 'ok',
  },
  next,
});

export function deliveriesContract(subject: Subject): void {
  async function sample() {
    const { storage } = subject;
    const orgId = await storedOrganisation(storage);
    const destination = aDestination(orgId);
    await storage.createDestination(destination);
    const input = (limit = 10, bytes = 1 << 20) => [{ orgId, destinationId: destination.id, limit, bytes }];
    const states = async (): Promise<DeliveryState[]> =>
      (await storage.listDeliveries(orgId, {}, { limit: 100, below: null })).map(({ state }) => state);
    return { storage, orgId, destination, input, states };
  }

  test('keeps a destination as it was made, changes what a change names, and deletes it', async () => {
    const { storage, orgId, destination } = await sample();
    expect(await storage.findDestination(orgId, destination.id)).toEqual(destination);
    await storage.updateDestination(orgId, destination.id, { name: 'Elsewhere' }, NOW + 1);
    expect(await storage.listDestinations(orgId)).toEqual([
      { ...destination, name: 'Elsewhere', updatedAt: NOW + 1 },
    ]);
    expect(await storage.deleteDestination(orgId, destination.id, 'me', NOW)).toBe(true);
    expect(await storage.findDestination(orgId, destination.id)).toBeNull();
  });

  test('lets no other organisation see or change a destination or a delivery', async () => {
    const { storage, orgId, destination } = await sample();
    const other = await storedOrganisation(storage);
    await routedTo(storage, orgId, [destination.id]);
    const [delivery] = await storage.listDeliveries(orgId, {}, { limit: 1, below: null });
    expect(await storage.findDestination(other, destination.id)).toBeNull();
    expect(await storage.updateDestination(other, destination.id, { name: 'x' }, NOW)).toBe(false);
    expect(await storage.deleteDestination(other, destination.id, 'me', NOW)).toBe(false);
    expect(await storage.listDeliveries(other, {}, { limit: 10, below: null })).toEqual([]);
    expect(await storage.findDelivery(other, delivery?.id ?? '')).toBeNull();
    expect(await storage.discardDelivery(other, delivery?.id ?? '', NOW)).toBe(false);
    expect(
      await storage.claimDeliveries(
        [{ orgId: other, destinationId: destination.id, limit: 9, bytes: 1 << 20 }],
        lease('foreign'),
      ),
    ).toEqual([]);
  });

  test('claims what is due with all that is needed to send it, and only once', async () => {
    const { storage, orgId, destination, input } = await sample();
    const eventId = await routedTo(storage, orgId, [destination.id]);
    expect(await storage.claimDeliveries(input(), lease('early', { now: NOW - 1 }))).toEqual([]);
    const [claimed, ...more] = await storage.claimDeliveries(input(), lease('first'));
    expect(more).toEqual([]);
    expect(claimed).toMatchObject({
      orgId,
      destinationId: destination.id,
      event: { id: eventId, type: 'order.created', receivedAt: NOW },
      output: '{"payload":{"n":1},"labels":{}}',
      sourceName: 'Shop',
      attempt: 0,
      budgetFrom: 0,
      isRetried: false,
    });
    expect(await storage.claimDeliveries(input(), lease('second'))).toEqual([]);
  });

  test('gives each delivery to one of many that claim at once', async () => {
    const { storage, orgId, destination, input } = await sample();
    for (let n = 0; n < 6; n++) await routedTo(storage, orgId, [destination.id]);
    const claimed = await subject.atOnce(8, (node, n) => node.claimDeliveries(input(2), lease(`racer ${n}`)));
    // Those who raced for the same ones may have gone away with less; what is left is there for the next.
    const left = await storage.claimDeliveries(input(), lease('last'));
    const ids = [...claimed.flat(), ...left].map(({ id }) => id);
    expect(ids.length).toBe(6);
    expect(new Set(ids).size).toBe(6);
  });

  test('claims no more than may be held at once, and one however large it is', async () => {
    const { storage, orgId, destination, input } = await sample();
    const payload = JSON.stringify({ text: 'x'.repeat(1_000) });
    for (let n = 0; n < 5; n++) await routedTo(storage, orgId, [destination.id], { payload });
    const [first, ...more] = await storage.claimDeliveries(input(10, 0), lease('a'));
    expect(more).toEqual([]);
    const size = first?.output.length ?? 0;
    expect(await storage.claimDeliveries(input(10, 2 * size), lease('b'))).toHaveLength(2);
    expect(await storage.claimDeliveries(input(1, 9 * size), lease('c'))).toHaveLength(1);
  });

  test('a first attempt that arrived is kept with its exchange where it has one, beside those that have none', async () => {
    const { storage, orgId, destination, input } = await sample();
    for (let n = 0; n < 2; n++) await routedTo(storage, orgId, [destination.id]);
    const claimed = await storage.claimDeliveries(input(), lease('a'));
    const exchange = '{"headers":{"x-request-id":"7"},"phases":{"first_byte_ms":1200}}';
    const [slow, quick] = claimed.map(delivery => record(delivery, 'a', { state: 'delivered' }));
    if (!slow || !quick) throw new Error('Nothing was claimed.');
    expect(
      await storage.recordAttempts([{ ...slow, attempt: { ...slow.attempt, exchange } }, quick]),
    ).toEqual([]);
    const [ofSlow, ofQuick] = await Promise.all(
      [slow, quick].map(({ deliveryId }) => storage.listAttempts(orgId, deliveryId)),
    );
    expect(ofSlow).toEqual([{ ...slow.attempt, exchange }]);
    expect(ofQuick).toEqual([quick.attempt]);
    for (const { deliveryId } of [slow, quick])
      expect(await storage.findDelivery(orgId, deliveryId)).toMatchObject({ state: 'delivered', attempt: 1 });
  });

  test('records an attempt, and what becomes of its delivery', async () => {
    const { storage, orgId, destination, input } = await sample();
    await routedTo(storage, orgId, [destination.id]);
    const [claimed] = await storage.claimDeliveries(input(), lease('a'));
    if (!claimed) throw new Error('Nothing was claimed.');
    await storage.recordAttempts([record(claimed, 'a', { state: 'retrying', dueAt: NOW + 500 })]);
    expect(await storage.findDelivery(orgId, claimed.id)).toMatchObject({
      state: 'retrying',
      attempt: 1,
      code: 'bad_status',
      status: 500,
      nextAttemptAt: NOW + 500,
    });
    const [again] = await storage.claimDeliveries(input(), lease('b', { now: NOW + 500 }));
    if (!again) throw new Error('Nothing was claimed.');
    await storage.recordAttempts([record(again, 'b', { state: 'delivered' })]);
    expect(await storage.findDelivery(orgId, claimed.id)).toMatchObject({
      state: 'delivered',
      attempt: 2,
      code: null,
      status: null,
      nextAttemptAt: null,
    });
    expect((await storage.listAttempts(orgId, claimed.id)).map(({ n, code }) => [n, code])).toEqual([
      [1, 'bad_status'],
      [2, null],
    ]);
  });

  test('refuses the late result of a claim that somebody else has taken over', async () => {
    const { storage, orgId, destination, input, states } = await sample();
    await routedTo(storage, orgId, [destination.id]);
    const [late] = await storage.claimDeliveries(input(), lease('late'));
    if (!late) throw new Error('Nothing was claimed.');
    expect(await storage.freeClaims(tokensOf({ deliveries: ['late'] }), 100, NOW)).toBe(1);
    const [taken] = await storage.claimDeliveries(input(), lease('new'));
    expect(taken?.id).toBe(late.id);
    expect(await storage.recordAttempts([record(late, 'late', { state: 'delivered' })])).toEqual([0]);
    expect(await states()).toEqual(['delivering']);
    expect(await storage.listAttempts(orgId, late.id)).toEqual([]);
  });

  test('of two results of one delivery that come together, refuses the one whose claim was freed', async () => {
    const { storage, orgId, destination, input } = await sample();
    await routedTo(storage, orgId, [destination.id]);
    const [late] = await storage.claimDeliveries(input(), lease('late'));
    await storage.freeClaims(tokensOf({ deliveries: ['late'] }), 100, NOW);
    const [fresh] = await storage.claimDeliveries(input(), lease('fresh'));
    if (!late || !fresh) throw new Error('Nothing was claimed.');
    const results = [
      record(late, 'late', { state: 'dead', code: 'timeout' }),
      record(fresh, 'fresh', { state: 'retrying', dueAt: NOW + 500 }),
    ];
    expect(await storage.recordAttempts(results)).toEqual([0]);
    const [shown] = await storage.listDeliveries(orgId, {}, { limit: 1, below: null });
    expect(shown).toMatchObject({ state: 'retrying', attempt: 1 });
    expect(await storage.listAttempts(orgId, fresh.id)).toHaveLength(1);
  });

  test('takes back what is released, as if it had not been claimed', async () => {
    const { storage, orgId, destination, input, states } = await sample();
    await routedTo(storage, orgId, [destination.id]);
    const [claimed] = await storage.claimDeliveries(input(), lease('a'));
    await storage.releaseDeliveries([{ orgId, id: claimed?.id ?? '', token: 'somebody else' }], NOW);
    expect(await states()).toEqual(['delivering']);
    await storage.releaseDeliveries([{ orgId, id: claimed?.id ?? '', token: 'a' }], NOW);
    expect(await states()).toEqual(['pending']);
  });

  test('holds what waits for a paused destination', async () => {
    const { storage, orgId, destination, input, states } = await sample();
    await routedTo(storage, orgId, [destination.id]);
    const isWaiting = async () =>
      (await storage.listWaitingDestinations()).some(
        one => one.destinationId === destination.id && !one.isHeld,
      );
    expect(await isWaiting()).toBe(true);
    await storage.updateDestination(orgId, destination.id, { paused: true }, NOW);
    expect(await states()).toEqual(['held']);
    expect(await isWaiting()).toBe(false);
    expect(await storage.claimDeliveries(input(), lease('a'))).toEqual([]);
    expect(await storage.countDeliveries(orgId, { state: 'held' })).toBe(1);
    await storage.updateDestination(orgId, destination.id, { paused: false }, NOW);
    expect(await states()).toEqual(['pending']);
  });

  test('holds what waits for a listener that nobody is connected to', async () => {
    const { storage } = subject;
    const orgId = await storedOrganisation(storage);
    const listener = aDestination(orgId, { kind: 'listener' });
    await storage.createDestination(listener);
    await storage.openBreaker(orgId, listener.id, { openedAt: NOW, nextProbeAt: NOW + 9_000, failure: 'no' });
    await routedTo(storage, orgId, [listener.id]);
    const read = async () => ({
      shown: (await storage.listDeliveries(orgId, {}, { limit: 5, below: null })).map(({ state }) => state),
      counted: await storage.countDeliveries(orgId, { state: 'held' }),
      backlog: (await storage.countBacklog(orgId, 10)).held.count,
      isHeld: (await storage.listWaitingDestinations()).find(one => one.destinationId === listener.id)
        ?.isHeld,
    });
    const held = { shown: ['held'], counted: 1, backlog: 1, isHeld: true } as const;
    const open = { shown: ['pending'], counted: 0, backlog: 0, isHeld: false } as const;
    expect(await read()).toMatchObject(held);
    expect(await storage.beginListening(orgId, listener.id, 'node 1', NOW + 5)).toBe(true);
    expect(await read()).toMatchObject(open);
    expect(await storage.findDestination(orgId, listener.id)).toMatchObject({
      listenerToken: 'node 1',
      breaker: { openedAt: NOW + 5, nextProbeAt: NOW + 5 },
    });
    // A newer connection takes its place, so that the end of the older one changes nothing.
    expect(await storage.beginListening(orgId, listener.id, 'node 2', NOW)).toBe(true);
    expect(await storage.endListening(orgId, listener.id, 'node 1')).toBe(false);
    expect(await read()).toMatchObject(open);
    expect(await storage.endListening(orgId, listener.id, 'node 2')).toBe(true);
    expect(await read()).toMatchObject(held);
    expect(await storage.beginListening(orgId, 'dst_gone', 'node 3', NOW)).toBe(false);
  });

  test('cancels what waits for a destination that is gone', async () => {
    const { storage, orgId, destination, states } = await sample();
    await routedTo(storage, orgId, [destination.id]);
    await storage.deleteDestination(orgId, destination.id, 'me', NOW);
    expect(await states()).toEqual(['cancelled']);
    // Other tests leave some, too.
    while ((await storage.cancelOrphans(NOW, 1_000)) > 0);
    const [delivery] = await storage.listDeliveries(orgId, { state: 'cancelled' }, { limit: 1, below: null });
    expect(delivery?.finishedAt).toBe(NOW);
  });

  test('a dead delivery can be retried with a fresh budget, or discarded', async () => {
    const { storage, orgId, destination, input, states } = await sample();
    await routedTo(storage, orgId, [destination.id]);
    const [claimed] = await storage.claimDeliveries(input(), lease('a'));
    if (!claimed) throw new Error('Nothing was claimed.');
    expect(await storage.retryDelivery(orgId, claimed.id, NOW)).toBe(false);
    await storage.recordAttempts([record(claimed, 'a', { state: 'dead', code: 'bad_status' })]);
    expect(await storage.countDeliveries(orgId, { state: 'dead', code: 'bad_status' })).toBe(1);
    expect(await storage.retryDelivery(orgId, claimed.id, NOW)).toBe(true);
    const [again] = await storage.claimDeliveries(input(), lease('b'));
    expect(again).toMatchObject({ attempt: 1, budgetFrom: 1, isRetried: true });
    expect(await storage.discardDelivery(orgId, claimed.id, NOW)).toBe(true);
    expect(await states()).toEqual(['cancelled']);
    expect(await storage.discardDelivery(orgId, claimed.id, NOW)).toBe(false);
  });

  test('frees what was claimed with a token, so many at once, and leaves it where it was', async () => {
    const { storage, orgId, destination, input, states } = await sample();
    await routedTo(storage, orgId, [destination.id], { count: 3 });
    const [first] = await storage.claimDeliveries(input(1), lease('node 1'));
    if (!first) throw new Error('Nothing was claimed.');
    await storage.recordAttempts([record(first, 'node 1', { state: 'retrying', dueAt: NOW })]);
    expect(await storage.claimDeliveries(input(), lease('node 2'))).toHaveLength(3);
    const free = (...deliveries: string[]) => storage.freeClaims(tokensOf({ deliveries }), 2, NOW);
    expect(await free('node 1', 'nobody 1')).toBe(0);
    expect((await states()).toSorted()).toEqual(['delivering', 'delivering', 'delivering']);
    expect([await free('node 2'), await free('node 2'), await free('node 2')]).toEqual([2, 1, 0]);
    expect((await states()).toSorted()).toEqual(['pending', 'pending', 'retrying']);
  });

  test.each([
    [
      'given back',
      (storage: EveryStore, orgId: string, id: string, at: number) =>
        storage.releaseDeliveries([{ orgId, id, token: 'a' }], at),
    ],
    [
      'freed',
      (storage: EveryStore, _orgId: string, _id: string, at: number) =>
        storage.freeClaims(tokensOf({ deliveries: ['a'] }), 100, at),
    ],
  ])('what is %s was due, although the clock has gone back since', async (_, giveBack) => {
    const { storage, orgId, destination, input } = await sample();
    await routedTo(storage, orgId, [destination.id]);
    const dueAfter = async (at: number) => {
      const [claimed] = await storage.claimDeliveries(input(), lease('a'));
      await giveBack(storage, orgId, claimed?.id ?? '', at);
      return (await storage.findDelivery(orgId, claimed?.id ?? ''))?.nextAttemptAt;
    };
    // Where it has not, it keeps its place.
    expect(await dueAfter(NOW + 1_000)).toBe(NOW);
    expect(await dueAfter(NOW - 86_400_000)).toBe(NOW - 86_400_000);
  });

  test('brings forward what is due later than it can be, and leaves what is not', async () => {
    const { storage, orgId, destination, input } = await sample();
    await routedTo(storage, orgId, [destination.id]);
    await routedTo(storage, orgId, [destination.id]);
    const [claimed] = await storage.claimDeliveries(input(1), lease('a'));
    if (!claimed) throw new Error('Nothing was claimed.');
    await storage.recordAttempts([record(claimed, 'a', { state: 'retrying', dueAt: NOW + 500 })]);
    const bring = (at: number, retrying: number) =>
      storage.bringForward(orgId, destination.id, { pending: at, retrying }, at, 100);
    const due = async () =>
      (await storage.listDeliveries(orgId, {}, { limit: 9, below: null }))
        .map(({ nextAttemptAt }) => (nextAttemptAt ?? 0) - NOW)
        .sort((a, b) => a - b);
    expect(await bring(NOW, NOW + 500)).toBe(0);
    expect(await bring(NOW - 1, NOW + 500)).toBe(1);
    expect(await due()).toEqual([-1, 500]);
    expect(await bring(NOW, NOW + 499)).toBe(1);
    expect(await due()).toEqual([-1, 0]);
  });

  test('takes a deleted destination out of its pipelines, in a version of its own', async () => {
    const { storage, orgId, destination } = await sample();
    const id = idAt('pipe', NOW);
    const definition = {
      name: 'All',
      sources: [],
      steps: [],
      destinations: [{ id: destination.id }, { id: 'dst_2' }],
    };
    await storage.createPipeline(
      {
        id,
        orgId,
        name: 'All',
        enabled: true,
        version: 1,
        definition: JSON.stringify(definition),
        createdAt: NOW,
        updatedAt: NOW,
      },
      'me',
    );
    await storage.deleteDestination(orgId, destination.id, 'me', NOW + 1);
    const pipeline = await storage.findPipeline(orgId, id);
    expect(pipeline?.version).toBe(2);
    expect(JSON.parse(pipeline?.definition ?? '')).toEqual({
      ...definition,
      destinations: [{ id: 'dst_2' }],
    });
  });

  test('keeps an old event while a delivery of it is open, held or dead; then it goes with all of them', async () => {
    const { storage, orgId, destination, input } = await sample();
    const eventId = await routedTo(storage, orgId, [destination.id]);
    const prune = (deadBefore: number) =>
      storage.pruneEvents(orgId, { before: NOW + 1_000, deadBefore }, { after: null, limit: 100 });
    await storage.updateDestination(orgId, destination.id, { paused: true }, NOW);
    expect(await prune(NOW)).toMatchObject({ removed: 0 });
    await storage.updateDestination(orgId, destination.id, { paused: false }, NOW);
    const [claimed] = await storage.claimDeliveries(input(), lease('a'));
    if (!claimed) throw new Error('Nothing was claimed.');
    expect(await prune(NOW)).toMatchObject({ removed: 0 });
    await storage.recordAttempts([record(claimed, 'a', { state: 'dead', code: 'bad_status' })]);
    expect(await prune(NOW + 5)).toMatchObject({ removed: 0 });
    expect(await storage.listAttempts(orgId, claimed.id)).toHaveLength(1);
    expect(await prune(NOW + 6)).toMatchObject({ removed: 1 });
    expect(await storage.findEvent(orgId, eventId)).toBeNull();
    expect(await storage.findDelivery(orgId, claimed.id)).toBeNull();
    expect(await storage.listAttempts(orgId, claimed.id)).toEqual([]);
  });
}
