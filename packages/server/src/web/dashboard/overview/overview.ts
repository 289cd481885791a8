import { type FunnelName, funnelNames, type OverviewRecord } from '@sluice/contract/dashboard-overview';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { type Clock, days, toRfc3339 } from '../../../core/clock.ts';
import { idTime } from '../../../core/ids.ts';
import type { AccountStore } from '../../../core/stores/accounts.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import {
  type CappedCount,
  type CounterStore,
  type CounterWindow,
  WHOLE_ORGANISATION,
} from '../../../core/stores/counters.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import { latencyAt, latencyNames } from '../../../core/stores/latency.ts';
import type { Calls } from '../calls.ts';
import { receivedIn, seriesOf, stepsOf } from './counter-windows.ts';
import { presentFigures } from './figures.ts';
import { latencyFigures } from './latency.ts';
import { troubleOf } from './trouble.ts';

/** What has died may be retried, so the dead are looked up; the rest is counted once and for all. */
const countedNames = funnelNames.filter(name => name !== 'dead');

interface OverviewDependencies {
  readonly counters: Pick<
    CounterStore,
    | 'countBacklog'
    | 'countDead'
    | 'countOpenOverTime'
    | 'countPresent'
    | 'countPresentOfEach'
    | 'countWaitingAt'
    | 'readCounters'
  >;
  readonly configuration: Pick<ConfigurationStore, 'listDestinations' | 'listPipelines' | 'listSources'>;
  readonly deliveryQueue: Pick<DeliveryQueue, 'countFailedEvents' | 'findLastEnds' | 'listFailedEvents'>;
  readonly accounts: Pick<AccountStore, 'findOrganisation'>;
  readonly defaultRetentionDays: number;
  readonly clock: Clock;
}

/**
 * What became of everything that came in lately: events that were received and deliveries that were made within the
 * time that was asked for, by the state that they are in now, as the lists behind the figures have them. It reads
 * counters, and of the indexes of what waits and what is dead no more than it counts.
 */
export function overviewCalls(calls: Calls, dependencies: OverviewDependencies): void {
  const { counters, configuration, deliveryQueue, accounts, defaultRetentionDays, clock } = dependencies;

  async function countFailed(orgId: string, window: CounterWindow): Promise<CappedCount> {
    const count = await deliveryQueue.countFailedEvents(orgId, receivedIn(window), MOST_COUNTED + 1);
    return { count: Math.min(count, MOST_COUNTED), more: count > MOST_COUNTED };
  }

  /** Counters know what ever failed, also what was resolved or discarded since: of those that are left the ids are read. */
  async function failedOverTime(
    orgId: string,
    window: CounterWindow,
  ): Promise<OverviewRecord['failed_events']> {
    const page = { ...receivedIn(window), limit: MOST_COUNTED + 1, below: null };
    const ids = await deliveryQueue.listFailedEvents(orgId, page);
    const latest = ids.slice(0, MOST_COUNTED);
    const counts = new Array<number>(window.points).fill(0);
    for (const id of latest) {
      const point = Math.floor((idTime(id) - window.from) / window.stepMs);
      counts[point] = (counts[point] ?? 0) + 1;
    }
    return { count: latest.length, more: ids.length > latest.length, counts };
  }

  /** The time before, to compare with; null where not all of it is kept any more, or nothing came in. */
  async function beforeOf(orgId: string, window: CounterWindow): Promise<OverviewRecord['before']> {
    const length = window.stepMs * window.points;
    const before = { from: window.from - length, stepMs: length, points: 1 };
    const organisation = await accounts.findOrganisation(orgId);
    if (before.from < clock.now() - days(organisation?.retentionDays ?? defaultRetentionDays)) return null;
    const names = ['received', ...latencyNames];
    const sums = await counters.readCounters(orgId, [WHOLE_ORGANISATION], names, before);
    const amounts = new Map(sums.map(({ name, amount }) => [name, amount]));
    const received = amounts.get('received') ?? 0;
    if (received <= 0) return null;
    const [present, failed] = await Promise.all([
      presentFigures(counters, orgId, before),
      countFailed(orgId, before),
    ]);
    return { received, present, failed_events: failed, p95_ms: latencyAt(0.95, amounts) };
  }

  calls.on('GET /overview', 'read', async call => {
    const { orgId } = call.session;
    const window = stepsOf(call.query(), clock.now());
    const whole = [WHOLE_ORGANISATION];
    const [sums, dead, open, present, failed, before, latency, backlog, destinations, sources, pipelines] =
      await Promise.all([
        counters.readCounters(orgId, whole, countedNames, window),
        counters.countDead(orgId, window, MOST_COUNTED),
        counters.countOpenOverTime(orgId, window, MOST_COUNTED),
        presentFigures(counters, orgId, window),
        failedOverTime(orgId, window),
        beforeOf(orgId, window),
        latencyFigures(counters, orgId, window),
        counters.countBacklog(orgId, MOST_COUNTED),
        configuration.listDestinations(orgId),
        configuration.listSources(orgId),
        configuration.listPipelines(orgId),
      ]);
    const series: Record<string, number[]> = {
      ...seriesOf(sums, countedNames, window.points),
      dead: dead.counts,
    };
    const total = (name: FunnelName) => (series[name] ?? []).reduce((sum, amount) => sum + amount, 0);
    const { deadDeliveries, failedEvents: allFailed, ...waiting } = backlog;
    return call.answer({
      from: toRfc3339(window.from),
      step_s: window.stepMs / 1_000,
      series,
      totals: {
        received: total('received'),
        processed: total('processed'),
        dropped: total('dropped'),
        failed: total('failed'),
        unrouted: total('unrouted'),
        delivered: total('delivered'),
        dead: total('dead'),
      },
      more_dead: dead.more,
      open,
      present,
      failed_events: failed,
      before,
      latency,
      ...(await troubleOf(orgId, destinations, window, dependencies)),
      backlog: waiting,
      dead_letters: { deliveries: deadDeliveries, events: allFailed },
      has: {
        sources: sources.some(({ kind }) => kind !== 'system'),
        pipelines: pipelines.length > 0,
        destinations: destinations.length > 0,
      },
    });
  });
}
