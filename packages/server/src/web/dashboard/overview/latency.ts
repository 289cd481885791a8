import { endOfWindow } from '@sluice/contract/chart-window';
import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { hours, toRfc3339 } from '../../../core/clock.ts';
import {
  type CounterStore,
  type CounterSum,
  type CounterWindow,
  WHOLE_ORGANISATION,
} from '../../../core/stores/counters.ts';
import { latencyAt, latencyNames } from '../../../core/stores/latency.ts';

/** Percentiles of latency over a window and over each step of its chart, from counts by class. */

const HOUR = hours(1);
/** Classes are many: from here on they are read by the hour, which is as fine as anybody looks at them. */
const LONG_MS = hours(6);

export async function latencyFigures(
  counters: Pick<CounterStore, 'readCounters'>,
  orgId: string,
  window: CounterWindow,
): Promise<OverviewRecord['latency']> {
  const { chart, pieces } = latencyWindows(window);
  const sums = await Promise.all(
    pieces.map(async piece => {
      const skipped = Math.floor((piece.from - chart.from) / chart.stepMs);
      const read = await counters.readCounters(orgId, [WHOLE_ORGANISATION], latencyNames, piece);
      return read.map(sum => ({ ...sum, point: sum.point + skipped }));
    }),
  );
  return percentilesOf(sums.flat(), chart);
}

/**
 * The steps of the chart, and what is read for it: never more and never less than the window. Where the steps are hours, the
 * first and the last may be in it with some of their minutes only, and these are read apart from the whole hours.
 */
export function latencyWindows(window: CounterWindow): {
  readonly chart: CounterWindow;
  readonly pieces: readonly CounterWindow[];
} {
  const end = endOfWindow(window);
  if (end - window.from < LONG_MS || window.stepMs >= HOUR) return { chart: window, pieces: [window] };
  const [first, last] = [Math.ceil(window.from / HOUR) * HOUR, Math.floor(end / HOUR) * HOUR];
  const begins = Math.floor(window.from / HOUR) * HOUR;
  const pieces = [
    { from: window.from, stepMs: first - window.from, points: 1 },
    { from: first, stepMs: HOUR, points: (last - first) / HOUR },
    { from: last, stepMs: end - last, points: 1 },
  ].filter(({ stepMs }) => stepMs > 0);
  return { chart: { from: begins, stepMs: HOUR, points: Math.ceil((end - begins) / HOUR) }, pieces };
}

const shares = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

function percentilesOf(
  sums: readonly CounterSum[],
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
