import { expect, test } from 'bun:test';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination } from './delivery-samples.ts';
import { onOwnDatabase } from './own-database.ts';
import { aClaimInput, aRun, aSettlement } from './pipeline-samples.ts';
import { anEvent, aRequest, idAt, NOW } from './samples.ts';
import type { Subject } from './suite.ts';

export function pruneContract(subject: Subject): void {
  let storage: EveryStore;
  onOwnDatabase(subject, own => {
    storage = everyStore(own.nodes[0]);
  });

  const orgId = () => idAt('org', NOW);

  /** Events received at these moments, settled as this says. */
  async function settledAt(
    org: string,
    moments: readonly number[],
    how: Parameters<typeof aSettlement>[1] = {},
  ): Promise<string[]> {
    const ids: string[] = [];
    for (const at of moments) {
      const event = anEvent({ id: idAt('evt', at) });
      await storage.append([aRequest(org, [event], { receivedAt: at })]);
      for (const one of (await storage.claimEvents(aClaimInput())).events) {
        const runs = how.runs?.map(run => ({ ...run, id: idAt('run', at) }));
        await storage.settleEvents([aSettlement(one, { ...how, ...(runs ? { runs } : {}) })], at);
      }
      ids.push(event.id);
    }
    return ids;
  }

  const prune = (org: string, before: number, after: string | null = null, limit = 10, deadBefore = before) =>
    storage.pruneEvents(org, { before, deadBefore }, { after, limit });
  const left = async (org: string) =>
    (await storage.listEvents(org, {}, { limit: 100, below: null, budgetMs: 1_000 })).events
      .map(({ id }) => id)
      .toReversed();

  test('takes the oldest first, in slices, and nothing of the cutoff or after it', async () => {
    const org = orgId();
    const ids = await settledAt(org, [NOW, NOW + 1, NOW + 2, NOW + 3, NOW + 4]);
    expect(await prune(org, NOW + 3, null, 2)).toEqual({ removed: 2, next: ids[1] ?? '' });
    expect(await left(org)).toEqual(ids.slice(2));
    expect(await prune(org, NOW + 3, ids[1], 2)).toEqual({ removed: 1, next: null });
    expect(await left(org)).toEqual(ids.slice(3));
    expect(await prune(orgId(), NOW + 1_000)).toEqual({ removed: 0, next: null });
  });

  test('never takes what has not been processed, and looks past it', async () => {
    const org = orgId();
    const waiting = anEvent({ id: idAt('evt', NOW) });
    await storage.append([aRequest(org, [waiting])]);
    await storage.claimEvents(aClaimInput({ token: 'node holds it' }));
    const parked = [{ pipelineId: 'pipe_one', version: null, retries: 1, dueAt: NOW + (1 << 30) }];
    const [deferred = ''] = await settledAt(org, [NOW], { parked });
    await settledAt(org, [NOW]);
    expect(await prune(org, NOW + 100, null, 2)).toEqual({ removed: 0, next: deferred });
    expect(await prune(org, NOW + 100, deferred, 2)).toEqual({ removed: 1, next: null });
    expect(await left(org)).toEqual([waiting.id, deferred]);
  });

  test('takes the runs, deliveries and attempts of an event with it', async () => {
    const org = orgId();
    const destination = aDestination(org);
    await storage.createDestination(destination);
    const [id = ''] = await settledAt(org, [NOW], {
      runs: [aRun({ destinations: [destination.id], output: '{}' })],
    });
    const [delivery] = await storage.listDeliveries(org, { event: id }, { limit: 1, below: null });
    expect(await prune(org, NOW + 100)).toMatchObject({ removed: 0 });
    await storage.discardDelivery(org, delivery?.id ?? '', NOW + 1);
    expect(await prune(org, NOW + 100)).toMatchObject({ removed: 1 });
    expect(await storage.listRuns(org, id)).toEqual([]);
    expect(await storage.listDeliveries(org, { event: id }, { limit: 1, below: null })).toEqual([]);
    expect(await storage.findDelivery(org, delivery?.id ?? '')).toBeNull();
  });

  test('keeps what failed for as long as dead letters are kept', async () => {
    const org = orgId();
    const [early = '', late = ''] = await settledAt(org, [NOW, NOW + 50], {
      runs: [aRun({ outcome: 'failed' })],
    });
    expect(await prune(org, NOW + 100, null, 10, NOW)).toEqual({ removed: 0, next: null });
    expect(await left(org)).toEqual([early, late]);
    expect(await prune(org, NOW + 100, null, 10, NOW + 1)).toEqual({ removed: 1, next: null });
    expect(await left(org)).toEqual([late]);
  });

  test('removes dedupe keys when they have expired', async () => {
    const org = orgId();
    const claims = [10, 20, 30].map((ms, step) => ({
      scope: 'scope',
      key: `k${ms}`,
      expiresAt: NOW + ms,
      step,
    }));
    await settledAt(org, [NOW], { runs: [aRun({ claims })] });
    const find = async () =>
      (
        await storage.findDedupeKeys(
          claims.map(({ scope, key }) => ({ orgId: org, scope, key })),
          NOW,
        )
      ).map(holder => holder !== null);
    expect(await storage.pruneProcessing(NOW + 9, NOW, 10)).toBe(0);
    expect(await storage.pruneProcessing(NOW + 20, NOW, 1)).toBe(1);
    expect(await find()).toEqual([false, true, true]);
    expect(await storage.pruneProcessing(NOW + 20, NOW, 10)).toBe(1);
    expect(await find()).toEqual([false, false, true]);
  });
}
