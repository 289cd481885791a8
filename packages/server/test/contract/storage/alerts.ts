import { describe, expect, test } from 'bun:test';
import { minutes } from '../../../src/core/clock.ts';
import { systemSourceId } from '../../../src/core/event/system-source.ts';
import { EXPORT_JOB } from '../../../src/core/jobs/export-job.ts';
import type { NewAlert, Trouble, TroubleThresholds } from '../../../src/core/stores/alerts.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { onOwnDatabase } from './own-database.ts';
import { aClaimInput, aJob, aRun, aSettlement } from './pipeline-samples.ts';
import { anEvent, anSdkSource, aRequest, aWebhookSource, idAt, NOW, storedOrganisation } from './samples.ts';
import type { Lent, Subject } from './suite.ts';

/** What is wrong, over all organisations, and what was told of it: these tests have a database of their own. */
export function alertsContract(subject: Subject): void {
  let opened: Lent;
  let storage: EveryStore;
  onOwnDatabase(subject, own => {
    opened = own;
    storage = everyStore(own.nodes[0]);
  });

  const anAlert = (given: Partial<NewAlert> = {}): NewAlert => ({
    orgId: idAt('org', NOW),
    type: 'sluice.destination.down',
    subjectId: idAt('dst', NOW),
    since: NOW,
    details: null,
    ...given,
  });
  const QUIET = minutes(10);
  const kept = async ({ orgId }: NewAlert) =>
    (await storage.listAlerts()).find(alert => alert.orgId === orgId) ?? null;

  describe('an alert', () => {
    test('begins once, whichever node comes first, and all have the same beginning', async () => {
      const alert = anAlert();
      const begun = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          (opened.nodes[n % opened.nodes.length] ?? opened.nodes[0]).alerts.beginAlert(
            { ...alert, since: NOW + n },
            NOW - QUIET,
          ),
        ),
      );
      expect(new Set(begun.map(one => one?.since)).size).toBe(1);
      expect(begun[0]).toMatchObject({ raisedAt: null, recoveredAt: null, details: null });
    });

    test('that was told begins again only once it is over and was told long enough ago', async () => {
      const alert = anAlert();
      const again = { ...alert, since: NOW + QUIET };
      await storage.beginAlert(alert, NOW - QUIET);
      await storage.markRaised(alert, NOW);
      expect(await storage.beginAlert(again, NOW + QUIET)).toBeNull();
      await storage.markRecovered(alert, NOW + 1);
      expect(await storage.beginAlert(again, NOW - 1)).toBeNull();
      expect(await storage.beginAlert(again, NOW)).toMatchObject({
        since: NOW + QUIET,
        raisedAt: null,
        recoveredAt: null,
      });
    });

    test('is not changed by whoever means the one before it', async () => {
      const alert = anAlert({ since: NOW + 1 });
      const before = { ...alert, since: NOW };
      await storage.beginAlert(alert, NOW - QUIET);
      await storage.markRaised(before, NOW);
      await storage.forgetAlert(before);
      expect(await kept(alert)).toMatchObject({ raisedAt: null });
      await storage.markRaised(alert, NOW + 2);
      await storage.markRecovered(before, NOW + 3);
      expect(await kept(alert)).toMatchObject({ raisedAt: NOW + 2, recoveredAt: null });
      await storage.forgetAlert(alert);
      expect(await kept(alert)).toBeNull();
    });

    test('keeps what is to be told of it', async () => {
      const subject = { type: 'member', id: 'usr_1', name: 'ü@example.com', kind: 'owner' } as const;
      const details = { subject, counts: { failed: 10 }, address: '192.0.2.1' };
      const alert = anAlert({ details });
      expect((await storage.beginAlert(alert, NOW))?.details).toEqual(details);
    });

    test('leaves behind when its type was last raised', async () => {
      const orgId = await storedOrganisation(storage);
      await storage.noteRaised(orgId, 'sluice.disk.low', NOW);
      await storage.noteRaised(orgId, 'sluice.disk.low', NOW + 5);
      expect((await storage.readRaised(orgId)).lastAt).toEqual({ 'sluice.disk.low': NOW + 5 });
      expect((await storage.listAlerts()).filter(alert => alert.orgId === orgId)).toEqual([]);
    });
  });

  test('the first organisation is the one that was made first', async () => {
    const first = await storage.findFirstOrganisation();
    const orgId = await storedOrganisation(storage);
    expect((await storage.readRaised(orgId)).isFirst).toBe(first === null);
    if (first !== null) expect((await storage.readRaised(first)).isFirst).toBe(true);
  });

  describe('trouble', () => {
    const thresholds: TroubleThresholds = {
      countedFrom: NOW - minutes(5),
      deadLetters: 3,
      rejections: 3,
      failedRuns: 2,
      lateBefore: NOW - minutes(5),
      waiting: 3,
    };
    async function readAll(now: number, by: TroubleThresholds, atOnce = 100): Promise<Trouble[]> {
      const found = await storage.readTrouble(now, by);
      for (let behind: string | null = ''; behind !== null; ) {
        const some = await storage.readFailures(by, behind, atOnce);
        found.push(...some.found);
        behind = some.last;
      }
      return found;
    }
    const troubleOf = async (orgId: string, now = NOW): Promise<Trouble[]> =>
      (await readAll(now, thresholds)).filter(trouble => trouble.orgId === orgId);

    test('is a destination that is down, until it is not', async () => {
      const orgId = await storedOrganisation(storage);
      const { id } = aDestination(orgId);
      await storage.createDestination(aDestination(orgId, { id, name: 'Shop', kind: 'webhook' }));
      expect(await troubleOf(orgId)).toEqual([]);
      const opened = { openedAt: NOW, nextProbeAt: NOW + 1, failure: 'It answered 500.' };
      await storage.openBreaker(orgId, id, opened);
      expect(await troubleOf(orgId)).toEqual([
        {
          orgId,
          type: 'sluice.destination.down',
          subject: { type: 'destination', id, name: 'Shop', kind: 'webhook' },
          since: NOW,
          counts: {},
          lastError: 'It answered 500.',
        },
      ]);
      await storage.closeBreaker(orgId, id);
      expect(await troubleOf(orgId)).toEqual([]);
    });

    test('is a job that is finished, until that was announced', async () => {
      const orgId = await storedOrganisation(storage);
      const job = aJob(orgId, { total: 4, done: 4, failed: 1, notes: ['One was gone.'] });
      await storage.createJob(job);
      expect(await troubleOf(orgId)).toEqual([]);
      await storage.finishJob(orgId, job.id, 'failed', NOW);
      expect(await troubleOf(orgId)).toMatchObject([
        {
          type: 'sluice.job.finished',
          subject: { id: job.id, kind: 'replay' },
          counts: { total: 4, done: 4, failed: 1 },
          state: 'failed',
          lastError: 'One was gone.',
        },
      ]);
      await storage.markAnnounced(orgId, job.id);
      expect(await troubleOf(orgId)).toEqual([]);
    });

    test('is an export that has ended, unless whoever asked for it may have nothing sent', async () => {
      const orgId = await storedOrganisation(storage);
      const [told, silent] = [aJob(orgId, { kind: EXPORT_JOB }), aJob(orgId, { kind: EXPORT_JOB })];
      const bounds = { mostRunning: 2, mostKept: 2 };
      await storage.createExport(told, bounds);
      await storage.createExport(silent, { ...bounds, isSilent: true });
      for (const { id } of [told, silent]) await storage.finishJob(orgId, id, 'done', NOW);
      expect(await troubleOf(orgId)).toMatchObject([
        { type: 'sluice.job.finished', subject: { id: told.id, kind: EXPORT_JOB }, state: 'done' },
      ]);
    });

    test('is not the job of an organisation that was deleted', async () => {
      const [orgId] = [await storedOrganisation(storage), await storedOrganisation(storage)];
      const job = aJob(orgId);
      await storage.createJob(job);
      await storage.finishJob(orgId, job.id, 'done', NOW);
      expect(await troubleOf(orgId)).toHaveLength(1);
      expect(await storage.deleteOrganisation(orgId, NOW)).toBe('deleted');
      expect(await troubleOf(orgId)).toEqual([]);
    });

    test('is a source that rejects, and not one that did so earlier', async () => {
      const orgId = await storedOrganisation(storage);
      const [now, earlier] = [aWebhookSource(orgId, { name: 'Now' }), aWebhookSource(orgId)];
      for (const source of [now, earlier]) await storage.createSource(source);
      const rejection = (sourceId: string, at: number, message: string) => ({
        ...{ sourceId, orgId, at, code: 'unauthenticated', message, address: null, headers: null },
      });
      await storage.recordActivity({
        keysUsed: [],
        sourcesSeen: [],
        rejections: [
          ...[1, 2, 3].map(n => rejection(earlier.id, NOW - minutes(6) - n, 'No.')),
          ...[1, 2, 3].map(n => rejection(now.id, NOW - 10 + n, `No ${n}.`)),
        ],
      });
      expect(await troubleOf(orgId)).toEqual([
        {
          orgId,
          type: 'sluice.source.rejecting',
          subject: { type: 'source', id: now.id, name: 'Now', kind: 'webhook' },
          since: NOW - 9,
          counts: { rejected: 3 },
          lastError: 'unauthenticated: No 3.',
        },
      ]);
    });

    test('is a source that rejects, behind however many that are flooded', async () => {
      const orgId = await storedOrganisation(storage);
      const rejecting = aWebhookSource(orgId);
      await storage.createSource(rejecting);
      const at = NOW + minutes(60);
      const activity = (rejections: { sourceId: string; at: number }[]) => ({
        keysUsed: [],
        sourcesSeen: [],
        rejections: rejections.map(one => ({
          ...one,
          orgId,
          code: 'unauthenticated',
          message: 'No.',
          address: null,
          headers: '',
        })),
      });
      const some = (sourceId: string, when: number, length: number) =>
        Array.from({ length }, () => ({ sourceId, at: when }));
      await storage.recordActivity(activity(some(rejecting.id, at, 3)));
      const neighbour = await storedOrganisation(storage);
      for (let n = 0; n < 21; n++) {
        const flooded = aWebhookSource(neighbour);
        await storage.createSource(flooded);
        await storage.recordActivity(activity(some(flooded.id, at + 1, 1_000)));
      }
      const bounds = { ...thresholds, countedFrom: at };
      const found = (await storage.readTrouble(at, bounds)).filter(trouble => trouble.orgId === orgId);
      expect(found).toMatchObject([{ type: 'sluice.source.rejecting', counts: { rejected: 3 } }]);
    });

    test('is a source that is quiet for longer than is expected of it', async () => {
      const orgId = await storedOrganisation(storage);
      const quiet = anSdkSource(orgId, { expectEveryMinutes: 10 });
      const others = [
        anSdkSource(orgId),
        anSdkSource(orgId, { expectEveryMinutes: 1_000 }),
        anSdkSource(orgId, { expectEveryMinutes: 10, enabled: false }),
      ];
      for (const source of [quiet, ...others]) await storage.createSource(source);
      expect((await storage.findSource(orgId, quiet.id)) ?? {}).toMatchObject({ expectEveryMinutes: 10 });
      expect(await troubleOf(orgId, NOW + minutes(10))).toEqual([]);
      expect(await troubleOf(orgId, NOW + minutes(12))).toMatchObject([
        {
          type: 'sluice.source.quiet',
          subject: { id: quiet.id, kind: 'sdk' },
          since: NOW,
          counts: { expect_every_minutes: 10, quiet_minutes: 12 },
        },
      ]);
      const seen = [{ id: quiet.id, at: NOW + minutes(5) }];
      await storage.recordActivity({ keysUsed: [], sourcesSeen: seen, rejections: [] });
      expect(await troubleOf(orgId, NOW + minutes(12))).toEqual([]);
      await storage.updateSource(orgId, quiet.id, { expectEveryMinutes: null }, NOW);
      expect(await troubleOf(orgId, NOW + minutes(120))).toEqual([]);
    });

    /** Events of this source whose runs by this pipeline all failed; counted as the service counts them. */
    async function failRuns(orgId: string, sourceId: string | null, count: number, at = NOW): Promise<void> {
      const events = Array.from({ length: count }, () => anEvent());
      await storage.append([{ ...aRequest(orgId, events), sourceId }]);
      const { events: claimed } = await storage.claimEvents(aClaimInput({ limit: 2_000 }));
      const runs = () => [
        aRun({ outcome: 'failed', step: 0, reason: 'It is broken.', pipelineId: 'pipe_x' }),
      ];
      await storage.settleEvents(
        claimed.map(one => aSettlement(one, { runs: runs() })),
        at,
      );
      await storage.addCounts([{ orgId, subject: 'pipe_x', name: 'dead', at, amount: count }], null);
    }

    test('is a pipeline that fails, and the dead letters that come of it', async () => {
      const orgId = await storedOrganisation(storage);
      const name = (await storage.findOrganisation(orgId))?.name ?? '';
      await failRuns(orgId, null, 3);
      expect(await troubleOf(orgId)).toEqual([
        {
          orgId,
          type: 'sluice.dead_letters.growing',
          subject: { type: 'organisation', id: orgId, name, kind: 'organisation' },
          since: NOW,
          counts: { deliveries: 0, events: 3 },
          lastError: 'It is broken.',
        },
        {
          orgId,
          type: 'sluice.pipeline.failing',
          subject: { type: 'pipeline', id: 'pipe_x', name: 'One', kind: 'pipeline' },
          since: NOW,
          counts: { failed: 3 },
          lastError: 'It is broken.',
        },
      ]);
      // It was so, and is not any more.
      const later = { ...thresholds, countedFrom: NOW + minutes(2) };
      const found = await readAll(NOW + minutes(7), later);
      expect(found.filter(trouble => trouble.orgId === orgId)).toEqual([]);
    });

    test('is not what becomes of system events', async () => {
      const orgId = await storedOrganisation(storage);
      await failRuns(orgId, systemSourceId(orgId), 5);
      await killDeliveries(orgId, systemSourceId(orgId), 5);
      expect(await troubleOf(orgId)).toEqual([]);
      await failRuns(orgId, null, 1);
      expect(await troubleOf(orgId)).toEqual([]);
      await killDeliveries(orgId, null, 2);
      expect(await troubleOf(orgId)).toMatchObject([
        { type: 'sluice.dead_letters.growing', counts: { deliveries: 2, events: 1 } },
      ]);
    });

    test('is what has just failed, behind however much that failed before and is newer', async () => {
      const orgId = await storedOrganisation(storage);
      const [old, latest] = [anEvent({ id: idAt('evt', NOW) }), anEvent({ id: idAt('evt', NOW) })];
      await failRuns(orgId, null, 1_100, NOW - minutes(30));
      await failRuns(orgId, systemSourceId(orgId), 1_100);
      await storage.append([aRequest(orgId, [old, latest])]);
      const { events: claimed } = await storage.claimEvents(aClaimInput({ limit: 10 }));
      const failed = { outcome: 'failed', step: 0, reason: 'Now.', pipelineId: 'pipe_x' } as const;
      await storage.settleEvents(
        claimed.map(one => aSettlement(one, { runs: [aRun(failed)] })),
        NOW,
      );
      expect(await troubleOf(orgId)).toMatchObject([{ type: 'sluice.pipeline.failing', lastError: 'Now.' }]);
    });

    test('is found in every organisation, however many there are', async () => {
      const orgIds: string[] = [];
      for (let n = 0; n < 5; n++) {
        const orgId = await storedOrganisation(storage);
        await failRuns(orgId, null, 3);
        orgIds.push(orgId);
      }
      const found = await readAll(NOW, thresholds, 2);
      const withTrouble = new Set(found.map(({ orgId }) => orgId));
      expect(orgIds.filter(orgId => !withTrouble.has(orgId))).toEqual([]);
    });

    async function killDeliveries(orgId: string, sourceId: string | null, count: number): Promise<void> {
      const destination = aDestination(orgId, { name: 'Grave' });
      await storage.createDestination(destination);
      const events = Array.from({ length: count }, () => anEvent());
      await storage.append([{ ...aRequest(orgId, events), sourceId }]);
      const { events: claimed } = await storage.claimEvents(aClaimInput({ limit: 1_000 }));
      await storage.settleEvents(
        claimed.map(one => aSettlement(one, { runs: [aRun({ destinations: [destination.id] })] })),
        NOW,
      );
      const opened = { openedAt: NOW, nextProbeAt: NOW, failure: 'No.' };
      await storage.openBreaker(orgId, destination.id, opened);
      const waiting = await storage.listWaiting(orgId, destination.id, {
        ...{ dueBy: NOW, after: null, limit: 100 },
      });
      const expired = await storage.expireDeliveries(
        { orgId, id: destination.id, asOf: NOW },
        waiting.map(({ id }) => id),
        { downSince: NOW, probedAt: NOW },
        NOW,
      );
      expect(expired).toBe(count);
      await storage.closeBreaker(orgId, destination.id);
      await storage.addCounts(
        [{ orgId, subject: destination.id, name: 'dead', at: NOW, amount: count }],
        null,
      );
    }

    test('is work that is late, unless its destination is paused or down', async () => {
      const orgId = await storedOrganisation(storage);
      const destinations = ['busy', 'paused', 'down'].map(name => aDestination(orgId, { name }));
      const [busy, paused, down] = destinations.map(({ id }) => id);
      for (const destination of destinations) await storage.createDestination(destination);
      for (const { id } of destinations) await routedTo(storage, orgId, [id], { count: 2 });
      await storage.updateDestination(orgId, paused ?? '', { paused: true }, NOW);
      const opened = { openedAt: NOW, nextProbeAt: NOW + 1, failure: 'No.' };
      await storage.openBreaker(orgId, down ?? '', opened);
      await storage.append([aRequest(orgId, [anEvent({ id: idAt('evt', NOW) })])]);
      const backlogs = async (now: number) =>
        (await storage.readTrouble(now, { ...thresholds, lateBefore: now - minutes(5) })).filter(
          ({ orgId: of, type }) => of === orgId && type === 'sluice.backlog.growing',
        );
      expect(await backlogs(NOW + minutes(4))).toEqual([]);
      expect(await backlogs(NOW + minutes(6))).toMatchObject([
        {
          subject: { type: 'organisation', id: orgId },
          since: NOW,
          counts: { events: 1, deliveries: 2 },
          waitingAt: [{ destinationId: busy, count: 2 }],
        },
      ]);
    });

    test('of more organisations than are named in one statement is missed of none', async () => {
      const { nodes, remove } = await subject.openEmpty();
      const own = everyStore(nodes[0]);
      const ids: string[] = [];
      while (ids.length < 620)
        ids.push(...(await Promise.all(Array.from({ length: 20 }, () => storedOrganisation(own)))));
      await own.append(ids.map(id => aRequest(id, [anEvent({ id: idAt('evt', NOW) })])));
      const now = NOW + minutes(6);
      const found = await own.readTrouble(now, {
        ...thresholds,
        ...{ lateBefore: now - minutes(5), waiting: 1 },
      });
      expect(found.map(({ orgId }) => orgId).toSorted()).toEqual(ids.toSorted());
      await remove();
    });
  });

  test('the source of system events is made with its organisation, and stays', async () => {
    const orgId = await storedOrganisation(storage);
    const id = systemSourceId(orgId);
    expect(await storage.findSource(orgId, id)).toMatchObject({
      kind: 'system',
      name: 'System',
      enabled: true,
    });
    expect(await storage.deleteSource(orgId, id, 'ada@example.com', NOW)).toBe(false);
    expect(await storage.listSources(orgId)).toHaveLength(1);
    expect((await storage.readProcessing(orgId)).sources).toMatchObject([{ id, kind: 'system' }]);
  });
}
