import { expect, test } from 'bun:test';
import type { PlannedRun } from '../../../src/core/stores/event-queue.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { onOwnDatabase } from './own-database.ts';
import { aClaimInput, accepted, aJob, aRun, aSettlement, tokensOf, unclaimed } from './pipeline-samples.ts';
import { anEvent, aRequest, aWebhookSource, idAt, NOW } from './samples.ts';
import type { Lent, Subject } from './suite.ts';

/** Claims see every organisation, so these tests have a database of their own and leave nothing waiting in it. */
export function claimsContract(subject: Subject): void {
  let opened: Lent;
  let storage: EveryStore;
  onOwnDatabase(subject, own => {
    opened = own;
    storage = everyStore(own.nodes[0]);
  });

  const orgId = () => idAt('org', NOW);
  const claim = async (given: Parameters<typeof aClaimInput>[0] = {}) => [
    ...(await storage.claimEvents(aClaimInput(given))).events,
  ];
  const idsOf = (claimed: readonly { event: { id: string } }[]) => claimed.map(({ event }) => event.id);
  const settle = (claimed: Awaited<ReturnType<typeof claim>>) =>
    storage.settleEvents(
      claimed.map(one => aSettlement(one)),
      NOW,
    );

  test('hands out an event with all that a pipeline needs', async () => {
    const org = orgId();
    const source = aWebhookSource(org);
    const event = anEvent({
      type: 'order.paid',
      icon: '💳',
      payload: '{"n":9007199254740993,"ü":"„“"}',
      senderId: 'order 1',
      entityKind: 'customer',
      entityExternalId: 'c 1',
      happenedAt: NOW - 5,
      headers: '{"x-kind":"ü „“"}',
    });
    await storage.append([aRequest(org, [event], { sourceId: source.id, receivedAt: NOW + 1 })]);
    const claimed = await claim({ token: 'node first' });
    expect(claimed).toEqual([
      {
        orgId: org,
        event: {
          id: event.id,
          type: 'order.paid',
          icon: '💳',
          senderId: 'order 1',
          entity: { kind: 'customer', externalId: 'c 1' },
          happenedAt: NOW - 5,
          receivedAt: NOW + 1,
          headers: '{"x-kind":"ü „“"}',
        },
        payload: event.payload,
        sourceId: source.id,
        jobId: null,
        plan: null,
        token: 'node first',
        tries: 1,
      },
    ]);
    expect(await settle(claimed)).toMatchObject([{ kind: 'settled', deliveries: 0 }]);
  });

  test('hands out each event once, oldest first, and no more than asked for', async () => {
    const ids = await accepted(storage, orgId(), 5);
    const [first, second, third] = [
      await claim({ limit: 2 }),
      await claim({ limit: 2 }),
      await claim({ limit: 9 }),
    ];
    expect([first, second, third].map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(await claim()).toEqual([]);
    for (const claimed of [first, second, third]) await settle(claimed);
    expect(await claim()).toEqual([]);
  });

  test('hands out what was stored late, though others that came after it were claimed before', async () => {
    const org = orgId();
    const late = anEvent();
    const ids = await accepted(storage, org, 2);
    const claimed = await claim({ limit: 1 });
    await storage.append([aRequest(org, [late])]);
    claimed.push(...(await claim({ limit: 1 })), ...(await claim({ limit: 1 })));
    expect(late.id < (ids[0] ?? '')).toBe(true);
    expect(idsOf(claimed).toSorted()).toEqual([late.id, ...ids]);
    await settle(claimed);
  });

  test('hands out no event twice to nodes that claim at once', async () => {
    const [one, other] = [orgId(), orgId()];
    const ids = [...(await accepted(storage, one, 150)), ...(await accepted(storage, other, 50))];
    const batches = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const node = opened.nodes[n % opened.nodes.length] ?? opened.nodes[0];
        return node.eventQueue.claimEvents(aClaimInput({ limit: 20 }));
      }),
    );
    const claimed = batches.flatMap(batch => batch.events);
    // Whoever passed over another's rows may have come away with less.
    for (let rest = await claim(); rest.length > 0; rest = await claim()) claimed.push(...rest);
    expect(idsOf(claimed).toSorted()).toEqual(ids.toSorted());
    await settle(claimed);
  });

  test('lets organisations take turns, however much one has waiting', async () => {
    const [busy, quiet, third] = [orgId(), orgId(), orgId()];
    await accepted(storage, busy, 50);
    await accepted(storage, quiet, 2);
    await accepted(storage, third, 20);
    const first = await storage.claimEvents(aClaimInput({ limit: 12 }));
    const share = (org: string) => first.events.filter(claimed => claimed.orgId === org).length;
    expect([share(quiet), share(busy) + share(third)]).toEqual([2, 10]);
    expect(Math.min(share(busy), share(third))).toBeGreaterThanOrEqual(4);
    const rest = await claim({ after: first.after });
    expect(first.events.length + rest.length).toBe(72);
    await settle([...first.events, ...rest]);
  });

  test('begins with the organisation after the last one', async () => {
    const orgs = [orgId(), orgId(), orgId()].toSorted();
    for (const org of orgs) await accepted(storage, org, 2);
    let after = orgs[0] ?? '';
    const served: string[] = [];
    for (let n = 0; n < 3; n++) {
      const batch = await storage.claimEvents(aClaimInput({ limit: 1, after }));
      served.push(batch.events[0]?.orgId ?? '');
      await settle([...batch.events]);
      after = batch.events[0]?.orgId ?? '';
    }
    expect(served).toEqual([orgs[1] ?? '', orgs[2] ?? '', orgs[0] ?? '']);
    await settle(await claim());
  });

  test('passes over organisations that have enough', async () => {
    const [full, hungry] = [orgId(), orgId()];
    await accepted(storage, full, 3);
    const ids = await accepted(storage, hungry, 3);
    const claimed = await claim({ except: [full] });
    expect(idsOf(claimed)).toEqual(ids);
    await settle([...claimed, ...(await claim())]);
  });

  test('stops at about so many bytes, and still hands out one that is larger', async () => {
    const org = orgId();
    const large = { payload: JSON.stringify({ text: 'x'.repeat(10_000) }) };
    const events = [anEvent(large), anEvent(large), anEvent(large)];
    await storage.append([aRequest(org, events)]);
    const first = await claim({ bytes: 15_000 });
    expect(first).toHaveLength(2);
    const second = await claim({ bytes: 1 });
    expect(second).toHaveLength(1);
    const plan = [{ pipelineId: 'pipe_a', version: null, retries: 1, dueAt: NOW }];
    await storage.settleEvents(
      [...first, ...second].map(one => aSettlement(one, { parked: plan })),
      NOW,
    );
    const parked = [await claim({ bytes: 15_000 }), await claim({ bytes: 1 })];
    expect(parked.map(({ length }) => length)).toEqual([2, 1]);
    await settle(parked.flat());
  });

  const free = (...events: string[]) => storage.freeClaims(tokensOf({ events }), 100, NOW);

  test('hands an event whose claim was freed to one who asks for such, least tried first', async () => {
    const org = orgId();
    const [first = '', second = ''] = await accepted(storage, org, 2);
    await claim({ token: 'node 1' });
    expect([await storage.hasSuspects(), await storage.claimSuspect('other 1')]).toEqual([false, null]);
    expect(await free('node 1')).toBe(2);
    expect(await storage.hasSuspects()).toBe(true);
    expect(await claim()).toEqual([]);

    expect(await storage.claimSuspect('other 1')).toMatchObject({ event: { id: first }, tries: 2 });
    await free('other 1');
    const other = await storage.claimSuspect('other 2');
    expect(other).toMatchObject({ event: { id: second }, tries: 2, token: 'other 2' });
    const third = await storage.claimSuspect('other 3');
    expect(third).toMatchObject({ event: { id: first }, tries: 3 });
    expect(await storage.claimSuspect('other 4')).toBeNull();
    if (third && other) await settle([third, other]);
    expect([await storage.hasSuspects(), await free('other 2', 'other 3')]).toEqual([false, 0]);
  });

  test('hands a suspect to one of those who ask at once', async () => {
    await accepted(storage, orgId(), 3);
    await claim({ token: 'node 2' });
    await free('node 2');
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const node = opened.nodes[n % opened.nodes.length] ?? opened.nodes[0];
        return node.eventQueue.claimSuspect(`racer ${n}`);
      }),
    );
    const claimed = taken.filter(one => one !== null);
    expect(new Set(idsOf(claimed)).size).toBe(3);
    expect(claimed).toHaveLength(3);
    await settle(claimed);
  });

  test('of two that settle one event together, refuses the one whose claim was freed', async () => {
    await accepted(storage, orgId(), 1);
    const late = await claim({ token: 'node 4' });
    await free('node 4');
    const fresh = await storage.claimSuspect('node 5');
    if (fresh === null) throw new Error('Nobody took it over.');
    const results = await settle([...late, fresh]);
    expect(results.map(({ kind }) => kind)).toEqual(['refused', 'settled']);
  });

  test('refuses what a node settles after its claim was freed, though nobody has taken it over yet', async () => {
    const [id = ''] = await accepted(storage, orgId(), 1);
    const late = await claim({ token: 'node 3' });
    await free('node 3');
    expect(await settle(late)).toEqual([{ kind: 'refused' }]);
    const taken = await storage.claimSuspect('other 5');
    expect(taken?.event.id).toBe(id);
    if (taken) expect(await settle([taken])).toMatchObject([{ kind: 'settled' }]);
  });

  test('takes back what is released, as if it had never been claimed', async () => {
    const ids = await accepted(storage, orgId(), 2);
    await claim({ token: 'node released' });
    await storage.releaseClaims([], NOW);
    await storage.releaseClaims(['node released'], NOW);
    expect(await storage.hasSuspects()).toBe(false);
    const again = await claim();
    expect([idsOf(again), again.map(({ tries }) => tries)]).toEqual([ids, [1, 1]]);
    await settle(again);
  });

  test('keeps a released suspect under suspicion, without counting the try', async () => {
    const [id = ''] = await accepted(storage, orgId(), 1);
    await claim({ token: 'node 4' });
    await free('node 4');
    await storage.claimSuspect('node suspect');
    await storage.releaseClaims(['node suspect'], NOW + 2);
    expect(await claim()).toEqual([]);
    const again = await storage.claimSuspect('other 6');
    expect(again).toMatchObject({ event: { id }, tries: 2 });
    if (again) await settle([again]);
  });

  test('hands out parked runs when they are due, before new events, with their plan', async () => {
    const org = orgId();
    const [id = ''] = await accepted(storage, org, 1);
    const [first] = await claim();
    const plan: PlannedRun[] = [
      { pipelineId: 'pipe_a', version: null, retries: 1, dueAt: NOW + 50 },
      { pipelineId: 'pipe_b', version: 7, retries: 2, dueAt: NOW + 90 },
    ];
    if (first) await storage.settleEvents([aSettlement(first, { parked: plan })], NOW);
    expect((await storage.findEvent(org, id))?.state).toBe('accepted');
    expect(await claim({ now: NOW + 49 })).toEqual([]);
    const [fresh = ''] = await accepted(storage, org, 1);
    const due = await claim({ now: NOW + 50, limit: 1 });
    expect(due).toMatchObject([{ event: { id }, plan, jobId: null, tries: 1 }]);
    const next = await claim({ now: NOW + 50 });
    expect(idsOf(next)).toEqual([fresh]);
    await settle([...due, ...next]);
  });

  test('brings forward what a clock that went back has put out of reach, and leaves what is not', async () => {
    const org = orgId();
    const day = 86_400_000;
    await accepted(storage, org, 1);
    const [first] = await claim();
    const plan = [{ pipelineId: 'pipe_a', version: null, retries: 1, dueAt: NOW + 50 }];
    if (first) await storage.settleEvents([aSettlement(first, { parked: plan })], NOW);
    const bring = (latest: number, now: number) => storage.bringParkedForward(latest, now, 10);
    expect(await bring(NOW + 50, NOW)).toBe(0);
    expect(await claim({ now: NOW })).toEqual([]);
    // Due later than it can be.
    expect(await bring(NOW + 49, NOW)).toBe(1);
    const again = await claim({ now: NOW });
    expect(again).toMatchObject([{ plan }]);
    for (const one of again) await storage.settleEvents([aSettlement(one, { parked: plan })], NOW);
    // Received later than it is now.
    expect(await bring(NOW + day, NOW - day)).toBe(1);
    const earlier = await claim({ now: NOW - day });
    expect(earlier).toMatchObject([{ plan }]);
    await settle(earlier);
  });

  test('parks what is released with its plan again', async () => {
    const org = orgId();
    await accepted(storage, org, 1);
    const [first] = await claim();
    const plan = [{ pipelineId: 'pipe_a', version: null, retries: 1, dueAt: NOW }];
    if (first) await storage.settleEvents([aSettlement(first, { parked: plan })], NOW);
    expect(await claim({ token: 'node parked' })).toMatchObject([{ plan }]);
    await storage.releaseClaims(['node parked'], NOW + 5);
    expect(await claim({ now: NOW + 4 })).toEqual([]);
    const again = await claim({ now: NOW + 5 });
    expect(again).toMatchObject([{ plan, tries: 1 }]);
    await settle(again);
  });

  test('hands out replays beside the first time, each with its job', async () => {
    const org = orgId();
    const [id = ''] = await accepted(storage, org, 1);
    await settle(await claim());
    const job = aJob(org);
    await storage.createJob(job);
    const plan = [{ pipelineId: 'pipe_a', version: 3, retries: 0, dueAt: 0 }];
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays: [{ eventId: id, plan }] });
    const claimed = await claim();
    expect(claimed).toMatchObject([{ event: { id }, jobId: job.id, plan }]);
    await storage.settleEvents(
      claimed.map(one => aSettlement(one, { runs: [aRun()] })),
      NOW,
    );
    expect(await storage.hasOutstanding(org, job.id)).toBe(false);
  });

  test('lets go of a parked run whose event is gone or erased, and counts it for its job', async () => {
    const org = orgId();
    const entity = { kind: 'customer', externalId: 'c 1' };
    const erased = anEvent({ entityKind: entity.kind, entityExternalId: entity.externalId });
    await storage.append([aRequest(org, [erased])]);
    await settle(await claim());
    await storage.eraseEventsOfEntity(org, entity, { after: null, limit: 10, at: NOW });
    const job = aJob(org);
    await storage.createJob(job);
    const replays = [erased.id, idAt('evt', NOW)].map(eventId => ({ eventId, plan: null }));
    await storage.advanceJob(unclaimed(job), {}, NOW, { replays });
    expect(await storage.hasOutstanding(org, job.id)).toBe(true);
    expect(await claim()).toEqual([]);
    expect(await storage.hasOutstanding(org, job.id)).toBe(false);
    expect(await storage.findJob(org, job.id)).toMatchObject({ done: 2, failed: 0 });
  });
}
