import { endOfWindow } from '@sluice/contract/chart-window';
import { type FunnelName, funnelNames, type OverviewRecord } from '@sluice/contract/dashboard-overview';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { type Clock, hours, toRfc3339 } from '../../../core/clock.ts';
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
import { hoursOf, seriesOf, stepsOf } from './counter-windows.ts';
import { presentFigures } from './figures.ts';
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
  readonly deliveryQueue: Pick<DeliveryQueue, 'countFailedEvents' | 'findLastEnds'>;
  readonly clock: Clock;
}

/**
 * What became of everything that came in lately: events that were received and deliveries that were made within the
 * time that was asked for, by the state that they are in now, as the lists behind the figures have them. It reads
 * counters, and of the indexes of what waits and what is dead no more than it counts.
 */
export function overviewCalls(calls: Calls, dependencies: OverviewDependencies): void {
  const { counters, configuration, deliveryQueue, clock } = dependencies;

  async function failedEvents(orgId: string, window: CounterWindow): Promise<CappedCount> {
    const received = { receivedAfter: window.from - 1, receivedBefore: endOfWindow(window) };
    const count = await deliveryQueue.countFailedEvents(orgId, received, MOST_COUNTED + 1);
    return { count: Math.min(count, MOST_COUNTED), more: count > MOST_COUNTED };
  }

  /** The time before, to compare with. */
  async function beforeOf(orgId: string, window: CounterWindow): Promise<OverviewRecord['before']> {
    const length = window.stepMs * window.points;
    const before = { from: window.from - length, stepMs: length, points: 1 };
    const names = ['received', ...latencyNames];
    const sums = await counters.readCounters(orgId, [WHOLE_ORGANISATION], names, before);
    const amounts = new Map(sums.map(({ name, amount }) => [name, amount]));
    const received = amounts.get('received') ?? 0;
    if (received <= 0) return null;
    const [present, failed] = await Promise.all([
      presentFigures(counters, orgId, before),
      failedEvents(orgId, before),
    ]);
    return { received, present, failed_events: failed, p95_ms: latencyAt(0.95, amounts) };
  }

  calls.on('GET /overview', 'read', async call => {
    const { orgId } = call.session;
    const window = stepsOf(call.query(), clock.now());
    const times = latencyWindow(window);
    const whole = [WHOLE_ORGANISATION];
    const [sums, dead, open, present, failed, before, latencies, backlog, destinations, sources, pipelines] =
      await Promise.all([
        counters.readCounters(orgId, whole, countedNames, window),
        counters.countDead(orgId, window, MOST_COUNTED),
        counters.countOpenOverTime(orgId, window, MOST_COUNTED),
        presentFigures(counters, orgId, window),
        failedEvents(orgId, window),
        beforeOf(orgId, window),
        counters.readCounters(orgId, whole, latencyNames, times),
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
      latency: latencyOf(latencies, times),
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

/** Classes are many: from six hours on they are read by the hour, which is as fine as anybody looks at them. */
const latencyWindow = (window: CounterWindow): CounterWindow =>
  window.stepMs * window.points < hours(6) || window.stepMs >= hours(1) ? window : hoursOf(window);

const shares = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/** Percentiles of the whole window and of each of its steps, from counts by class. */
function latencyOf(
  sums: Awaited<ReturnType<CounterStore['readCounters']>>,
  { from, stepMs, points }: CounterWindow,
): OverviewRecord['latency'] {
  const whole = new Map<string, number>();
  const steps = Array.from({ length: points }, () => new Map<string, number>());
  for (const { name, point, amount } of sums) {
    whole.set(name, (whole.get(name) ?? 0) + amount);
    steps[point]?.set(name, amount);
  }
  const line = (share: number) => steps.map(counts => latencyAt(share, counts));
  return {
    p50_ms: latencyAt(shares.p50, whole),
    p95_ms: latencyAt(shares.p95, whole),
    p99_ms: latencyAt(shares.p99, whole),
    from: toRfc3339(from),
    step_s: stepMs / 1_000,
    series: { p50: line(shares.p50), p95: line(shares.p95), p99: line(shares.p99) },
  };
}
