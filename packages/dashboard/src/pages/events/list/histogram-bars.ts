import type { ChartWindow } from '@sluice/contract/chart-window';
import type { EventHistogram } from '@sluice/contract/dashboard-events';

/** What is drawn of a histogram, and which time a part of it stands for. */

export interface HistogramBar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Nobody has counted so far back. */
  readonly isUnknown: boolean;
}

export function barsOfHistogram(histogram: EventHistogram): HistogramBar[] {
  const { counts, counted_from } = histogram;
  const { from: begin, stepMs } = windowOfHistogram(histogram);
  const known = counted_from === null ? Number.NEGATIVE_INFINITY : Date.parse(counted_from);
  return counts.map((count, n) => {
    const to = begin + (n + 1) * stepMs;
    return { from: to - stepMs, to, count, isUnknown: to <= known };
  });
}

/** The steps that its bars stand for, as they can be drawn over. */
export const windowOfHistogram = ({ from, step_s, counts }: EventHistogram): ChartWindow => ({
  from: Date.parse(from),
  stepMs: step_s * 1_000,
  points: counts.length,
});

/** A stretch of time as the filters of a list have it: both moments are excluded. */
export const filterOfTime = (from: number, to: number): { after: string; before: string } => ({
  after: new Date(from - 1).toISOString(),
  before: new Date(to).toISOString(),
});
