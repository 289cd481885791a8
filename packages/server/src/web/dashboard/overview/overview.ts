import { chartWindow } from '@sluice/contract/chart-window';
import { type FailingDestination, type FunnelName, funnelNames } from '@sluice/contract/dashboard-overview';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import { type CounterStore, WHOLE_ORGANISATION } from '../../../core/stores/counters.ts';
import { latencyAt, latencyNames } from '../../../core/stores/latency.ts';
import type { Calls } from '../calls.ts';
import { seriesOf, totalsOf, totalWindow } from './counter-windows.ts';

/** How far what waits and what is dead are counted: beyond it a person only wants to know that it is more. */
export const MOST_BACKLOG_COUNTED = 10_000;
/** What failed within this time is failing. */
const LATELY_MINUTES = 60;
const MOST_FAILING = 20;
/** What has died may be retried, so the dead are looked up; the rest is counted once and for all. */
const countedNames = funnelNames.filter(name => name !== 'dead');

/**
 * What became of everything that came in lately: events that were received and deliveries that were made within the
 * time that was asked for, by the state that they are in now, as the lists behind the figures have them. It reads
 * counters, and of the indexes of what waits and what is dead no more than it counts.
 */
export function overviewCalls(
  calls: Calls,
  {
    counters,
    configuration,
    clock,
  }: {
    readonly counters: Pick<CounterStore, 'countBacklog' | 'countDead' | 'readCounters'>;
    readonly configuration: Pick<ConfigurationStore, 'listDestinations' | 'listPipelines' | 'listSources'>;
    readonly clock: Clock;
  },
): void {
  async function failingOf(
    orgId: string,
    destinations: readonly StoredDestination[],
    minutes: number,
  ): Promise<FailingDestination[]> {
    const ids = destinations.map(({ id }) => id);
    const window = totalWindow(Math.min(minutes, LATELY_MINUTES), clock.now());
    const of = totalsOf(await counters.readCounters(orgId, ids, ['failed', 'dead', 'delivered'], window));
    return destinations
      .map(({ id, name, kind, paused, breaker }) => ({
        id,
        name,
        kind,
        is_down: breaker !== null,
        paused,
        failed: of(id, 'failed'),
        dead: of(id, 'dead'),
        delivered: of(id, 'delivered'),
      }))
      .filter(({ is_down, failed, dead }) => is_down || failed + dead > 0)
      .sort((a, b) => Number(b.is_down) - Number(a.is_down) || b.failed - a.failed || b.dead - a.dead)
      .slice(0, MOST_FAILING);
  }

  calls.on('GET /overview', 'read', async call => {
    const { minutes } = call.query();
    const { orgId } = call.session;
    const now = clock.now();
    const window = chartWindow(minutes, now);
    const whole = [WHOLE_ORGANISATION];
    const [sums, dead, latencies, backlog, destinations, sources, pipelines] = await Promise.all([
      counters.readCounters(orgId, whole, countedNames, window),
      counters.countDead(orgId, window, MOST_BACKLOG_COUNTED),
      counters.readCounters(orgId, whole, latencyNames, totalWindow(minutes, now)),
      counters.countBacklog(orgId, MOST_BACKLOG_COUNTED),
      configuration.listDestinations(orgId),
      configuration.listSources(orgId),
      configuration.listPipelines(orgId),
    ]);
    const series: Record<string, number[]> = {
      ...seriesOf(sums, countedNames, window.points),
      dead: dead.counts,
    };
    const total = (name: FunnelName) => (series[name] ?? []).reduce((sum, amount) => sum + amount, 0);
    const times = new Map(latencies.map(({ name, amount }) => [name, amount]));
    const { deadDeliveries, failedEvents, ...waiting } = backlog;
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
      latency: { p50_ms: latencyAt(0.5, times), p95_ms: latencyAt(0.95, times) },
      backlog: waiting,
      dead_letters: { deliveries: deadDeliveries, events: failedEvents },
      failing: await failingOf(orgId, destinations, minutes),
      has: {
        sources: sources.length > 0,
        pipelines: pipelines.length > 0,
        destinations: destinations.length > 0,
      },
    });
  });
}
