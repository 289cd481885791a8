import type { WaterfallLine } from './waterfall.ts';

/**
 * Where moments stand on a line from 0 to 100. Long times in which nothing happens are shortened, or an hour between
 * two attempts would leave nothing to see of the milliseconds that each took.
 */
export interface TimeAxis {
  at(ms: number): number;
  /** Stretches that are shortened. */
  readonly folds: readonly { readonly from: number; readonly to: number }[];
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly isFolded: boolean;
}

/** A moment needs some room to be seen. */
const LEAST_MS = 0.05;
/** A stretch in which nothing happens takes no more room than this, against all in which something does. */
const MOST_IDLE = 1.5;

export function timeAxisOf(lines: readonly Pick<WaterfallLine, 'from' | 'took'>[]): TimeAxis {
  const busy = joined(lines.map(({ from, took }) => ({ from, to: from + (took ?? 0) })));
  const worked = busy.reduce((sum, { from, to }) => sum + Math.max(to - from, LEAST_MS), 0);
  const longestIdle = worked * MOST_IDLE;
  const stretches: Stretch[] = [];
  let end = 0;
  for (const { from, to } of busy) {
    if (from > end) {
      const idle = from - end;
      const isFolded = idle > longestIdle;
      stretches.push({ from: end, to: from, width: isFolded ? longestIdle : idle, isFolded });
    }
    stretches.push({ from, to, width: Math.max(to - from, LEAST_MS), isFolded: false });
    end = to;
  }
  const total = stretches.reduce((sum, { width }) => sum + width, 0);
  const at = (ms: number): number => {
    let passed = 0;
    for (const { from, to, width } of stretches) {
      if (ms < to) return ((passed + (width * (ms - from)) / (to - from)) / total) * 100;
      if (ms === from) return (passed / total) * 100;
      passed += width;
    }
    return total === 0 ? 0 : 100;
  };
  const folds = stretches
    .filter(({ isFolded }) => isFolded)
    .map(({ from, to }) => ({ from: at(from), to: at(to) }));
  return { at, folds };
}

/** In order, and those that touch as one. */
function joined(all: readonly { from: number; to: number }[]): { from: number; to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  for (const { from, to } of all.toSorted((a, b) => a.from - b.from)) {
    const last = stretches.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else stretches.push({ from, to });
  }
  return stretches;
}
