import { type FailingDestination, funnelNames } from '@sluice/contract/dashboard-overview';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import { type CounterStore, WHOLE_ORGANISATION } from '../../../core/stores/counters.ts';
import { latencyAt, latencyNames } from '../../../core/stores/latency.ts';
import type { Calls } from '../calls.ts';
import { seriesOf, seriesWindow, totalsOf, totalWindow } from './counter-windows.ts';

/** How far what waits is counted: beyond it a person only wants to know that it is more. */
export const MOST_BACKLOG_COUNTED = 10_000;
/** What failed within this time is failing. */
const LATELY_MINUTES = 60;
const MOST_FAILING = 20;

/** What became of everything lately. It reads counters and the edges of indexes, never events. */
export function overviewCalls(
  calls: Calls,
  {
    counters,
    configuration,
    clock,
  }: {
    readonly counters: Pick<CounterStore, 'countBacklog' | 'readCounters'>;
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
    const window = seriesWindow(minutes, now);
    const whole = [WHOLE_ORGANISATION];
    const [sums, latencies, backlog, destinations, sources, pipelines] = await Promise.all([
      counters.readCounters(orgId, whole, funnelNames, window),
      counters.readCounters(orgId, whole, latencyNames, totalWindow(minutes, now)),
      counters.countBacklog(orgId, MOST_BACKLOG_COUNTED),
      configuration.listDestinations(orgId),
      configuration.listSources(orgId),
      configuration.listPipelines(orgId),
    ]);
    const total = totalsOf(sums);
    const times = new Map(latencies.map(({ name, amount }) => [name, amount]));
    const { deadDeliveries, failedEvents, ...waiting } = backlog;
    return call.answer({
      from: toRfc3339(window.from),
      step_s: window.stepMs / 1_000,
      series: seriesOf(sums, funnelNames, window.points),
      totals: {
        received: total(WHOLE_ORGANISATION, 'received'),
        processed: total(WHOLE_ORGANISATION, 'processed'),
        dropped: total(WHOLE_ORGANISATION, 'dropped'),
        failed: total(WHOLE_ORGANISATION, 'failed'),
        unrouted: total(WHOLE_ORGANISATION, 'unrouted'),
        delivered: total(WHOLE_ORGANISATION, 'delivered'),
        dead: total(WHOLE_ORGANISATION, 'dead'),
      },
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
