import { afterAll, beforeAll, expect, test } from 'bun:test';
import { UNKNOWN_PIPELINE } from '../../../src/core/event/outcome.ts';
import type { ClaimedEvent, Settlement } from '../../../src/core/stores/event-queue.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination } from './delivery-samples.ts';
import { aClaimInput, aJob, aRun, aSettlement, unclaimed } from './pipeline-samples.ts';
import { anEvent, aRequest, idAt, NOW } from './samples.ts';
import type { Lent, Subject } from './suite.ts';

export function retriesContract(subject: Subject): void {
  let opened: Lent;
  let storage: EveryStore;
  beforeAll(async () => {
    opened = await subject.openEmpty();
    storage = everyStore(opened.nodes[0]);
  });
  afterAll(() => opened.remove());

  const orgId = () => idAt('org', NOW);

  /** A fresh event that this test alone has claimed. */
  async function claimed(org: string): Promise<ClaimedEvent> {
    await storage.append([aRequest(org, [anEvent()])]);
    const [one] = (await storage.claimEvents(aClaimInput())).events;
    if (one === undefined) throw new Error('Nothing was claimed.');
    return one;
  }

  const settle = async (one: ClaimedEvent, given: Partial<Settlement>) =>
    (await storage.settleEvents([aSettlement(one, given)], NOW))[0];
  const deliveriesOf = ({ orgId: org, event }: ClaimedEvent) =>
    storage.listDeliveries(org, { event: event.id }, { limit: 100, below: null });
  const failed = (pipelineId: string) => aRun({ pipelineId, outcome: 'failed' });

  /** An event that failed in two pipelines, claimed by one job for the first of them and by another for both. */
  async function retriedTwice() {
    const org = orgId();
    const destination = aDestination(org);
    await storage.createDestination(destination);
    const one = await claimed(org);
    await settle(one, { runs: [failed('pipe_a'), failed('pipe_b')] });
    for (const pipelines of [['pipe_a'], ['pipe_a', 'pipe_b']]) {
      const job = aJob(org);
      await storage.createJob(job);
      const plan = pipelines.map(id => ({
        pipelineId: id,
        version: null,
        retries: 0,
        dueAt: 0,
        retryOf: id,
      }));
      await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId: one.event.id, plan }] });
    }
    const { events } = await storage.claimEvents(aClaimInput());
    const [narrow, wide] = [1, 2].map(many => events.find(({ plan }) => plan?.length === many));
    if (!narrow || !wide) throw new Error('Not both were claimed.');
    const better = (claim: ClaimedEvent, id = idAt('run', NOW + 1)) => {
      const retryOf = (claim.plan ?? []).map(({ pipelineId }) => pipelineId);
      const runs = retryOf.map(pipelineId =>
        aRun({ id: `${id}${pipelineId}`, pipelineId, destinations: [destination.id], output: '{}' }),
      );
      return aSettlement(claim, { runs, retryOf });
    };
    return { one, narrow, wide, better };
  }

  test('of what another one has resolved are answered so, and make nothing', async () => {
    const { one, narrow, wide, better } = await retriedTwice();
    const [first, second] = await storage.settleEvents([better(narrow), better(wide)], NOW);
    expect([first, second]).toEqual([
      {
        kind: 'settled',
        deliveries: 1,
        state: 'processed',
        before: 'failed',
        repeated: [
          {
            pipelineId: 'pipe_a',
            inPlaceOf: { outcome: 'failed', version: 1, step: null },
            stepsBefore: 0,
          },
        ],
      },
      { kind: 'needless', pipelineIds: ['pipe_a'] },
    ]);
    expect(await deliveriesOf(one)).toHaveLength(1);
    const rest = better(wide);
    const left = { ...rest, runs: rest.runs.slice(1), retryOf: ['pipe_b'] };
    expect((await storage.settleEvents([left], NOW))[0]).toMatchObject({ kind: 'settled', deliveries: 1 });
    expect(await storage.listFailedEvents(one.orgId, { limit: 9, below: null })).toEqual([]);
  });

  test('that are settled at once do it once', async () => {
    const { one, narrow, wide, better } = await retriedTwice();
    const results = await Promise.all(
      [narrow, wide].map(async (claim, n) => {
        const node = opened.nodes[n] ?? opened.nodes[0];
        return (await node.eventQueue.settleEvents([better(claim)], NOW))[0]?.kind;
      }),
    );
    expect(results.toSorted()).toEqual(['needless', 'settled']);
    const pipelines = (await deliveriesOf(one)).map(({ pipeline }) => pipeline.id);
    expect(pipelines.filter(id => id === 'pipe_a')).toHaveLength(1);
  });

  test('that failed again, or of what was discarded, do not stand in the way of each other', async () => {
    const { one, narrow, wide, better } = await retriedTwice();
    const again = { ...better(narrow), runs: [aRun({ ...failed('pipe_a'), id: idAt('run', NOW + 1) })] };
    expect((await storage.settleEvents([again], NOW))[0]).toMatchObject({ kind: 'settled' });
    await storage.discardFailedEvent(one.orgId, one.event.id);
    const [result] = await storage.settleEvents([better(wide)], NOW);
    expect(result).toEqual({ kind: 'needless', pipelineIds: ['pipe_a', 'pipe_b'] });
    const nothing = aSettlement(wide, { retryOf: [] });
    expect((await storage.settleEvents([nothing], NOW))[0]).toMatchObject({
      kind: 'settled',
      state: 'failed',
    });
    expect(await storage.findJob(one.orgId, wide.jobId ?? '')).toMatchObject({ done: 1, failed: 0 });
    expect(await deliveriesOf(one)).toEqual([]);
  });

  test('of one pipeline leave alone that others could not be read', async () => {
    const one = await claimed(orgId());
    await settle(one, { runs: [failed(UNKNOWN_PIPELINE), failed('pipe_a')] });
    const job = aJob(one.orgId);
    await storage.createJob(job);
    const planned = { pipelineId: 'pipe_a', version: null, retries: 0, dueAt: 0, retryOf: 'pipe_a' };
    const replays = [{ eventId: one.event.id, plan: [planned] }];
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays });
    const [retry] = (await storage.claimEvents(aClaimInput())).events;
    const run = aRun({ id: idAt('run', NOW + 1), pipelineId: 'pipe_a' });
    if (retry) await settle(retry, { runs: [run], retryOf: ['pipe_a'] });
    const failures = await storage.listFailures(one.orgId, [one.event.id]);
    expect(failures.map(({ pipelineId }) => pipelineId)).toEqual([UNKNOWN_PIPELINE]);
  });

  /** An event whose pipelines could not be read, claimed by two jobs that retry that. */
  async function unplannableTwice() {
    const org = orgId();
    const destination = aDestination(org);
    await storage.createDestination(destination);
    const one = await claimed(org);
    await settle(one, { runs: [failed(UNKNOWN_PIPELINE)] });
    const all = {
      pipelineId: UNKNOWN_PIPELINE,
      version: null,
      retries: 0,
      dueAt: 0,
      retryOf: UNKNOWN_PIPELINE,
    };
    for (let n = 0; n < 2; n++) {
      const job = aJob(org);
      await storage.createJob(job);
      await storage.advanceJob(unclaimed(job), {}, NOW, {
        replays: [{ eventId: one.event.id, plan: [all] }],
      });
    }
    const [first, second] = (await storage.claimEvents(aClaimInput())).events;
    if (!first || !second) throw new Error('Not both were claimed.');
    const run = (pipelineId: string) =>
      aRun({ id: idAt('run', NOW + 1), pipelineId, destinations: [destination.id], output: '{}' });
    const waiting = { ...all, pipelineId: 'pipe_waits', retries: 1, dueAt: NOW + 1_000 };
    return { one, first, second, run, waiting, retryOf: [UNKNOWN_PIPELINE] };
  }

  test('of what could not be planned run each pipeline once, also while one of them waits for its model', async () => {
    const { one, first, second, run, waiting, retryOf } = await unplannableTwice();
    const begun = { runs: [run('pipe_quick')], parked: [waiting], retryOf };
    expect(await settle(first, begun)).toMatchObject({ kind: 'settled', deliveries: 1 });
    const again = { runs: [run('pipe_quick')], parked: [waiting], retryOf };
    expect(await settle(second, again)).toEqual({ kind: 'needless', pipelineIds: ['pipe_quick'] });
    expect(await settle(second, { parked: [waiting], retryOf })).toMatchObject({ kind: 'settled' });

    const later = await storage.claimEvents(aClaimInput({ now: NOW + 1_000 }));
    const [one2, two2] = later.events;
    if (!one2 || !two2) throw new Error('Not both were claimed again.');
    expect(await settle(one2, { runs: [run('pipe_waits')], retryOf })).toMatchObject({ deliveries: 1 });
    expect(await settle(two2, { runs: [run('pipe_waits')], retryOf })).toEqual({
      kind: 'needless',
      pipelineIds: [UNKNOWN_PIPELINE],
    });
    const pipelines = (await deliveriesOf(one)).map(({ pipeline }) => pipeline.id);
    expect(pipelines.toSorted()).toEqual(['pipe_quick', 'pipe_waits']);
  });

  test('of what could not be planned, settled at once by two nodes, run each pipeline once', async () => {
    const { one, first, second, run, waiting, retryOf } = await unplannableTwice();
    const results = await Promise.all(
      [first, second].map(async (claim, n) => {
        const node = opened.nodes[n] ?? opened.nodes[0];
        const begun = aSettlement(claim, { runs: [run('pipe_quick')], parked: [waiting], retryOf });
        return (await node.eventQueue.settleEvents([begun], NOW))[0]?.kind;
      }),
    );
    expect(results.toSorted()).toEqual(['needless', 'settled']);
    expect(await deliveriesOf(one)).toHaveLength(1);
  });

  test('of what could not be planned when it was replayed run again what had run before that', async () => {
    const { one, first, run, waiting, retryOf } = await unplannableTwice();
    await settle(first, { runs: [run('pipe_quick')], parked: [waiting], retryOf });
    const job = aJob(one.orgId);
    await storage.createJob(job);
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId: one.event.id, plan: null }] });
    const [replay] = (await storage.claimEvents(aClaimInput())).events;
    if (!replay) throw new Error('The replay was not claimed.');
    const unread = aRun({ id: idAt('run', NOW + 2), pipelineId: UNKNOWN_PIPELINE, outcome: 'failed' });
    await settle(replay, { runs: [unread] });
    const retryJob = aJob(one.orgId);
    await storage.createJob(retryJob);
    const plan = [{ ...waiting, pipelineId: UNKNOWN_PIPELINE, dueAt: 0 }];
    await storage.advanceJob(unclaimed(retryJob), {}, NOW, { replays: [{ eventId: one.event.id, plan }] });
    const [retry] = (await storage.claimEvents(aClaimInput())).events;
    if (!retry) throw new Error('The retry was not claimed.');
    const wanted = { ...run('pipe_quick'), id: idAt('run', NOW + 3) };
    expect(await settle(retry, { runs: [wanted], retryOf })).toMatchObject({
      kind: 'settled',
      deliveries: 1,
    });
  });
}
