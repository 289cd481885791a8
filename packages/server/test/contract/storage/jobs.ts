import { expect, test } from 'bun:test';
import { everyStore } from '../../support/every-store.ts';
import { aClaimInput, accepted, aJob, aPipeline, aRun, aSettlement, unclaimed } from './pipeline-samples.ts';
import { idAt, NOW } from './samples.ts';
import type { Subject } from './suite.ts';

export function jobsContract(subject: Subject): void {
  const orgId = () => idAt('org', NOW);
  /** Jobs are claimed whatever their organisation: a kind of its own keeps a test to itself. */
  const kind = () => idAt('job', NOW);
  const lease = (now: number, token = `node ${idAt('run', NOW)}`) => ({ token, now, leaseMs: 100 });

  test('keeps a job as it was made, and lists the newest first', async () => {
    const org = orgId();
    const jobs = [
      aJob(org, {
        request: '{"filter":{}}',
        total: 9,
        done: 2,
        failed: 1,
        position: 'here',
        notes: ['a „note“'],
      }),
      aJob(org, { state: 'done', finishedAt: NOW + 5 }),
      aJob(org),
    ];
    for (const job of jobs) await subject.storage.createJob(job);
    const [first] = jobs;
    expect(await subject.storage.findJob(org, first?.id ?? '')).toEqual(first ?? null);
    const list = (limit: number, below: string | null) => subject.storage.listJobs(org, { limit, below });
    expect(await list(10, null)).toEqual(jobs.toReversed());
    expect(await list(1, jobs[2]?.id ?? '')).toEqual(jobs.slice(1, 2));
    expect(await subject.storage.findJob(orgId(), first?.id ?? '')).toBeNull();
    expect(await subject.storage.listJobs(orgId(), { limit: 10, below: null })).toEqual([]);
  });

  test('is worked on by one at a time, whoever has waited longest first', async () => {
    const [org, own] = [orgId(), kind()];
    const [first, second] = [aJob(org, { kind: own }), aJob(org, { kind: own })];
    for (const job of [first, second]) await subject.storage.createJob(job);
    expect(await subject.storage.hasOpenJobs([own], NOW)).toBe(true);
    const claims = await subject.atOnce(6, storage => storage.claimJob([own, 'other'], lease(NOW)));
    expect(
      claims
        .filter(job => job !== null)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([first.id, second.id]);
    expect(await subject.storage.hasOpenJobs([own], NOW + 99)).toBe(false);
    expect(await subject.storage.claimJob([own], lease(NOW + 99))).toBeNull();

    for (const job of claims.filter(job => job !== null))
      await subject.storage.advanceJob(job, {}, NOW + (job.id === first.id ? 60 : 50));
    expect((await subject.storage.claimJob([own], lease(NOW + 60)))?.id).toBe(second.id);
    expect((await subject.storage.claimJob([own], lease(NOW + 60)))?.id).toBe(first.id);
  });

  test('says how far it has come, and stops for good when it has ended', async () => {
    const [org, own] = [orgId(), kind()];
    const job = aJob(org, { kind: own, done: 1 });
    await subject.storage.createJob(job);
    const advanced = await subject.storage.advanceJob(
      unclaimed(job),
      { total: 9, done: 3, failed: 1, position: 'there', notes: ['n'] },
      NOW,
    );
    expect(advanced).toBe(true);
    await subject.storage.advanceJob(unclaimed(job), { done: 2 }, NOW);
    expect(await subject.storage.findJob(org, job.id)).toMatchObject({
      total: 9,
      done: 6,
      failed: 1,
      position: 'there',
      notes: ['n'],
    });
    expect(await subject.storage.advanceJob(unclaimed({ ...job, orgId: orgId() }), { done: 1 }, NOW)).toBe(
      false,
    );
    expect(await subject.storage.finishJob(orgId(), job.id, 'cancelled', NOW)).toBe(false);
    expect(await subject.storage.finishJob(org, job.id, 'cancelled', NOW + 7)).toBe(true);
    expect(await subject.storage.finishJob(org, job.id, 'done', NOW + 8)).toBe(false);
    expect(await subject.storage.advanceJob(unclaimed(job), { done: 1 }, NOW)).toBe(false);
    expect(await subject.storage.findJob(org, job.id)).toMatchObject({
      state: 'cancelled',
      finishedAt: NOW + 7,
      done: 6,
    });
    expect(await subject.storage.claimJob([own], lease(NOW + 1_000_000))).toBeNull();
  });

  test('that another has taken over is left alone by who was too slow', async () => {
    const [org, own] = [orgId(), kind()];
    const { storage } = subject;
    await storage.createJob(aJob(org, { kind: own }));
    const slow = await storage.claimJob([own], lease(NOW));
    const quick = await storage.claimJob([own], lease(NOW + 100));
    if (!slow || !quick) throw new Error('Nothing was claimed.');
    const replays = [{ eventId: idAt('evt', NOW), plan: null }];
    expect(await storage.advanceJob(slow, { done: 1, position: 'slow' }, NOW, { replays })).toBe(false);
    expect(await storage.finishJob(org, slow.id, 'done', NOW, slow.token)).toBe(false);
    expect(await storage.hasOutstanding(org, slow.id)).toBe(false);
    expect(await storage.findJob(org, slow.id)).toMatchObject({ done: 0, position: null, state: 'running' });
    expect(await storage.advanceJob(quick, { done: 1 }, NOW)).toBe(true);
    expect(await storage.finishJob(org, quick.id, 'done', NOW, quick.token)).toBe(true);
  });

  test('that is cancelled takes back what it has parked, and what is under way', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const org = orgId();
    const ids = await accepted(storage, org, 2);
    const first = await storage.claimEvents(aClaimInput());
    await storage.settleEvents(
      first.events.map(one => aSettlement(one, { runs: [aRun()] })),
      NOW,
    );
    const [job, other] = [aJob(org), aJob(org)];
    for (const one of [job, other]) {
      await storage.createJob(one);
      const replays = ids.map(eventId => ({ eventId, plan: null }));
      expect(await storage.advanceJob(unclaimed(one), {}, NOW, { replays })).toBe(true);
    }
    const { events } = await storage.claimEvents(aClaimInput({ limit: 1 }));
    const [taken] = events;
    if (!taken?.jobId) throw new Error('Nothing was claimed.');
    await storage.finishJob(org, taken.jobId, 'cancelled', NOW);
    expect(await storage.hasOutstanding(org, taken.jobId)).toBe(false);
    expect(await storage.settleEvents([aSettlement(taken, { runs: [aRun()] })], NOW)).toEqual([
      { kind: 'refused' },
    ]);
    const rest = (await storage.claimEvents(aClaimInput())).events;
    expect(rest.map(({ jobId }) => jobId)).toEqual(
      [job.id, other.id].filter(id => id !== taken.jobId).flatMap(id => [id, id]),
    );
    const replays = [{ eventId: ids[0] ?? '', plan: null }];
    const cancelled = unclaimed({ orgId: org, id: taken.jobId });
    expect(await storage.advanceJob(cancelled, {}, NOW, { replays })).toBe(false);
    expect(await storage.hasOutstanding(org, taken.jobId)).toBe(false);
    await remove();
  });

  test('finds the first runs of events, and leaves out replays', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const org = orgId();
    const [seen = '', unrouted = ''] = await accepted(storage, org, 2);
    for (const one of (await storage.claimEvents(aClaimInput())).events) {
      const runs = [
        aRun({ pipelineId: 'pipe_a', version: 2 }),
        aRun({ pipelineId: 'pipe_b', version: 5, outcome: 'failed' }),
      ];
      await storage.settleEvents([aSettlement(one, { runs: one.event.id === seen ? runs : [] })], NOW);
    }
    const job = aJob(org);
    await storage.createJob(job);
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId: seen, plan: null }] });
    for (const one of (await storage.claimEvents(aClaimInput())).events) {
      await storage.settleEvents([aSettlement(one, { runs: [aRun({ pipelineId: 'pipe_c' })] })], NOW);
    }
    expect(await storage.listFirstRuns(org, [seen, unrouted, 'evt_x'])).toEqual({
      [seen]: [
        { pipelineId: 'pipe_a', version: 2, retries: 0, dueAt: 0 },
        { pipelineId: 'pipe_b', version: 5, retries: 0, dueAt: 0 },
      ],
    });
    expect(await storage.listFirstRuns(org, [])).toEqual({});
    expect(await storage.listFirstRuns(orgId(), [seen])).toEqual({});
    await remove();
  });

  test('goes when it was finished long ago; so do versions and counts of pipelines that are gone, with the events of their time', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const org = orgId();
    const [old, recent, open] = [
      aJob(org, { finishedAt: NOW - 10, state: 'done' }),
      aJob(org, { finishedAt: NOW, state: 'done' }),
      aJob(org, { createdAt: NOW - 1_000 }),
    ];
    for (const job of [old, recent, open]) await storage.createJob(job);
    const [kept, ran, gone] = [aPipeline(org), aPipeline(org), aPipeline(org)];
    for (const pipeline of [kept, ran, gone]) await storage.createPipeline(pipeline, 'ada');
    await accepted(storage, org, 1);
    const [one] = (await storage.claimEvents(aClaimInput())).events;
    const tallies = [ran, gone].map(({ id }) => ({
      pipelineId: id,
      version: 1,
      step: 0,
      tally: 'cache_hit' as const,
      count: 1,
    }));
    if (one)
      await storage.settleEvents([aSettlement(one, { runs: [aRun({ pipelineId: ran.id })], tallies })], NOW);
    for (const { id } of [ran, gone]) await storage.deletePipeline(org, id);

    await storage.pruneProcessing(NOW, NOW, 10);
    expect((await storage.listJobs(org, { limit: 9, below: null })).map(({ id }) => id)).toEqual([
      open.id,
      recent.id,
    ]);
    const versions = () =>
      Promise.all(
        [kept, ran, gone].map(async ({ id }) => (await storage.listPipelineVersions(org, id)).length),
      );
    const hits = () =>
      Promise.all([ran, gone].map(async ({ id }) => (await storage.readTallies(org, id)).cache_hit));
    expect([await versions(), await hits()]).toEqual([
      [1, 1, 1],
      [1, 1],
    ]);
    const cutoffs = { before: NOW + 1, deadBefore: NOW + 1 };
    expect((await storage.pruneEvents(org, cutoffs, { after: null, limit: 9 })).removed).toBe(1);
    expect(await storage.pruneProcessing(NOW, NOW, 1)).toBe(1);
    expect(await storage.pruneProcessing(NOW, NOW, 10)).toBe(1);
    expect([await versions(), await hits()]).toEqual([
      [1, 0, 0],
      [0, 0],
    ]);
    await remove();
  });
}
