import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import type { RangeName } from './ranges.ts';

interface ChartRow {
  readonly at: string;
  readonly received: number;
  readonly delivered: number;
  readonly dropped: number;
  readonly lost: number;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** The series as a chart wants them: a row for each step, named by when it begins. */
export function chartRows(
  { from, step_s, series }: Pick<OverviewRecord, 'from' | 'step_s' | 'series'>,
  range: RangeName,
): ChartRow[] {
  const { received = [], delivered = [], dropped = [], failed = [], dead = [] } = series;
  const begins = Date.parse(from);
  const format = range === '7d' ? dayAndClock : clock;
  return received.map((amount, n) => ({
    at: format.format(begins + n * step_s * 1_000),
    received: amount,
    delivered: delivered[n] ?? 0,
    dropped: dropped[n] ?? 0,
    lost: (failed[n] ?? 0) + (dead[n] ?? 0),
  }));
}
