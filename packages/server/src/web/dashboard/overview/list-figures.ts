import { chartWindow, windowUpTo } from '@sluice/contract/chart-window';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { type Clock, hours, minutes, toRfc3339 } from '../../../core/clock.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { CounterStore, CounterWindow } from '../../../core/stores/counters.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import { latencyNames } from '../../../core/stores/latency.ts';
import type { Calls } from '../calls.ts';
import { percentileOf, seriesBySubject, totalsOf } from './counter-windows.ts';
import { failedInEach } from './failed-figures.ts';

/**
 * The figures of lists: all rows in one call, from counters and from what is open or dead at present, over the very
 * time that the lists and pages behind them have.
 */

/** The outcomes of runs: together they are what went in. */
export const runNames = ['routed', 'dropped', 'failed'] as const;

interface FigureWindows {
  /** As one stretch, from where a chart of it begins. */
  readonly whole: CounterWindow;
  /** In steps that make a line of some thirty points, and are read fast. */
  readonly line: CounterWindow;
}

function windowsOf(minuteCount: number, now: number): FigureWindows {
  const { from, stepMs, points } = chartWindow(minuteCount, now);
  return {
    whole: { from, stepMs: stepMs * points, points: 1 },
    line: minuteCount > 60 ? windowUpTo(now, hours(1), minuteCount / 60) : windowUpTo(now, minutes(2), 30),
  };
}

export function listFigureCalls(
  calls: Calls,
  {
    configuration,
    counters,
    deliveryQueue,
    clock,
  }: {
    readonly configuration: Pick<
      ConfigurationStore,
      'listDestinations' | 'listLastErrors' | 'listPipelines' | 'listSources'
    >;
    readonly counters: Pick<CounterStore, 'countPresentOfEach' | 'readCounters'>;
    readonly deliveryQueue: Pick<DeliveryQueue, 'countFailedInEach'>;
    readonly clock: Clock;
  },
): void {
  /** Totals of these names, and the line of some of them, of each. */
  async function read(
    orgId: string,
    rows: readonly { readonly id: string }[],
    names: readonly string[],
    lineOf: readonly string[],
    { whole, line }: FigureWindows,
  ) {
    const ids = rows.map(({ id }) => id);
    const [sums, steps] = await Promise.all([
      counters.readCounters(orgId, ids, names, whole),
      counters.readCounters(orgId, ids, lineOf, line),
    ]);
    const lines = seriesBySubject(steps, line.points);
    const total = totalsOf(sums);
    return {
      total: (id: string, name: string) => Math.max(0, total(id, name)),
      p95: (id: string) => percentileOf(0.95, id, total),
      line: (id: string) => lines.get(id) ?? new Array<number>(line.points).fill(0),
      begins: { from: toRfc3339(line.from), step_s: line.stepMs / 1_000 },
    };
  }

  calls.on('GET /figures/destinations', 'read', async call => {
    const { orgId } = call.session;
    const windows = windowsOf(call.query().minutes, clock.now());
    const { from, stepMs } = windows.whole;
    const [destinations, errors, present] = await Promise.all([
      configuration.listDestinations(orgId),
      configuration.listLastErrors(orgId),
      counters.countPresentOfEach(orgId, { from, to: from + stepMs }, MOST_COUNTED),
    ]);
    const names = ['delivered', ...latencyNames];
    const { total, p95, line, begins } = await read(orgId, destinations, names, ['delivered'], windows);
    const lastErrors = new Map(errors.map(error => [error.id, error]));
    const presents = new Map(present.map(one => [one.destinationId, one]));
    return call.answer({
      ...begins,
      rows: destinations.flatMap(({ id }) => {
        const one = presents.get(id);
        // It was made between the two looks.
        if (one === undefined) return [];
        const { waiting, retrying, held, dead, open } = one;
        const error = lastErrors.get(id);
        return [
          {
            id,
            present: { delivered: total(id, 'delivered'), waiting, retrying, held, dead },
            open,
            p95_ms: p95(id),
            last_error: error === undefined ? null : { at: toRfc3339(error.at), message: error.message },
            line: line(id),
          },
        ];
      }),
    });
  });

  calls.on('GET /figures/sources', 'read', async call => {
    const { orgId } = call.session;
    const sources = await configuration.listSources(orgId);
    const windows = windowsOf(call.query().minutes, clock.now());
    const figures = await read(orgId, sources, ['received', 'rejected'], ['received'], windows);
    return call.answer({
      ...figures.begins,
      rows: sources.map(({ id, kind }) => ({
        id,
        received: figures.total(id, 'received'),
        // Requests with a key are refused before anybody knows which sources they would belong to.
        rejected: kind === 'webhook' ? figures.total(id, 'rejected') : null,
        line: figures.line(id),
      })),
    });
  });

  calls.on('GET /figures/pipelines', 'read', async call => {
    const { orgId } = call.session;
    const pipelines = await configuration.listPipelines(orgId);
    const windows = windowsOf(call.query().minutes, clock.now());
    const names = [...runNames, ...latencyNames];
    const [{ total, p95, line, begins }, failed] = await Promise.all([
      read(orgId, pipelines, names, runNames, windows),
      failedInEach({ deliveryQueue, counters, clock }, orgId, windows.whole, pipelines),
    ]);
    return call.answer({
      ...begins,
      rows: pipelines.map(({ id }) => ({
        id,
        in: runNames.reduce((sum, name) => sum + total(id, name), 0),
        dropped: total(id, 'dropped'),
        failed: failed(id),
        p95_ms: p95(id),
        line: line(id),
      })),
    });
  });
}
