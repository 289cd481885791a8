import type { EventHistogram } from '@sluice/contract/dashboard-events';

/** What is drawn of a histogram, and which time a part of it stands for. */

export interface HistogramBar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Nobody has counted so far back. */
  readonly isUnknown: boolean;
}

export function barsOfHistogram({ from, step_s, counts, counted_from }: EventHistogram): HistogramBar[] {
  const [begin, stepMs] = [Date.parse(from), step_s * 1_000];
  const known = counted_from === null ? Number.NEGATIVE_INFINITY : Date.parse(counted_from);
  return counts.map((count, n) => {
    const to = begin + (n + 1) * stepMs;
    return { from: to - stepMs, to, count, isUnknown: to <= known };
  });
}

/** From one bar to another, whichever comes first, as the filters of a list have it: both moments are excluded. */
export function timeOfBars(
  bars: readonly HistogramBar[],
  one: number,
  other: number,
): { after: string; before: string } | null {
  const [first, last] = [bars[Math.min(one, other)], bars[Math.max(one, other)]];
  if (first === undefined || last === undefined) return null;
  return { after: new Date(first.from - 1).toISOString(), before: new Date(last.to).toISOString() };
}

/** Which bar a place from the left edge is in. */
export function barAt(x: number, width: number, bars: number): number {
  if (width <= 0) return 0;
  return Math.min(Math.max(Math.floor((x / width) * bars), 0), bars - 1);
}
