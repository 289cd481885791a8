import { endOfWindow } from '@sluice/contract/chart-window';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { type Clock, minutes } from '../../../core/clock.ts';
import { compileGlob } from '../../../core/expressions/glob.ts';
import type { StoredPipeline } from '../../../core/stores/configuration/pipelines.ts';
import type { Source } from '../../../core/stores/configuration/sources.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import { arrow, type CappedCount, type CounterStore, type WaitingAt } from '../../../core/stores/counters.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Calls } from '../calls.ts';
import { statesOf } from '../destination-states.ts';
import { stepsOf, totalsOf, totalWindow, wholeOf } from './counter-windows.ts';
import { failedInEach } from './failed-figures.ts';

/** What a person takes for now. */
const NOW_MINUTES = 5;
/** What is to be tried again keeps the trace of its last try, and is read no further than this. */
const MOST_RETRIES = { most: 1_000, bytes: 1024 * 1024 };
const NOTHING: CappedCount = { count: 0, more: false };

/** The map: sources, pipelines and destinations as they are connected, and how much goes along each edge. */
export function mapCalls(
  calls: Calls,
  {
    configuration,
    counters,
    deliveryQueue,
    clock,
  }: {
    readonly configuration: Pick<ConfigurationStore, 'listDestinations' | 'listPipelines' | 'listSources'>;
    readonly counters: Pick<
      CounterStore,
      'countPresentOfEach' | 'countRetryingAt' | 'countWaitingAt' | 'readCounters'
    >;
    readonly deliveryQueue: Pick<DeliveryQueue, 'countDeadByRoute' | 'countFailedInEach' | 'findLastEnds'>;
    readonly clock: Clock;
  },
): void {
  calls.on('GET /map', 'read', async call => {
    const { orgId } = call.session;
    const [allSources, pipelines, destinations] = await Promise.all([
      configuration.listSources(orgId),
      configuration.listPipelines(orgId),
      configuration.listDestinations(orgId),
    ]);
    const edges = edgesOf(pipelines);
    // Everybody has the source of system events: it is of interest where somebody listens to it.
    const sources = allSources.filter(
      ({ id, kind }) => kind !== 'system' || edges.some(({ from }) => from === id),
    );
    const arrows = edges.map(({ from, to }) => arrow(from, to));
    const nodes = [...sources, ...pipelines, ...destinations].map(({ id }) => id);
    const now = clock.now();
    const window = wholeOf(stepsOf(call.query(), now));
    const lateWindow = totalWindow(NOW_MINUTES, now);
    // The last minute is not over yet.
    const minutesOfNow = (now - lateWindow.from) / minutes(1);
    const [onArrows, onArrowsNow, onNodes, waiting, retrying, present, routes, failed, stateOf] =
      await Promise.all([
        counters.readCounters(orgId, arrows, ['runs', 'deliveries'], window),
        counters.readCounters(orgId, arrows, ['runs', 'deliveries'], lateWindow),
        counters.readCounters(orgId, nodes, ['received', 'routed', 'dropped', 'failed', 'delivered'], window),
        counters.countWaitingAt(orgId, MOST_COUNTED),
        counters.countRetryingAt(orgId, MOST_RETRIES),
        counters.countPresentOfEach(orgId, { from: window.from, to: endOfWindow(window) }, MOST_COUNTED),
        deliveryQueue.countDeadByRoute(
          orgId,
          { madeAfter: window.from - 1, madeBefore: endOfWindow(window) },
          MOST_COUNTED,
        ),
        failedInEach({ deliveryQueue, counters, clock }, orgId, window, pipelines),
        statesOf(orgId, destinations, { counters, deliveryQueue, clock }),
      ]);
    const [total, lately, of] = [totalsOf(onArrows), totalsOf(onArrowsNow), totalsOf(onNodes)];
    const waitingAt = waitingAtSources(sources, waiting);
    const deadAt = new Map(present.map(({ destinationId, dead }) => [destinationId, dead]));
    const deadAlong = new Map(
      routes.counts.map(({ pipelineId, destinationId, count }) => [
        arrow(pipelineId, destinationId),
        Math.min(count, MOST_COUNTED),
      ]),
    );
    /** Of a destination all dead are counted by themselves: where no more than were found along its edges, none was missed. */
    const missedSome = (to: string): boolean => {
      const found = routes.counts.reduce(
        (sum, { destinationId, count }) => sum + (destinationId === to ? count : 0),
        0,
      );
      const { count, more } = deadAt.get(to) ?? NOTHING;
      return routes.more && (more || count > found);
    };
    const ends = new Set(destinations.map(({ id }) => id));
    const along = (of: ReturnType<typeof totalsOf>, from: string, to: string) =>
      of(arrow(from, to), 'runs') + of(arrow(from, to), 'deliveries');

    return call.answer({
      sources: sources
        .map(({ id, name, kind, enabled }) => ({
          id,
          name,
          kind,
          enabled,
          total: of(id, 'received'),
          waiting: waitingAt(id),
        }))
        .sort(byName),
      pipelines: pipelines
        .map(({ id, name, enabled }) => ({
          id,
          name,
          enabled,
          total: of(id, 'routed') + of(id, 'dropped') + of(id, 'failed'),
          waiting: { count: retrying.counts.get(id) ?? 0, more: retrying.more },
          dead: failed(id),
        }))
        .sort(byName),
      destinations: destinations
        .map(destination => {
          const { id, name, kind } = destination;
          return {
            id,
            name,
            kind,
            state: stateOf(destination),
            total: of(id, 'delivered'),
            waiting: waiting.destinations.get(id) ?? NOTHING,
            dead: deadAt.get(id) ?? NOTHING,
          };
        })
        .sort(byName),
      edges: edges.map(({ from, to }) => ({
        from,
        to,
        total: along(total, from, to),
        per_minute: along(lately, from, to) / minutesOfNow,
        dead: ends.has(to)
          ? { count: deadAlong.get(arrow(from, to)) ?? 0, more: missedSome(to) }
          : failed(to),
      })),
    });
  });
}

/**
 * Events that were sent with a key wait at every source that they will belong to, as they will be counted there: at each
 * that is enabled and matches their type.
 */
function waitingAtSources(
  sources: readonly Source[],
  { sources: bySource, types }: WaitingAt,
): (id: string) => CappedCount {
  const waiting = new Map(bySource);
  for (const source of sources) {
    if (source.kind !== 'sdk' || !source.enabled) continue;
    const matches = compileGlob(source.match);
    const own = [...types].flatMap(([type, count]) => (matches(type) ? [count] : []));
    const count = own.reduce((sum, one) => sum + one.count, 0);
    const more = count > MOST_COUNTED || own.some(one => one.more);
    waiting.set(source.id, { count: Math.min(count, MOST_COUNTED), more });
  }
  return id => waiting.get(id) ?? NOTHING;
}

const byName = (a: { name: string }, b: { name: string }): number =>
  a.name.localeCompare(b.name, 'en', { numeric: true });

/** The part of a definition that says what a pipeline is connected to; its secrets are of no interest here. */
interface Connections {
  readonly sources: readonly string[];
  readonly destinations: readonly { readonly id: string }[];
}

const edgesOf = (pipelines: readonly StoredPipeline[]): { from: string; to: string }[] =>
  pipelines.flatMap(({ id, definition }) => {
    const { sources, destinations } = JSON.parse(definition) as Connections;
    return [
      ...sources.map(from => ({ from, to: id })),
      ...destinations.map(destination => ({ from: id, to: destination.id })),
    ];
  });
