import { expect, test } from 'bun:test';
import type { NewEvent } from '../../../src/core/event/event.ts';
import { outputOf } from '../../../src/core/event/output.ts';
import type { Settlement } from '../../../src/core/stores/event-queue.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination } from './delivery-samples.ts';
import { onOwnDatabase } from './own-database.ts';
import { aClaimInput, aRun, tokensOf } from './pipeline-samples.ts';
import { anEvent, aRequest, idAt, NOW } from './samples.ts';
import type { Subject } from './suite.ts';

/** Events and deliveries that are claimed from their first moment, by whoever stores them. */
export function bornClaimedContract(subject: Subject): void {
  let storage: EveryStore;
  onOwnDatabase(subject, own => {
    storage = everyStore(own.nodes[0]);
  });

  const orgId = () => idAt('org', NOW);
  const store = async (org: string, claimToken: string, given: Partial<NewEvent> = {}) => {
    const event = anEvent(given);
    await storage.append([aRequest(org, [event], { claimToken })]);
    return event.id;
  };
  const settlement = (org: string, eventId: string, token: string, given: Partial<Settlement> = {}) => ({
    orgId: org,
    eventId,
    jobId: null,
    token,
    isBornClaimed: true as const,
    runs: [],
    round: 'first' as const,
    parked: [],
    matchedSources: [],
    tallies: [],
    ...given,
  });
  const settle = async (...of: Parameters<typeof settlement>) =>
    (await storage.settleEvents([settlement(...of)], NOW))[0];
  const stateOf = async (org: string, id: string) => (await storage.findEvent(org, id))?.state;
  const claimable = async () =>
    (await storage.claimEvents(aClaimInput())).events.map(({ event }) => event.id);

  test('an event is nobody else’s, is shown as accepted, and is settled by whoever has its token', async () => {
    const org = orgId();
    const id = await store(org, 'node 1');
    expect(await claimable()).toEqual([]);
    expect(await stateOf(org, id)).toBe('accepted');
    const accepted = await storage.listEvents(
      org,
      { state: 'accepted' },
      { limit: 9, below: null, budgetMs: 1_000 },
    );
    expect(accepted.events.map(event => event.id)).toEqual([id]);
    expect(await storage.countBacklog(org, 10)).toMatchObject({ accepted: { count: 1, more: false } });
    expect(await storage.countWaiting(10)).toMatchObject({ events: 1 });
    expect(await settle(org, id, 'node 2')).toEqual({ kind: 'refused' });
    expect(await settle(org, id, 'node 1')).toEqual({ kind: 'settled', deliveries: 0, state: 'unrouted' });
    expect(await settle(org, id, 'node 1')).toEqual({ kind: 'refused' });
    expect(await stateOf(org, id)).toBe('unrouted');
    expect(await storage.countWaiting(10)).toMatchObject({ events: 0 });
  });

  test('of requests that are stored together each may be claimed or not', async () => {
    const org = orgId();
    const [mine, anybodys] = [anEvent(), anEvent()];
    await storage.append([aRequest(org, [mine], { claimToken: 'node 1' }), aRequest(org, [anybodys])]);
    const [taken, ...more] = (await storage.claimEvents(aClaimInput())).events;
    expect([taken?.event.id, more]).toEqual([anybodys.id, []]);
    await settle(org, mine.id, 'node 1');
    await settle(org, anybodys.id, taken?.token ?? '', { isBornClaimed: undefined });
  });

  test('one that is given back waits as if it had never been claimed', async () => {
    const org = orgId();
    const id = await store(org, 'node 1');
    const kept = await store(org, 'node 2');
    await storage.releaseClaims(['node 1'], NOW);
    const [again, ...more] = (await storage.claimEvents(aClaimInput())).events;
    expect([again?.event.id, again?.tries, more]).toEqual([id, 1, []]);
    expect(await settle(org, id, 'node 1')).toEqual({ kind: 'refused' });
    await settle(org, id, again?.token ?? '', { isBornClaimed: undefined });
    await settle(org, kept, 'node 2');
  });

  test('one whose node has died is a suspect, and what its node says late is refused', async () => {
    const org = orgId();
    const id = await store(org, 'dead 1');
    const alive = await store(org, 'live 1');
    const { events } = await storage.listClaims();
    expect(events.toSorted()).toEqual(['dead 1', 'live 1']);
    expect(await storage.freeClaims(tokensOf({ events: ['dead 1'] }), 10, NOW)).toBe(1);
    expect(await storage.freeClaims(tokensOf({ events: ['dead 1'] }), 10, NOW)).toBe(0);
    expect(await claimable()).toEqual([]);
    expect(await settle(org, id, 'dead 1')).toEqual({ kind: 'refused' });
    const suspect = await storage.claimSuspect('live 2');
    expect(suspect).toMatchObject({ event: { id }, tries: 2, token: 'live 2' });
    expect(await settle(org, id, 'live 2', { isBornClaimed: undefined })).toMatchObject({ kind: 'settled' });
    await settle(org, alive, 'live 1');
  });

  test('one that is erased while it is worked on is settled by nobody', async () => {
    const org = orgId();
    const entity = { kind: 'customer', externalId: 'c 1' };
    const id = await store(org, 'node 1', { entityKind: entity.kind, entityExternalId: entity.externalId });
    const erased = await storage.eraseEventsOfEntity(org, entity, { after: null, limit: 10, at: NOW });
    expect(erased).toMatchObject({ erased: 1, dropped: [id] });
    expect(await settle(org, id, 'node 1')).toEqual({ kind: 'refused' });
    expect(await storage.listClaims()).toMatchObject({ events: [] });
  });

  test('one that waits for its next try, and one that lost its key, end like any other', async () => {
    const org = orgId();
    const parked = [{ pipelineId: 'pipe_one', version: null, retries: 1, dueAt: NOW + 5 }];
    const put = await store(org, 'node 1');
    expect(await settle(org, put, 'node 1', { parked })).toMatchObject({ kind: 'settled', state: null });
    const [again] = (await storage.claimEvents(aClaimInput({ now: NOW + 5 }))).events;
    expect(again).toMatchObject({ event: { id: put }, plan: parked });
    await storage.settleEvents(
      [{ ...settlement(org, put, again?.token ?? ''), round: 'later', isBornClaimed: undefined } as never],
      NOW,
    );
    const claims = [{ scope: 's', key: 'k', expiresAt: NOW + 100, step: 0 }];
    const [first, second] = [await store(org, 'node 1'), await store(org, 'node 1')];
    await settle(org, first, 'node 1', { runs: [aRun({ claims })] });
    expect(await settle(org, second, 'node 1', { runs: [aRun({ claims })] })).toMatchObject({
      kind: 'lost',
      first,
    });
    expect(await settle(org, second, 'node 1')).toMatchObject({ kind: 'settled' });
  });

  test('a delivery is nobody else’s either, unless its destination is paused or gone', async () => {
    const org = orgId();
    const [open, paused] = [aDestination(org), aDestination(org, { paused: true })];
    for (const destination of [open, paused]) await storage.createDestination(destination);
    const id = await store(org, 'node 1');
    const run = aRun({ destinations: [open.id, paused.id, 'dst_gone'], output: '{}' });
    const wanted = run.destinations.map(destination => `0 ${destination}`);
    const result = await settle(org, id, 'node 1', {
      runs: [run],
      claimedDeliveries: { token: 'node 2', claims: wanted },
    });
    if (result?.kind !== 'settled') throw new Error('It was not settled.');
    expect(result).toMatchObject({ deliveries: 2, claimed: [{ run: 0, destinationId: open.id }] });
    const [made] = result.claimed ?? [];
    const input = (destination: string) => [
      { orgId: org, destinationId: destination, limit: 9, bytes: 1_000_000 },
    ];
    expect(await storage.claimDeliveries(input(open.id), { token: 'node 3', now: NOW })).toEqual([]);
    expect(await storage.findClaimed([{ orgId: org, id: made?.id ?? '', token: 'node 2' }])).toEqual([
      made?.id ?? '',
    ]);
    const all = await storage.listDeliveries(org, { event: id }, { limit: 9, below: null });
    expect(all.map(({ destination, state }) => [destination.id, state]).toSorted()).toEqual(
      [
        [open.id, 'delivering'],
        [paused.id, 'held'],
      ].toSorted(),
    );
    expect(await storage.listClaims()).toMatchObject({ deliveries: ['node 2'] });
    expect(await storage.freeClaims(tokensOf({ deliveries: ['node 2'] }), 10, NOW)).toBe(1);
    const [claimed] = await storage.claimDeliveries(input(open.id), { token: 'node 3', now: NOW });
    expect(claimed).toMatchObject({ id: made?.id ?? '', attempt: 0, budgetAt: NOW, output: '{}' });
  });

  test('an event that no pipeline listens to has its last state from its first moment, and nobody claims it', async () => {
    const org = orgId();
    const [first, second] = [anEvent(), anEvent({ senderId: 'own' })];
    const sources = [{ id: idAt('src', NOW), name: 'Shop' }];
    const unrouted = { matchedSources: [sources, []] };
    await storage.append([aRequest(org, [first, second], { unrouted })]);
    expect(await stateOf(org, first.id)).toBe('unrouted');
    expect((await storage.findEvent(org, first.id))?.sources).toEqual(sources);
    expect((await storage.findEvent(org, second.id))?.sources).toEqual([]);
    expect(await claimable()).toEqual([]);
    expect(await storage.countWaiting(10)).toMatchObject({ events: 0 });
    const [again] = await storage.append([
      aRequest(org, [anEvent({ senderId: 'own' })], { unrouted: { matchedSources: [[]] } }),
    ]);
    expect(again).toEqual({ kind: 'stored', events: [{ id: second.id, duplicate: true }] });
  });

  test('a run that makes one delivery, and the one attempt that takes, are read as they were', async () => {
    const org = orgId();
    const destination = aDestination(org);
    await storage.createDestination(destination);
    const payload = '{"customer":{"name":"Ada Lovelace","email":"ada@example.com"},"n":1}';
    const id = await store(org, 'node 1', { payload });
    const output = outputOf(payload.replace('ada@example.com', '[email]'));
    const trace = `{"steps":[["redact.pii","changed",0.1,0,1,null]],"states":[${output}]}`;
    const run = aRun({ destinations: [destination.id], payload, output, trace });
    await settle(org, id, 'node 1', { runs: [run] });

    const [shown, ...others] = await storage.listDeliveries(org, { event: id }, { limit: 9, below: null });
    expect([shown?.runId, others]).toEqual([run.id, []]);
    const { pipelineId, pipelineName, version } = run;
    expect(await storage.listRuns(org, id)).toEqual([
      {
        id: run.id,
        pipelineId,
        pipelineName,
        version,
        outcome: 'routed',
        step: null,
        reason: null,
        trace,
        notes: [],
        jobId: null,
        createdAt: NOW,
      },
    ]);
    expect(await storage.listFirstRuns(org, [id])).toEqual({
      [id]: [{ pipelineId, version, retries: 0, dueAt: 0 }],
    });
    const page = { limit: 9, below: null, budgetMs: 2_000 };
    const found = await storage.listEvents(org, { pipeline: pipelineId }, page);
    expect(found.events.map(event => event.id)).toEqual([id]);
    const none = await storage.listEvents(org, { pipeline: 'pipe_another' }, page);
    expect(none.events).toEqual([]);

    const input = [{ orgId: org, destinationId: destination.id, limit: 9, bytes: 1_000_000 }];
    const [claimed] = await storage.claimDeliveries(input, { token: 'node 2', now: NOW });
    expect(claimed).toMatchObject({ id: shown?.id ?? '', output, sourceName: 'Shop', isReplay: false });
    const headers = { 'content-type': 'application/json', 'x-service-event-id': id };
    const request = JSON.stringify({ target: 'POST https://example.com', headers, body: output });
    const attempt = { n: 1, at: NOW + 3, durationMs: 7, status: 200, code: null, message: null };
    const record = {
      orgId: org,
      deliveryId: shown?.id ?? '',
      token: 'node 2',
      attempt: { ...attempt, request, response: 'ok' },
      repeats: { eventId: id, eventType: 'order.created', output },
      next: { state: 'delivered' as const },
    };
    expect(await storage.recordAttempts([{ ...record, token: 'node 3' }])).toEqual([0]);
    expect(await storage.listAttempts(org, shown?.id ?? '')).toEqual([]);
    expect(await storage.recordAttempts([record])).toEqual([]);
    expect(await storage.listAttempts(org, shown?.id ?? '')).toEqual([record.attempt]);
    expect(await storage.findDelivery(org, shown?.id ?? '')).toMatchObject({
      state: 'delivered',
      attempt: 1,
      finishedAt: NOW + 10,
    });
  });

  test('what a run leaves as it came is claimed as it came, and its trace is read as it was written', async () => {
    const org = orgId();
    const destination = aDestination(org);
    await storage.createDestination(destination);
    const payload = '{"n":9007199254740993,"ü":"„“"}';
    const id = await store(org, 'node 1', { payload });
    const changed = '{"payload":{"n":2},"labels":{"l":"x"}}';
    const trace = `{"steps":[["transform","changed",0.1,0,1,null]],"states":[${changed}]}`;
    const runs = [
      aRun({
        pipelineId: 'pipe_a',
        destinations: [destination.id],
        output: outputOf(payload),
        payload,
      }),
      aRun({ pipelineId: 'pipe_b', destinations: [destination.id], output: changed, payload, trace }),
      aRun({ pipelineId: 'pipe_c', destinations: ['dst_gone'], output: changed, payload, trace }),
    ];
    await settle(org, id, 'node 1', { runs });
    const input = [{ orgId: org, destinationId: destination.id, limit: 9, bytes: 1_000_000 }];
    const claimed = await storage.claimDeliveries(input, { token: 'node 2', now: NOW });
    expect(claimed.map(({ output }) => output).toSorted()).toEqual([outputOf(payload), changed].toSorted());
    expect((await storage.listRuns(org, id)).map(run => run.trace)).toEqual([
      runs[0]?.trace ?? '',
      trace,
      trace,
    ]);
  });
}
