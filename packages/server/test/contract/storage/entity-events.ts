import { expect, test } from 'bun:test';
import type { EntityRef } from '../../../src/core/event/scope.ts';
import type { ClaimedEvent, SettledRun } from '../../../src/core/stores/event-queue.ts';
import type { EveryStore } from '../../support/every-store.ts';
import { customer, orgWith } from './entity-samples.ts';
import { unclaimed } from './pipeline-samples.ts';
import { anEvent, aRequest, idAt, NOW } from './samples.ts';
import type { Subject } from './suite.ts';

const CANARY = 'canary-8f31';

export function entityEventsContract(subject: Subject): void {
  /** Stores events of the entity and answers their ids, oldest first. */
  async function storeWithEntity(org: string, entity: EntityRef, payloads: string[]): Promise<string[]> {
    const events = payloads.map(payload =>
      anEvent({ payload, entityKind: entity.kind, entityExternalId: entity.externalId }),
    );
    await subject.storage.append([aRequest(org, events)]);
    return events.map(({ id }) => id);
  }

  async function listOfEntity(org: string, entities: EntityRef[], limit = 100) {
    const ids: string[] = [];
    let position: string | null = null;
    let pages = 0;
    do {
      const page = await subject.storage.listEventsOfEntity(org, entities, { limit, position });
      ids.push(...page.events.map(({ id }) => id));
      position = page.next;
      pages++;
    } while (position !== null && pages < 1_000);
    return { ids, pages };
  }

  test('lists the events of an entity, newest first, whole', async () => {
    const org = await orgWith(subject.storage);
    const [first = '', second = ''] = await storeWithEntity(org, customer('1'), [
      '{"n":12345678901234567890}',
      '{}',
    ]);
    await storeWithEntity(org, customer('2'), ['{}']);
    await storeWithEntity(org, { kind: 'company', externalId: '1' }, ['{}']);
    await subject.storage.append([aRequest(org, [anEvent()])]);
    expect((await listOfEntity(org, [customer('1')])).ids).toEqual([second, first]);
    const page = { limit: 1, position: second };
    expect(await subject.storage.listEventsOfEntity(org, [customer('1')], page)).toEqual({
      events: [
        {
          id: first,
          type: 'order.created',
          icon: null,
          payload: '{"n":12345678901234567890}',
          state: 'accepted',
          entity: customer('1'),
          happenedAt: NOW,
          receivedAt: NOW,
          erasedAt: null,
        },
      ],
      next: null,
    });
    expect((await listOfEntity(await orgWith(subject.storage), [customer('1')])).ids).toEqual([]);
    expect((await listOfEntity(org, [])).ids).toEqual([]);
  });

  test('merges the events of many entities, page by page', async () => {
    const org = await orgWith(subject.storage);
    const entities = Array.from({ length: 120 }, (_, n) => customer(`e${n}`));
    const ids: string[] = [];
    for (const [n, entity] of entities.entries()) {
      if (n % 3 !== 2) ids.push(...(await storeWithEntity(org, entity, ['{}', '{}'])));
    }
    for (const limit of [23, 100]) {
      const { ids: found } = await listOfEntity(org, entities, limit);
      expect(found).toEqual(ids.toSorted().toReversed());
    }
  });

  test('ends a page early where payloads are large', async () => {
    const org = await orgWith(subject.storage);
    const ids = await storeWithEntity(
      org,
      customer('1'),
      Array(6).fill(JSON.stringify({ a: 'x'.repeat(1_000_000) })),
    );
    const { ids: found, pages } = await listOfEntity(org, [customer('1')], 10);
    expect(found).toEqual(ids.toReversed());
    expect(pages).toBe(2);
  });

  const erase = (org: string, entity: EntityRef, after: string | null = null, limit = 100) =>
    subject.storage.eraseEventsOfEntity(org, entity, { after, limit, at: NOW + 50 });

  test('erases the headers of a webhook with its payload', async () => {
    const org = await orgWith(subject.storage);
    const { kind: entityKind, externalId: entityExternalId } = customer('1');
    const event = anEvent({ entityKind, entityExternalId, headers: `{"x-mail":"${CANARY}"}` });
    await subject.storage.append([aRequest(org, [event])]);
    expect((await subject.storage.findEvent(org, event.id))?.headers).toContain(CANARY);
    await erase(org, customer('1'));
    expect(await subject.storage.findEvent(org, event.id)).not.toHaveProperty('headers');
  });

  test('erases in slices, and nothing of another entity or organisation', async () => {
    const [org, other] = [await orgWith(subject.storage), await orgWith(subject.storage)];
    const ids = await storeWithEntity(org, customer('1'), Array(5).fill(`{"a":"${CANARY}"}`));
    const [kept = ''] = await storeWithEntity(org, customer('2'), ['{"a":1}']);
    const [foreign = ''] = await storeWithEntity(other, customer('1'), ['{"a":2}']);
    expect(await erase(org, customer('1'), null, 2)).toEqual({
      erased: 2,
      dropped: ids.slice(0, 2),
      cancelled: 0,
      last: ids[1] ?? null,
    });
    expect(await erase(org, customer('1'), ids[1], 2)).toMatchObject({ erased: 2, last: ids[3] ?? null });
    expect(await erase(org, customer('1'), ids[3], 2)).toMatchObject({ erased: 1, last: null });
    expect(await erase(org, customer('1'))).toEqual({ erased: 0, dropped: [], cancelled: 0, last: null });
    for (const id of ids) {
      const event = await subject.storage.findEvent(org, id);
      expect(JSON.parse(event?.payload ?? '')).toEqual({ erased_at: new Date(NOW + 50).toISOString() });
    }
    expect((await subject.storage.findEvent(org, kept))?.payload).toBe('{"a":1}');
    expect((await subject.storage.findEvent(other, foreign))?.payload).toBe('{"a":2}');
    const { events } = await subject.storage.listEventsOfEntity(org, [customer('1')], {
      limit: 9,
      position: null,
    });
    expect(events.map(({ payload, erasedAt, state }) => [payload, erasedAt, state])).toEqual(
      ids.map(() => [null, NOW + 50, 'dropped']),
    );
  });

  const claimAll = async (storage: EveryStore, org: string, token: string): Promise<ClaimedEvent[]> => {
    const input = { token, now: NOW, limit: 100, bytes: 1_000_000, except: [] };
    // From just before this organisation, so that it has the first turn.
    const { events } = await storage.claimEvents({ ...input, after: org.slice(0, -1) });
    return events.filter(({ orgId }) => orgId === org);
  };

  const aRun = (destinations: string[]): SettledRun => ({
    id: idAt('run', NOW),
    pipelineId: idAt('pipe', NOW),
    pipelineName: 'All',
    version: 1,
    sourceName: null,
    outcome: 'routed',
    step: null,
    reason: CANARY,
    trace: `{"steps":[["transform","changed",1.5,0,1,"${CANARY}"]],"states":[{"payload":{"a":"${CANARY}"},"labels":{}}]}`,
    output: `{"payload":{"a":"${CANARY}"},"labels":{}}`,
    payload: `{"a":"${CANARY}"}`,
    notes: [{ destination: 'dst', note: CANARY }],
    claims: [],
    destinations,
  });

  const settle = (storage: EveryStore, { orgId, event, token }: ClaimedEvent, runs: SettledRun[]) =>
    storage.settleEvents(
      [
        {
          orgId,
          eventId: event.id,
          jobId: null,
          token,
          runs,
          round: 'first',
          parked: [],
          matchedSources: [],
          tallies: [],
        },
      ],
      NOW,
    );

  async function storedDestination(storage: EveryStore, orgId: string): Promise<string> {
    const id = idAt('dst', NOW);
    const policy = {
      attempts: 8,
      schedule_s: [0],
      timeout_s: 15,
      concurrency: 16,
      rate_per_second: 0,
    };
    const named = {
      id,
      orgId,
      kind: 'inbox',
      name: 'Inbox',
      config: '{}',
      policy,
      breaker: null,
      listenerToken: null,
      formerPolicies: [],
    };
    await storage.createDestination({ ...named, paused: false, createdAt: NOW, updatedAt: NOW });
    return id;
  }

  test('erases what runs and attempts kept of it, and cancels what is pending', async () => {
    const { storage } = subject;
    const org = await orgWith(storage);
    const [tried, waiting] = [await storedDestination(storage, org), await storedDestination(storage, org)];
    const [id = ''] = await storeWithEntity(org, customer('1'), [`{"a":"${CANARY}"}`]);
    const [claimed] = await claimAll(storage, org, 'worker');
    if (claimed === undefined) throw new Error('nothing was claimed');
    await settle(storage, claimed, [aRun([tried, waiting])]);
    const lease = { token: 'sender', now: NOW };
    const [delivery] = await storage.claimDeliveries(
      [{ orgId: org, destinationId: tried, limit: 1, bytes: 1 }],
      lease,
    );
    const attempt = {
      n: 1,
      at: NOW,
      durationMs: 5,
      status: 500,
      code: 'bad_status',
      message: CANARY,
      request: JSON.stringify({ target: 'POST https://example.com', headers: { a: CANARY }, body: CANARY }),
      response: CANARY,
      exchange: JSON.stringify({ headers: { a: CANARY }, phases: {} }),
    };
    const record = { orgId: org, deliveryId: delivery?.id ?? '', token: 'sender', attempt };
    await storage.recordAttempts([{ ...record, next: { state: 'retrying', dueAt: NOW } }]);
    await storage.claimDeliveries([{ orgId: org, destinationId: tried, limit: 1, bytes: 1 }], {
      ...lease,
      token: 'again',
    });
    const lastError = { orgId: org, id: tried, at: NOW + 49, message: CANARY };
    const elsewhere = {
      ...lastError,
      id: await storedDestination(storage, org),
      message: 'Of another event.',
    };
    await storage.recordLastErrors([lastError, elsewhere]);
    const failure = { openedAt: NOW, nextProbeAt: NOW, failure: CANARY };
    await storage.openBreaker(org, tried, failure);

    expect(await erase(org, customer('1'))).toEqual({ erased: 1, dropped: [], cancelled: 2, last: null });

    // Not even one that another node had yet to record.
    await storage.recordLastErrors([lastError]);
    expect(await storage.listLastErrors(org)).toEqual([elsewhere]);
    expect((await storage.findDestination(org, tried))?.breaker).toMatchObject({ lastFailure: null });

    const [run] = await storage.listRuns(org, id);
    const note = `Erased on request at ${new Date(NOW + 50).toISOString()}.`;
    expect(run).toMatchObject({ outcome: 'routed', reason: note, notes: [] });
    expect(JSON.parse(run?.trace ?? '')).toEqual({
      steps: [['transform', 'changed', 1.5, 0, 0, note]],
      states: [],
    });
    const deliveries = await storage.listDeliveries(org, { event: id }, { limit: 10, below: null });
    expect(deliveries.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    const { exchange: _, ...withoutExchange } = attempt;
    expect(await storage.listAttempts(org, delivery?.id ?? '')).toEqual([
      {
        ...withoutExchange,
        message: note,
        request: JSON.stringify({ target: '', headers: {}, body: note }),
        response: note,
      },
    ]);
    // Whoever was sending it comes too late, and nobody else gets it.
    const late = { ...record, token: 'again', attempt: { ...attempt, n: 2 } };
    expect(await storage.recordAttempts([{ ...late, next: { state: 'delivered' } }])).toEqual([0]);
    expect(await storage.listAttempts(org, delivery?.id ?? '')).toHaveLength(1);
    for (const destinationId of [tried, waiting]) {
      expect(
        await storage.claimDeliveries([{ orgId: org, destinationId, limit: 9, bytes: 1 }], lease),
      ).toEqual([]);
    }
    expect(await storage.retryDelivery(org, delivery?.id ?? '', NOW)).toBe(false);
  });

  test('erases the run and the attempt that are kept with a delivery', async () => {
    const { storage } = subject;
    const org = await orgWith(storage);
    const destinationId = await storedDestination(storage, org);
    const [id = ''] = await storeWithEntity(org, customer('1'), [`{"a":"${CANARY}"}`]);
    const [claimed] = await claimAll(storage, org, 'worker');
    if (claimed === undefined) throw new Error('nothing was claimed');
    await settle(storage, claimed, [{ ...aRun([destinationId]), reason: null, notes: [] }]);
    const [delivery] = await storage.claimDeliveries([{ orgId: org, destinationId, limit: 1, bytes: 1 }], {
      token: 'sender',
      now: NOW,
    });
    if (delivery === undefined) throw new Error('nothing was made');
    const request = { target: 'POST https://example.com', headers: { a: CANARY }, body: CANARY };
    const attempt = { n: 1, at: NOW, durationMs: 5, status: 200, code: null, message: null };
    await storage.recordAttempts([
      {
        orgId: org,
        deliveryId: delivery.id,
        token: 'sender',
        attempt: { ...attempt, request: JSON.stringify(request), response: CANARY },
        repeats: { eventId: id, eventType: delivery.event.type, output: delivery.output },
        next: { state: 'delivered' },
      },
    ]);

    expect(await erase(org, customer('1'))).toEqual({ erased: 1, dropped: [], cancelled: 0, last: null });

    const note = `Erased on request at ${new Date(NOW + 50).toISOString()}.`;
    const [run] = await storage.listRuns(org, id);
    expect(JSON.parse(run?.trace ?? '')).toEqual({
      steps: [['transform', 'changed', 1.5, 0, 0, note]],
      states: [],
    });
    const erased = { target: '', headers: {}, body: note };
    expect(await storage.listAttempts(org, delivery.id)).toEqual([
      { ...attempt, request: JSON.stringify(erased), response: note },
    ]);
  });

  test('leaves a worker that holds an erased event with nothing to settle', async () => {
    const { storage } = subject;
    const org = await orgWith(storage);
    const [id = ''] = await storeWithEntity(org, customer('1'), ['{}']);
    const [claimed] = await claimAll(storage, org, 'worker');
    if (claimed === undefined) throw new Error('nothing was claimed');
    await erase(org, customer('1'));
    expect(await settle(storage, claimed, [aRun([])])).toEqual([{ kind: 'refused' }]);
    expect(await storage.listRuns(org, id)).toEqual([]);
    expect(await claimAll(storage, org, 'another')).toEqual([]);
    expect((await storage.findEvent(org, id))?.state).toBe('dropped');
  });

  test('replays nothing that was erased, before or after it was asked for', async () => {
    const { storage } = subject;
    const org = await orgWith(storage);
    const [before = ''] = await storeWithEntity(org, customer('1'), ['{}']);
    const [after = ''] = await storeWithEntity(org, customer('2'), ['{}']);
    for (const claimed of await claimAll(storage, org, 'worker')) await settle(storage, claimed, [aRun([])]);
    await erase(org, customer('1'));
    const job = {
      id: idAt('job', NOW),
      orgId: org,
      kind: 'replay',
      state: 'running',
      request: '{}',
      total: 2,
      done: 0,
      failed: 0,
      position: null,
      notes: [],
      createdBy: 'ada',
      createdAt: NOW,
      finishedAt: null,
    } as const;
    await storage.createJob(job);
    const replays = [before, after].map(eventId => ({ eventId, plan: null }));
    await storage.advanceJob(unclaimed(job), {}, NOW + 1_000, { replays });
    await erase(org, customer('2'));
    expect(await claimAll(storage, org, 'replayer')).toEqual([]);
    expect(await storage.findJob(org, job.id)).toMatchObject({ done: 2, failed: 0 });
  });
}
