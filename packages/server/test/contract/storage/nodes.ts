import { expect, test } from 'bun:test';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { onOwnDatabase } from './own-database.ts';
import { aClaimInput, accepted, aJob, tokensOf } from './pipeline-samples.ts';
import { idAt, NOW, storedOrganisation } from './samples.ts';
import type { Lent, Subject } from './suite.ts';

/** Nodes and what they have claimed: seen by every node, so these tests have a database of their own. */
export function nodesContract(subject: Subject): void {
  let opened: Lent;
  let storage: EveryStore;
  onOwnDatabase(subject, own => {
    opened = own;
    storage = everyStore(own.nodes[0]);
  });

  const node = (id: string, ...roles: string[]) => ({ id, roles, version: '1.2.3', host: `${id}.example` });

  test('lists the roles of each node, until it leaves', async () => {
    expect(await storage.join(node('front', 'ingest', 'dashboard'), true)).toEqual([['ingest', 'dashboard']]);
    expect((await storage.join(node('worker', 'deliver'), false)).toSorted()).toEqual([
      ['deliver'],
      ['ingest', 'dashboard'],
    ]);
    expect(await storage.heartbeat('front')).toHaveLength(2);
    await storage.leave('front');
    expect(await storage.heartbeat('worker')).toEqual([['deliver']]);
  });

  test('a node that left, or never joined, is dead', async () => {
    await storage.join(node('gone'), false);
    await storage.leave('gone');
    expect([await storage.heartbeat('gone'), await storage.heartbeat('never')]).toEqual([null, null]);
  });

  test('one that is heard is not declared dead; one that joins alone is the only one', async () => {
    for (const id of ['one', 'two']) await storage.join(node(id, 'process'), false);
    expect(await storage.buryNodes('one')).toEqual([]);
    await storage.join(node('alone', 'process'), true);
    expect((await storage.listClaims()).nodes).toEqual(['alone']);
    expect(await storage.heartbeat('one')).toBeNull();
  });

  test('counts nodes that join at once', async () => {
    await storage.join(node('first'), true);
    await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        (opened.nodes[n % opened.nodes.length] ?? opened.nodes[0]).upkeep.join(node(`racer ${n}`), false),
      ),
    );
    expect(await storage.heartbeat('first')).toHaveLength(7);
  });

  test('lists the tokens of all that is claimed, and frees what was claimed with some', async () => {
    const org = await storedOrganisation(storage);
    const destination = aDestination(org);
    await storage.createDestination(destination);
    await routedTo(storage, org, [destination.id], { count: 3 });
    const input = (limit: number) => [{ orgId: org, destinationId: destination.id, limit, bytes: 1_000_000 }];
    await storage.claimDeliveries(input(1), { token: 'dead d1', now: NOW });
    await storage.claimDeliveries(input(2), { token: 'live d2', now: NOW });
    await accepted(storage, org, 2);
    for (const token of ['dead e1', 'live e2']) await storage.claimEvents(aClaimInput({ token, limit: 1 }));
    const probed: string[] = [];
    const kind = idAt('job', NOW);
    for (const token of ['dead j1', 'live j2']) {
      await storage.createJob(aJob(org, { kind }));
      await storage.claimJob([kind], { token, now: NOW, leaseMs: 60_000 });
    }
    for (const token of ['dead p1', 'live p2']) {
      const { id } = aDestination(org);
      await storage.createDestination(aDestination(org, { id }));
      await storage.openBreaker(org, id, { openedAt: NOW, nextProbeAt: NOW, failure: 'x' });
      await storage.takeProbe(org, id, { token, until: NOW + 60_000, now: NOW, firstDueAt: NOW });
      probed.push(id);
    }
    for (const token of ['dead l1', 'live l2'])
      await storage.claimLabel(org, token, { token, now: NOW, leaseMs: 60_000 });
    for (const token of ['dead c1', 'live c2']) {
      const { id } = aDestination(org);
      await storage.createDestination(aDestination(org, { id }));
      await storage.beginListening(org, id, token, NOW);
    }
    await storage.keepLabel(org, 'known', 'high', NOW);
    await storage.join(node('live'), true);

    const claims = Object.entries(await storage.listClaims());
    expect(Object.fromEntries(claims.map(([what, tokens]) => [what, tokens.toSorted()]))).toEqual({
      events: ['dead e1', 'live e2'],
      deliveries: ['dead d1', 'live d2'],
      probes: ['dead p1', 'live p2'],
      listeners: ['dead c1', 'live c2'],
      jobs: ['dead j1', 'live j2'],
      labels: ['dead l1', 'live l2'],
      nodes: ['live'],
    });
    const dead = tokensOf({
      events: ['dead e1'],
      deliveries: ['dead d1'],
      probes: ['dead p1'],
      listeners: ['dead c1'],
      jobs: ['dead j1'],
      labels: ['dead l1'],
    });
    expect(await storage.freeClaims(dead, 100, NOW)).toBe(6);
    expect(await storage.freeClaims(dead, 100, NOW)).toBe(0);

    expect(await storage.listClaims()).toMatchObject({
      events: ['live e2'],
      deliveries: ['live d2'],
      probes: ['live p2'],
      listeners: ['live c2'],
      jobs: ['live j2'],
      labels: ['live l2'],
    });
    expect(await storage.claimSuspect('other 1')).toMatchObject({ tries: 2 });
    expect(await storage.claimDeliveries(input(9), { token: 'other 2', now: NOW })).toHaveLength(1);
    const probe = { token: 'other 4', until: NOW + 60_000, now: NOW, firstDueAt: NOW };
    const taken = probed.map(async id => (await storage.takeProbe(org, id, probe)).isTaken);
    expect(await Promise.all(taken)).toEqual([true, false]);
    const lease = { token: 'other 3', now: NOW, leaseMs: 60_000 };
    expect(await storage.claimJob([kind], lease)).toMatchObject({ token: 'other 3' });
    expect(await storage.claimJob([kind], lease)).toBeNull();
    expect(await storage.claimLabel(org, 'dead l1', lease)).toEqual({ kind: 'claimed' });
    expect(await storage.claimLabel(org, 'live l2', lease)).toEqual({ kind: 'busy' });
    expect(await storage.findLabel(org, 'known')).toBe('high');
  });

  test('lists each node with what it is, what it gets done and what it has claimed', async () => {
    await storage.join(node('busy', 'process', 'deliver'), true);
    await storage.join(node('busy2', 'ingest'), false);
    const org = await storedOrganisation(storage);
    const destination = aDestination(org);
    await storage.createDestination(destination);
    await routedTo(storage, org, [destination.id], { count: 3 });
    const input = [{ orgId: org, destinationId: destination.id, limit: 2, bytes: 1_000_000 }];
    await storage.claimDeliveries(input, { token: 'busy 1', now: NOW });
    await accepted(storage, org, 3);
    await storage.claimEvents(aClaimInput({ token: 'busy 2', limit: 2 }));
    await storage.claimEvents(aClaimInput({ token: 'busy2 1', limit: 1 }));
    const kind = idAt('job', NOW);
    await storage.createJob(aJob(org, { kind }));
    await storage.claimJob([kind], { token: 'busy 3', now: NOW, leaseMs: 60_000 });
    const rates = { accepted: 12.5, processed: 3, delivered: 0.25 };
    await storage.heartbeat('busy', rates);

    const listed = await storage.listNodes();
    expect(listed).toMatchObject([
      { ...node('busy', 'process', 'deliver'), rates, claimed: { events: 2, deliveries: 2, jobs: 1 } },
      {
        ...node('busy2', 'ingest'),
        rates: { accepted: 0, processed: 0, delivered: 0 },
        claimed: { events: 1, deliveries: 0, jobs: 0 },
      },
    ]);
    for (const { joinedAt, silentMs } of listed) {
      expect(Math.abs(Date.now() - joinedAt)).toBeLessThan(60_000);
      expect(silentMs).toBeWithin(0, 60_000);
    }
    // A heartbeat that says nothing of its work leaves what was known.
    await storage.heartbeat('busy');
    expect((await storage.listNodes())[0]?.rates).toEqual(rates);
  });
}
