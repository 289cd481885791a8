import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { ClaimedEvent, Settlement } from '../../../src/core/stores/event-queue.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination } from './delivery-samples.ts';
import { aClaimInput, aJob, aRun, aSettlement, unclaimed } from './pipeline-samples.ts';
import { anEvent, aRequest, idAt, NOW } from './samples.ts';
import type { Lent, Subject } from './suite.ts';

/** What a replay does to the deliveries of its event that had died, and to the state that the event was in. */
export function replaysContract(subject: Subject): void {
  let opened: Lent;
  let storage: EveryStore;
  beforeAll(async () => {
    opened = await subject.openEmpty();
    storage = everyStore(opened.nodes[0]);
  });
  afterAll(() => opened.remove());

  const settle = async (one: ClaimedEvent, given: Partial<Settlement>, at = NOW) =>
    (await storage.settleEvents([aSettlement(one, given)], at))[0];
  const deliveriesOf = ({ orgId, event }: ClaimedEvent) =>
    storage.listDeliveries(orgId, { event: event.id }, { limit: 100, below: null });

  async function claimOne(): Promise<ClaimedEvent> {
    const [one] = (await storage.claimEvents(aClaimInput())).events;
    if (one === undefined) throw new Error('Nothing was claimed.');
    return one;
  }

  /** An event that went through two pipelines, each to both destinations, where all four deliveries died. */
  async function died() {
    const orgId = idAt('org', NOW);
    const [near, far] = [aDestination(orgId), aDestination(orgId)];
    for (const destination of [near, far]) await storage.createDestination(destination);
    const destinations = [near.id, far.id];
    await storage.append([aRequest(orgId, [anEvent()])]);
    const one = await claimOne();
    const run = (pipelineId: string) => aRun({ pipelineId, destinations, output: '{}' });
    await settle(one, { runs: [run('pipe_a'), run('pipe_b')] });
    const lease = { token: 'sender', now: NOW, until: NOW + 60_000 };
    const claims = destinations.map(destinationId => ({ orgId, destinationId, limit: 10, bytes: 1 << 20 }));
    for (const { id } of await storage.claimDeliveries(claims, lease)) await die(orgId, id);
    expect((await deliveriesOf(one)).map(({ state }) => state)).toEqual(['dead', 'dead', 'dead', 'dead']);
    return { one, orgId, near, far };
  }

  const die = (orgId: string, deliveryId: string) =>
    storage.recordAttempts([
      {
        orgId,
        deliveryId,
        token: 'sender',
        attempt: {
          n: 1,
          at: NOW,
          durationMs: 1,
          status: 500,
          code: 'bad_status',
          message: 'no',
          request: '{}',
          response: '',
        },
        next: { state: 'dead', code: 'bad_status' },
      },
    ]);

  async function replayed(one: ClaimedEvent): Promise<ClaimedEvent> {
    const job = aJob(one.orgId);
    await storage.createJob(job);
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId: one.event.id, plan: null }] });
    return claimOne();
  }

  test('a dead delivery that a replay makes again is cancelled as replayed, and names the new one', async () => {
    const { one, orgId, near } = await died();
    const before = await deliveriesOf(one);
    const again = await replayed(one);
    const run = aRun({
      id: idAt('run', NOW + 1),
      pipelineId: 'pipe_a',
      destinations: [near.id],
      output: '{}',
    });
    expect(await settle(again, { runs: [run] }, NOW + 5)).toMatchObject({ deliveries: 1, replayed: 1 });
    const after = await deliveriesOf(one);
    const made = after.find(({ state }) => state === 'pending');
    const isOld = ({ pipeline, destination }: (typeof before)[number]) =>
      pipeline.id === 'pipe_a' && destination.id === near.id;
    const old = before.find(isOld);
    expect(after.find(({ id }) => id === old?.id)).toMatchObject({
      state: 'cancelled',
      code: 'replayed',
      replayedBy: made?.id,
      finishedAt: NOW + 5,
      attempt: 1,
    });
    expect(made).toMatchObject({ replayedBy: null, code: null });
    // What the replay did not make again is dead as before: by another pipeline, and to another destination.
    const others = after.filter(({ id }) => id !== old?.id && id !== made?.id);
    expect(others.map(({ state }) => state)).toEqual(['dead', 'dead', 'dead']);
    expect(await storage.countDeliveries(orgId, { state: 'dead' })).toBe(3);
    expect(await storage.retryDelivery(orgId, old?.id ?? '', NOW)).toBe(false);
  });

  test('a delivery that an outage had ended still says so once a replay has made it again', async () => {
    const orgId = idAt('org', NOW);
    const near = aDestination(orgId);
    await storage.createDestination(near);
    await storage.append([aRequest(orgId, [anEvent()])]);
    const one = await claimOne();
    const run = () => aRun({ pipelineId: 'pipe_a', destinations: [near.id], output: '{}' });
    await settle(one, { runs: [run()] });
    const [waiting] = await deliveriesOf(one);
    const failure = 'It answered 500.';
    await storage.openBreaker(orgId, near.id, { openedAt: NOW, nextProbeAt: NOW + 1_000, failure });
    const outage = { downSince: NOW, probedAt: NOW + 77 };
    const at = { orgId, id: near.id, asOf: near.updatedAt };
    expect(await storage.expireDeliveries(at, [waiting?.id ?? ''], outage, NOW + 99)).toBe(1);
    await settle(await replayed(one), { runs: [run()] }, NOW + 200);
    const old = (await deliveriesOf(one)).find(({ id }) => id === waiting?.id);
    expect(old).toMatchObject({ state: 'cancelled', code: 'replayed', attempt: 0, outage });
  });

  test('a replay that routes nowhere, or to a destination that is gone, leaves the dead as they are', async () => {
    const { one, orgId, far } = await died();
    const nowhere = await replayed(one);
    await settle(nowhere, {
      runs: [aRun({ id: idAt('run', NOW + 1), pipelineId: 'pipe_a', outcome: 'dropped' })],
    });
    const gone = await replayed(one);
    await storage.deleteDestination(orgId, far.id, 'test', NOW);
    const run = aRun({
      id: idAt('run', NOW + 2),
      pipelineId: 'pipe_a',
      destinations: [far.id],
      output: '{}',
    });
    const result = await settle(gone, { runs: [run] });
    expect(result).toMatchObject({ kind: 'settled', deliveries: 0, gone: [far.id] });
    expect(result).not.toHaveProperty('replayed');
    expect((await deliveriesOf(one)).map(({ state }) => state)).toEqual(['dead', 'dead', 'dead', 'dead']);
  });

  test('says which state the event was in before; an event that still waits for its first one has none', async () => {
    const { one } = await died();
    const again = await replayed(one);
    const outcome = { id: idAt('run', NOW + 1), pipelineId: 'pipe_a', outcome: 'dropped' } as const;
    const worse = [aRun(outcome), aRun({ ...outcome, id: idAt('run', NOW + 1), pipelineId: 'pipe_b' })];
    expect(await settle(again, { runs: worse })).toMatchObject({ state: 'dropped', before: 'processed' });

    await storage.append([aRequest(one.orgId, [anEvent()])]);
    const waiting = await claimOne();
    const parked = [{ pipelineId: 'pipe_a', version: null, retries: 1, dueAt: NOW + 10 }];
    await settle(waiting, { parked });
    const meanwhile = await replayed(waiting);
    const result = await settle(meanwhile, {
      runs: [aRun({ id: idAt('run', NOW + 1), pipelineId: 'pipe_b' })],
    });
    expect(result).toMatchObject({ state: 'processed' });
    expect(result).not.toHaveProperty('before');
    const [late] = (await storage.claimEvents(aClaimInput({ now: NOW + 20 }))).events;
    if (late === undefined) throw new Error('What was put off was not claimed.');
    const last = { runs: [aRun({ id: idAt('run', NOW + 2), pipelineId: 'pipe_a', outcome: 'failed' })] };
    expect(await settle(late, last)).toMatchObject({ state: 'processed', before: 'processed' });
  });
}
