import { describe, expect, test } from 'bun:test';
import { UNKNOWN_PIPELINE } from '../../../src/core/event/outcome.ts';
import type { ClaimedEvent, SettledRun, Settlement } from '../../../src/core/stores/event-queue.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination } from './delivery-samples.ts';
import { onOwnDatabase } from './own-database.ts';
import { aClaimInput, accepted, aJob, aRun, aSettlement, tokensOf, unclaimed } from './pipeline-samples.ts';
import { anEvent, aRequest, idAt, NOW } from './samples.ts';
import type { Lent, Subject } from './suite.ts';

/** Whose tallies they are. */
const step = { version: 1, step: 0 };

export function settleContract(subject: Subject): void {
  let opened: Lent;
  let storage: EveryStore;
  onOwnDatabase(subject, own => {
    opened = own;
    storage = everyStore(own.nodes[0]);
  });

  const orgId = () => idAt('org', NOW);

  /** A fresh event that this test alone has claimed. */
  async function claimed(
    org: string,
    given: Partial<Parameters<typeof anEvent>[0]> = {},
  ): Promise<ClaimedEvent> {
    await storage.append([aRequest(org, [anEvent(given)])]);
    const [one] = (await storage.claimEvents(aClaimInput())).events;
    if (one === undefined) throw new Error('Nothing was claimed.');
    return one;
  }

  async function settle(one: ClaimedEvent, given: Partial<Settlement> = {}) {
    const [result] = await storage.settleEvents([aSettlement(one, given)], NOW);
    return result;
  }

  const stateOf = async ({ orgId: org, event }: ClaimedEvent) =>
    (await storage.findEvent(org, event.id))?.state;
  const runsOf = ({ orgId: org, event }: ClaimedEvent) => storage.listRuns(org, event.id);
  const deliveriesOf = ({ orgId: org, event }: ClaimedEvent) =>
    storage.listDeliveries(org, { event: event.id }, { limit: 100, below: null });
  const keyed = (...keys: string[]): SettledRun['claims'] =>
    keys.map((key, step) => ({ scope: 'scope', key, expiresAt: NOW + 100, step }));

  test('a late result is refused before anything else is asked about it', async () => {
    const org = orgId();
    const first = await claimed(org);
    await settle(first, { runs: [aRun({ claims: keyed('taken') })] });
    const late = await claimed(org);
    await storage.freeClaims(tokensOf({ events: [late.token] }), 10, NOW);
    const taken = await storage.claimSuspect('other 1');
    expect(taken?.event.id).toBe(late.event.id);
    // Both its dedupe key and what it retries are gone; neither is any business of whoever lost the claim.
    const runs = [aRun({ claims: keyed('taken') })];
    expect(await settle(late, { runs })).toEqual({ kind: 'refused' });
    expect(await settle(late, { runs, retryOf: ['pipe_gone'] })).toEqual({ kind: 'refused' });
  });

  describe('the state of an event', () => {
    const outcomes: [string, SettledRun['outcome'][], string][] = [
      ['no run', [], 'unrouted'],
      ['a run that was routed', ['dropped', 'failed', 'routed'], 'processed'],
      ['a run that failed', ['dropped', 'failed'], 'failed'],
      ['runs that were dropped', ['dropped', 'dropped'], 'dropped'],
    ];
    test.each(outcomes)('after %s', async (_what, all, state) => {
      const one = await claimed(orgId());
      const runs = all.map((outcome, n) => aRun({ outcome, pipelineId: `pipe_${n}` }));
      expect(await settle(one, { runs })).toEqual({
        kind: 'settled',
        deliveries: 0,
        state: state as 'unrouted',
      });
      expect(await stateOf(one)).toBe(state as 'unrouted');
    });

    test('is that of the latest run of each pipeline once it is replayed', async () => {
      const one = await claimed(orgId());
      await settle(one, { runs: [aRun({ outcome: 'routed' })] });
      const again = async (outcome: SettledRun['outcome'] | null, pipelineId = 'pipe_one') => {
        const job = aJob(one.orgId);
        await storage.createJob(job);
        await storage.advanceJob(unclaimed(job), {}, NOW, {
          replays: [{ eventId: one.event.id, plan: null }],
        });
        const [replay] = (await storage.claimEvents(aClaimInput())).events;
        const id = idAt('run', NOW + 1);
        if (replay)
          await settle(replay, { runs: outcome === null ? [] : [aRun({ id, outcome, pipelineId })] });
        return stateOf(one);
      };
      expect(await again('failed')).toBe('failed');
      expect(await again('dropped', 'pipe_two')).toBe('failed');
      expect(await again(null)).toBe('failed');
      expect(await again('routed', 'pipe_two')).toBe('processed');
    });

    test('no longer says that nobody knew its pipelines, once a replay is through with those it has', async () => {
      const unknown = { outcome: 'failed', pipelineId: UNKNOWN_PIPELINE } as const;
      const one = await claimed(orgId());
      await settle(one, { runs: [aRun(unknown)] });
      expect(await stateOf(one)).toBe('failed');
      const isDead = async () =>
        (await storage.listFailedEvents(one.orgId, { limit: 9, below: null })).length > 0;
      const again = async (given: Partial<Settlement>, now = NOW) => {
        const job = aJob(one.orgId);
        await storage.createJob(job);
        await storage.advanceJob(unclaimed(job), {}, NOW, {
          replays: [{ eventId: one.event.id, plan: null }],
        });
        const [replay] = (await storage.claimEvents(aClaimInput({ now }))).events;
        if (replay) await settle(replay, given);
        return [await stateOf(one), await isDead()];
      };
      const runs = [aRun({ id: idAt('run', NOW + 1), outcome: 'dropped' })];
      expect(await again({ runs: [aRun({ ...unknown, id: idAt('run', NOW + 1) })] })).toEqual([
        'failed',
        true,
      ]);
      const parked = [{ pipelineId: 'pipe_two', version: null, retries: 1, dueAt: NOW + 5 }];
      expect(await again({ runs, parked })).toEqual(['failed', true]);
      const [rest] = (await storage.claimEvents(aClaimInput({ now: NOW + 5 }))).events;
      if (rest) await settle(rest, { runs: [aRun({ pipelineId: 'pipe_two', outcome: 'dropped' })] });
      expect([await stateOf(one), await isDead()]).toEqual(['dropped', false]);

      const alone = await claimed(one.orgId);
      await settle(alone, { runs: [aRun(unknown)] });
      const job = aJob(one.orgId);
      await storage.createJob(job);
      await storage.advanceJob(unclaimed(job), {}, NOW, {
        replays: [{ eventId: alone.event.id, plan: null }],
      });
      const [replay] = (await storage.claimEvents(aClaimInput())).events;
      if (replay) await settle(replay);
      expect([await stateOf(alone), await isDead()]).toEqual(['unrouted', false]);
    });

    test('is still accepted while one of its runs waits to be tried again, and then what all of them came to', async () => {
      const one = await claimed(orgId());
      const parked = [{ pipelineId: 'pipe_b', version: null, retries: 1, dueAt: NOW + 5 }];
      const waits = { kind: 'settled', state: null } as const;
      const routed = [aRun({ outcome: 'routed', pipelineId: 'pipe_a' })];
      expect(await settle(one, { runs: routed, parked })).toMatchObject(waits);
      expect(await stateOf(one)).toBe('accepted');
      const accepting = await storage.listEvents(
        one.orgId,
        { state: 'accepted' },
        { limit: 10, below: null, budgetMs: 1_000 },
      );
      expect(accepting.events.map(({ id }) => id)).toEqual([one.event.id]);
      const [again] = (await storage.claimEvents(aClaimInput({ now: NOW + 5 }))).events;
      if (again) await settle(again, { parked: [{ ...parked[0], dueAt: NOW + 9 } as (typeof parked)[0]] });
      expect(await stateOf(one)).toBe('accepted');
      const [last] = (await storage.claimEvents(aClaimInput({ now: NOW + 9 }))).events;
      const failed = [aRun({ outcome: 'failed', pipelineId: 'pipe_b' })];
      if (last) expect(await settle(last, { runs: failed })).toMatchObject({ state: 'processed' });
      expect(await stateOf(one)).toBe('processed');
      expect(await runsOf(one)).toHaveLength(2);
    });

    test('comes with the sources that it belongs to', async () => {
      const one = await claimed(orgId());
      const matchedSources = [
        { id: 'src_a', name: 'A "quoted" name' },
        { id: 'src_b', name: 'B' },
      ];
      await settle(one, { matchedSources });
      expect((await storage.findEvent(one.orgId, one.event.id))?.sources).toEqual(matchedSources);
      const list = async (source: string) =>
        (await storage.listEvents(one.orgId, { source }, { limit: 9, below: null, budgetMs: 1_000 })).events
          .length;
      expect([await list('src_a'), await list('src_b'), await list('src_'), await list('src%')]).toEqual([
        1, 1, 0, 0,
      ]);
    });
  });

  test('a run is kept as it was', async () => {
    const one = await claimed(orgId());
    const run = aRun({
      outcome: 'failed',
      step: 3,
      reason: 'It broke: „“',
      version: 12,
      trace: '{"steps":[["x","failed",1.5,0,0,"ü"]],"states":[]}',
      notes: [{ destination: 'dst_x', note: 'no' }],
    });
    await settle(one, { runs: [run] });
    expect(await runsOf(one)).toEqual([
      {
        id: run.id,
        pipelineId: run.pipelineId,
        pipelineName: run.pipelineName,
        version: 12,
        outcome: 'failed',
        step: 3,
        reason: 'It broke: „“',
        trace: run.trace,
        notes: [{ destination: 'dst_x', note: 'no' }],
        jobId: null,
        createdAt: NOW,
      },
    ]);
    expect(await storage.listRuns(orgId(), one.event.id)).toEqual([]);
  });

  describe('deliveries', () => {
    test('are made for each destination, and one that is gone is noted', async () => {
      const org = orgId();
      const [first, second] = [aDestination(org), aDestination(org)];
      for (const destination of [first, second]) await storage.createDestination(destination);
      const one = await claimed(org);
      const output = '{"payload":{"n":1},"labels":{}}';
      const run = aRun({ output, destinations: [first.id, 'dst_gone', second.id] });
      expect(await settle(one, { runs: [run] })).toMatchObject({ kind: 'settled', deliveries: 2 });
      const made = await deliveriesOf(one);
      expect(made.map(({ destination }) => destination.id).toSorted()).toEqual(
        [first.id, second.id].toSorted(),
      );
      expect(made[0]).toMatchObject({
        state: 'pending',
        attempt: 0,
        pipeline: { id: run.pipelineId, name: 'One' },
      });
      expect((await runsOf(one))[0]?.notes).toEqual([
        { destination: 'dst_gone', note: expect.stringContaining('gone') },
      ]);
      const list = async (destination: string) =>
        (await storage.listEvents(org, { destination }, { limit: 9, below: null, budgetMs: 1_000 })).events
          .length;
      expect([await list(first.id), await list('dst_gone')]).toEqual([1, 0]);
    });

    test('are not made for a destination of another organisation', async () => {
      const foreign = aDestination(orgId());
      await storage.createDestination(foreign);
      const one = await claimed(orgId());
      const runs = [aRun({ destinations: [foreign.id] })];
      expect(await settle(one, { runs })).toMatchObject({ kind: 'settled', deliveries: 0 });
      expect(await deliveriesOf(one)).toEqual([]);
    });

    test('are made once, however often the same result is settled', async () => {
      const org = orgId();
      const destination = aDestination(org);
      await storage.createDestination(destination);
      const one = await claimed(org);
      const settlement = aSettlement(one, { runs: [aRun({ destinations: [destination.id] })] });
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, n) => {
          const node = opened.nodes[n % opened.nodes.length] ?? opened.nodes[0];
          return node.eventQueue.settleEvents([settlement], NOW);
        }),
      );
      const kinds = results.map(([result]) => result?.kind).toSorted();
      expect(kinds).toEqual([...Array.from({ length: 7 }, () => 'refused'), 'settled'] as typeof kinds);
      expect(await deliveriesOf(one)).toHaveLength(1);
      expect(await runsOf(one)).toHaveLength(1);
    });
  });

  test('a late result is refused once another has the event, and writes nothing', async () => {
    const one = await claimed(orgId());
    await storage.freeClaims(tokensOf({ events: [one.token] }), 10, NOW);
    const other = await storage.claimSuspect('other 1');
    expect(other?.event.id).toBe(one.event.id);
    const runs = [aRun({ claims: keyed('late'), outcome: 'failed' })];
    const tallies = [{ ...step, pipelineId: 'pipe_one', tally: 'model_called' as const, count: 1 }];
    expect(await settle(one, { runs, tallies })).toEqual({ kind: 'refused' });
    expect([await stateOf(one), await runsOf(one)]).toEqual(['accepted', []]);
    expect(await storage.findDedupeKeys([{ orgId: one.orgId, scope: 'scope', key: 'late' }], NOW)).toEqual([
      null,
    ]);
    if (other) expect(await settle(other, { runs })).toMatchObject({ kind: 'settled' });
    expect(await stateOf(one)).toBe('failed');
  });

  test('one that is refused or lost takes none of its neighbours with it', async () => {
    const org = orgId();
    const holder = await claimed(org);
    await settle(holder, { runs: [aRun({ claims: keyed('taken') })] });
    const [good, stale, lost] = [await claimed(org), await claimed(org), await claimed(org)];
    const results = await storage.settleEvents(
      [
        { ...aSettlement(stale), token: 'node nobody' },
        aSettlement(lost, { runs: [aRun({ claims: keyed('taken') })] }),
        aSettlement(good, { runs: [aRun({ claims: keyed('free') })] }),
      ],
      NOW,
    );
    expect(results.map(({ kind }) => kind)).toEqual(['refused', 'lost', 'settled']);
    expect([await stateOf(stale), await stateOf(lost), await stateOf(good)]).toEqual([
      'accepted',
      'accepted',
      'processed',
    ]);
    for (const one of [stale, lost]) await settle(one);
  });

  describe('dedupe keys', () => {
    const find = async (org: string, key: string, at = NOW) =>
      (await storage.findDedupeKeys([{ orgId: org, scope: 'scope', key }], at))[0] ?? null;

    test('are held by the first that settles them, for their window', async () => {
      const org = orgId();
      const [first, second] = [await claimed(org), await claimed(org)];
      await settle(first, { runs: [aRun({ claims: keyed('k') })] });
      expect([await find(org, 'k'), await find(org, 'k', NOW + 99), await find(org, 'k', NOW + 100)]).toEqual(
        [first.event.id, first.event.id, null],
      );
      expect(await settle(second, { runs: [aRun({ claims: keyed('other', 'k') })] })).toEqual({
        kind: 'lost',
        pipelineId: 'pipe_one',
        step: 1,
        first: first.event.id,
      });
      expect(await find(org, 'other')).toBeNull();
      const [late] = await storage.settleEvents(
        [
          aSettlement(second, {
            runs: [aRun({ claims: [{ ...keyed('k')[0], expiresAt: NOW + 300 } as never] })],
          }),
        ],
        NOW + 100,
      );
      expect(late?.kind).toBe('settled');
      expect(await find(org, 'k', NOW + 200)).toBe(second.event.id);
    });

    test('are passed by their own event again', async () => {
      const one = await claimed(orgId());
      await settle(one, { runs: [aRun({ claims: keyed('k') })] });
      const job = aJob(one.orgId);
      await storage.createJob(job);
      await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId: one.event.id, plan: null }] });
      const [again] = (await storage.claimEvents(aClaimInput())).events;
      if (again)
        expect(await settle(again, { runs: [aRun({ claims: keyed('k') })] })).toMatchObject({
          kind: 'settled',
        });
      expect(await find(one.orgId, 'k')).toBe(one.event.id);
    });

    test('of two that settle together go to the first of them', async () => {
      const org = orgId();
      const [first, second] = [await claimed(org), await claimed(org)];
      const results = await storage.settleEvents(
        [first, second].map(one => aSettlement(one, { runs: [aRun({ claims: keyed('same') })] })),
        NOW,
      );
      expect(results).toMatchObject([{ kind: 'settled' }, { kind: 'lost', first: first.event.id }]);
      await settle(second);
    });

    test('that a loser wanted go to the next who wants them', async () => {
      const org = orgId();
      const holder = await claimed(org);
      await settle(holder, { runs: [aRun({ claims: keyed('held') })] });
      const [loser, next] = [await claimed(org), await claimed(org)];
      const results = await storage.settleEvents(
        [
          aSettlement(loser, { runs: [aRun({ claims: keyed('wanted', 'held') })] }),
          aSettlement(next, { runs: [aRun({ claims: keyed('wanted') })] }),
        ],
        NOW,
      );
      expect(results).toMatchObject([{ kind: 'lost', step: 1 }, { kind: 'settled' }]);
      expect(await find(org, 'wanted')).toBe(next.event.id);
      await settle(loser);
    });

    test('let one of many racing events through', async () => {
      const org = orgId();
      const all: ClaimedEvent[] = [];
      for (let n = 0; n < 16; n++) all.push(await claimed(org));
      const results = await Promise.all(
        all.map((one, n) => {
          const node = opened.nodes[n % opened.nodes.length] ?? opened.nodes[0];
          const keys = n % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
          return node.eventQueue.settleEvents(
            [aSettlement(one, { runs: [aRun({ claims: keyed(...keys) })] })],
            NOW,
          );
        }),
      );
      expect(results.flat().filter(({ kind }) => kind === 'settled')).toHaveLength(1);
      for (const one of all) await settle(one);
    });

    test('are apart by organisation and scope', async () => {
      const [one, other] = [await claimed(orgId()), await claimed(orgId())];
      await settle(one, { runs: [aRun({ claims: keyed('k') })] });
      expect(await settle(other, { runs: [aRun({ claims: keyed('k') })] })).toMatchObject({
        kind: 'settled',
      });
      const found = await storage.findDedupeKeys(
        [
          { orgId: one.orgId, scope: 'scope', key: 'k' },
          { orgId: one.orgId, scope: 'another', key: 'k' },
          { orgId: other.orgId, scope: 'scope', key: 'k' },
        ],
        NOW,
      );
      expect(found).toEqual([one.event.id, null, other.event.id]);
      expect(await storage.findDedupeKeys([], NOW)).toEqual([]);
    });
  });

  test('tallies add up, also of nodes that settle at once', async () => {
    const org = orgId();
    const all: ClaimedEvent[] = [];
    for (let n = 0; n < 8; n++) all.push(await claimed(org));
    await Promise.all(
      all.map((one, n) => {
        const node = opened.nodes[n % opened.nodes.length] ?? opened.nodes[0];
        const tallies = [
          { ...step, pipelineId: 'pipe_one', tally: 'cache_hit' as const, count: 2 },
          { ...step, pipelineId: 'pipe_one', tally: 'cache_hit' as const, count: 1 },
          { ...step, pipelineId: 'pipe_two', tally: 'model_called' as const, count: 1 },
        ];
        return node.eventQueue.settleEvents([aSettlement(one, { tallies })], NOW);
      }),
    );
    expect(await storage.readTallies(org, 'pipe_one')).toEqual({
      model_called: 0,
      cache_hit: 24,
      call_shared: 0,
    });
    expect(await storage.readTallies(org, 'pipe_two')).toEqual({
      model_called: 8,
      cache_hit: 0,
      call_shared: 0,
    });
    expect(await storage.readTallies(orgId(), 'pipe_one')).toEqual({
      model_called: 0,
      cache_hit: 0,
      call_shared: 0,
    });
  });

  test('of many runs the latest are read, oldest first', async () => {
    const one = await claimed(orgId());
    const runs = [0, 1, 2, 3].map(n => aRun({ id: idAt('run', NOW + n), pipelineId: `pipe_${n}` }));
    await settle(one, { runs });
    const ids = async (latest?: number) =>
      (await storage.listRuns(one.orgId, one.event.id, latest)).map(({ pipelineId }) => pipelineId);
    expect(await ids()).toEqual(['pipe_0', 'pipe_1', 'pipe_2', 'pipe_3']);
    expect(await ids(2)).toEqual(['pipe_2', 'pipe_3']);
  });

  test('a replay counts for its job when all of it is settled', async () => {
    const org = orgId();
    const ids = await accepted(storage, org, 3);
    for (const one of (await storage.claimEvents(aClaimInput())).events) await settle(one);
    const job = aJob(org, { total: 3 });
    await storage.createJob(job);
    const replays = ids.map(eventId => ({ eventId, plan: null }));
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays });
    const [good, bad, parked] = (await storage.claimEvents(aClaimInput())).events;
    if (!good || !bad || !parked) throw new Error('Not all were claimed.');
    await settle(good, { runs: [aRun()] });
    await settle(bad, { runs: [aRun({ outcome: 'failed' }), aRun({ pipelineId: 'pipe_two' })] });
    await settle(parked, { parked: [{ pipelineId: 'pipe_one', version: null, retries: 1, dueAt: NOW + 1 }] });
    expect(await storage.findJob(org, job.id)).toMatchObject({ done: 2, failed: 1 });
    expect(await storage.hasOutstanding(org, job.id)).toBe(true);
    const [last] = (await storage.claimEvents(aClaimInput({ now: NOW + 1 }))).events;
    if (last) await settle(last, { runs: [aRun()] });
    expect(await storage.findJob(org, job.id)).toMatchObject({ done: 3, failed: 1 });
    expect((await storage.listRuns(org, good.event.id)).map(({ jobId }) => jobId)).toEqual([job.id]);
  });
}
