import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { timeFormat } from '../../lib/time-display.ts';

/** Series as charts want them: a row for each step, named by when it begins. */

export interface ThroughputRow {
  readonly at: string;
  readonly processed: number;
  readonly dropped: number;
  readonly unrouted: number;
  readonly failed: number;
  readonly waiting: number;
  readonly delivered: number;
  readonly open: number;
  readonly dead: number;
}

const clock = timeFormat({ hour: '2-digit', minute: '2-digit' });
const dayAndClock = timeFormat({
  weekday: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

const DAY_S = 86_400;

const formatOf = (stepSeconds: number, steps: number) => (stepSeconds * steps > DAY_S ? dayAndClock : clock);

/** Events by their state, and beside them, never on one axis with them, deliveries that arrived, died, or did neither yet. */
export function throughputRows({
  from,
  step_s,
  series,
  open,
}: Pick<OverviewRecord, 'from' | 'open' | 'series' | 'step_s'>): ThroughputRow[] {
  const at = (name: string, n: number) => series[name]?.[n] ?? 0;
  const begins = Date.parse(from);
  const { received: steps = [] } = series;
  const format = formatOf(step_s, steps.length);
  return steps.map((received, n) => {
    const [processed, dropped, unrouted, failed] = [
      at('processed', n),
      at('dropped', n),
      at('unrouted', n),
      at('failed', n),
    ];
    return {
      at: format.format(begins + n * step_s * 1_000),
      processed,
      dropped,
      unrouted,
      failed,
      waiting: Math.max(0, received - processed - dropped - unrouted - failed),
      delivered: at('delivered', n),
      open: open.counts[n] ?? 0,
      dead: at('dead', n),
    };
  });
}

/**
 * Of the deliveries that were made in each step, those that have arrived, in percent. Where none was made it stays as it was:
 * none has failed there.
 */
export function deliveredPercents({ series, open }: Pick<OverviewRecord, 'open' | 'series'>): number[] {
  const { delivered = [], dead = [] } = series;
  const percents = delivered.map((arrived, n) => {
    const all = arrived + (dead[n] ?? 0) + (open.counts[n] ?? 0);
    return all === 0 ? null : (arrived / all) * 100;
  });
  return carriedOn(percents);
}

/** Where there is no figure, the one before it. */
export function carriedOn(figures: readonly (number | null)[]): number[] {
  let last = figures.find(figure => figure !== null) ?? 0;
  return figures.map(figure => {
    last = figure ?? last;
    return last;
  });
}

/**
 * Whether a line would leave some of it out: between two steps without a figure there is nothing to draw it to.
 */
export const hasLonePoint = (figures: readonly (number | null)[]): boolean =>
  figures.some(
    (figure, n) => figure !== null && (figures[n - 1] ?? null) === null && (figures[n + 1] ?? null) === null,
  );

export function latencyRows({ from, step_s, series }: OverviewRecord['latency']) {
  const format = formatOf(step_s, series.p50.length);
  return series.p50.map((p50, n) => ({
    at: format.format(Date.parse(from) + n * step_s * 1_000),
    p50,
    p95: series.p95[n] ?? null,
    p99: series.p99[n] ?? null,
  }));
}
