import { alertThresholds } from '@sluice/contract/system-events';
import { type Clock, minutes } from '../core/clock.ts';
import { isStorageAway } from '../core/errors.ts';
import type { AlertStore, StoredAlert, Trouble } from '../core/stores/alerts.ts';
import type { ConfigurationStore } from '../core/stores/configuration.ts';
import type { DeliveryQueue } from '../core/stores/delivery-queue.ts';
import { decideAlerts, isMoment, QUIET_MS } from './decide.ts';
import type { RaiseEvent } from './raise.ts';
import { createSystemRoutes } from './system-routes.ts';
import type { Turn } from './turn.ts';

/**
 * The look for trouble: what is wrong is read from storage, and what was not told is raised as an event. Each step is on
 * disk before the next, and each can be taken twice: an alert begins once, its event has an idempotency key of that
 * beginning, and only then it counts as told. A node that is killed in between, or two that look at once, raise one.
 */
interface Watch {
  look(): Promise<void>;
}

/** So long after a start nobody is called quiet: whoever could not send meanwhile has time to come back. */
const SENDERS_RETURN_MS = minutes(5);
const MOST_COUNTED = 10_000;
/** So that others come to storage while many organisations are looked at. */
const ORGANISATIONS_AT_ONCE = 50;
/** More than that is raised by the next look. */
const MOST_AT_ONCE = 200;

export function createWatch(options: {
  readonly alerts: AlertStore;
  readonly configuration: Pick<ConfigurationStore, 'findDestination' | 'listPipelines'>;
  readonly deliveryQueue: Pick<DeliveryQueue, 'readBacklogOf'>;
  readonly raise: RaiseEvent;
  /** Bytes left on the disk; null where that is not ours to know. */
  freeBytes(): Promise<number | null>;
  readonly turn: Turn;
  readonly clock: Clock;
  isStopping(): boolean;
}): Watch {
  const { alerts, configuration, deliveryQueue, raise, freeBytes, turn, clock, isStopping } = options;
  const startedAt = clock.now();

  async function findTrouble(kept: readonly StoredAlert[], now: number): Promise<Trouble[]> {
    const { windowMinutes, lateMinutes, ...thresholds } = alertThresholds;
    const bounds = {
      ...thresholds,
      countedFrom: now - minutes(windowMinutes),
      lateBefore: now - minutes(lateMinutes),
    };
    const found = await alerts.readTrouble(now, bounds);
    for (let behind: string | null = ''; behind !== null; ) {
      const some = await alerts.readFailures(bounds, behind, ORGANISATIONS_AT_ONCE);
      found.push(...some.found);
      behind = some.last;
    }
    const told = new Set(
      kept.filter(({ raisedAt }) => raisedAt !== null).map(({ type, subjectId }) => `${type} ${subjectId}`),
    );
    const isEarly = now - startedAt < SENDERS_RETURN_MS;
    const routes = createSystemRoutes(configuration);
    const seen: Trouble[] = [];
    for (const trouble of found) {
      const isTold = told.has(`${trouble.type} ${trouble.subject.id}`);
      if (trouble.type === 'sluice.source.quiet' && isEarly && !isTold) continue;
      // What was told is no system event's own, and is not asked about again for as long as it lasts.
      const left = isTold ? trouble : await routes.withoutOwn(trouble, alertThresholds.waiting);
      if (left !== null) seen.push(left);
    }
    return [...seen, ...(await findLowDisk(now))];
  }

  async function findLowDisk(now: number): Promise<Trouble[]> {
    const free = await freeBytes();
    if (free === null || free >= alertThresholds.freeBytes) return [];
    const orgId = await alerts.findFirstOrganisation();
    if (orgId === null) return [];
    const subject = { type: 'installation', id: 'disk', name: 'disk', kind: 'installation' } as const;
    return [
      { orgId, type: 'sluice.disk.low', subject, since: now, counts: { free_bytes: free }, lastError: null },
    ];
  }

  const waitingAt = async (orgId: string, id: string): Promise<number> =>
    (await deliveryQueue.readBacklogOf(orgId, id, MOST_COUNTED)).waiting;

  async function tell(trouble: Trouble, now: number): Promise<void> {
    const { orgId, type, subject } = trouble;
    if (type === 'sluice.job.finished') {
      await raise(trouble, now);
      await alerts.markAnnounced(orgId, subject.id);
      return;
    }
    const key = { orgId, type, subjectId: subject.id, since: trouble.since };
    const begun = await alerts.beginAlert({ ...key, details: null }, now - QUIET_MS);
    if (begun === null) return;
    const counts =
      type === 'sluice.destination.down' ? { waiting: await waitingAt(orgId, subject.id) } : trouble.counts;
    await raise({ ...trouble, counts, since: begun.since }, now);
    await alerts.markRaised(begun, now);
    if (isMoment(type)) await alerts.markRecovered(begun, now);
  }

  async function recover(alert: StoredAlert, now: number): Promise<void> {
    const { orgId, type, subjectId: id, since } = alert;
    if (type === 'sluice.destination.down') {
      const destination = await configuration.findDestination(orgId, id);
      if (destination === null) return alerts.forgetAlert(alert);
      // It has gone down again since it was looked for.
      if (destination.breaker !== null) return;
      await raise(
        {
          orgId,
          type: 'sluice.destination.recovered',
          subject: { type: 'destination', id, name: destination.name, kind: destination.kind },
          since,
          until: now,
          counts: { waiting: await waitingAt(orgId, id) },
          lastError: null,
        },
        now,
      );
    }
    await alerts.markRecovered(alert, now);
  }

  /** Answers what went wrong with some of them: one that cannot be told, now or ever, keeps no other from being told. */
  async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const item of items.slice(0, MOST_AT_ONCE)) {
      if (isStopping()) break;
      try {
        await work(item);
      } catch (error) {
        if (isStorageAway(error)) throw error;
        failures.push(error);
      }
    }
    return failures;
  }

  return {
    async look() {
      if (!(await turn.take())) return;
      const now = clock.now();
      const kept = await alerts.listAlerts();
      const decision = decideAlerts(await findTrouble(kept, now), kept, now);
      const [failure] = [
        ...(await each(jobsLast(decision.raise), trouble => tell(trouble, now))),
        ...(await each(decision.recover, alert => recover(alert, now))),
        ...(await each(decision.forget, alerts.forgetAlert)),
      ];
      if (failure !== undefined) throw failure;
    },
  };
}

/** Anybody can end jobs by the hundred, and no trouble of others may wait behind them. */
const jobsLast = (found: readonly Trouble[]): Trouble[] => {
  const isJob = ({ type }: Trouble) => type === 'sluice.job.finished';
  return [...found.filter(one => !isJob(one)), ...found.filter(isJob)];
};
