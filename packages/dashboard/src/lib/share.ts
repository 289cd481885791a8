import type { CappedCountRecord, PresentRecord } from '@sluice/contract/dashboard-overview';

/** Shares of a whole as text, and how much of what was made has arrived. */

/** `0.4%` of a whole; nothing of nothing is no share at all. */
export function formatShare(part: number, of: number): string {
  if (of === 0 || part === 0) return '';
  const percent = (part / of) * 100;
  if (percent < 0.1) return '<0.1%';
  return formatPercent(percent);
}

/** Never rounded up to all of it, or down to nothing. */
export function formatPercent(percent: number): string {
  if (percent > 99 && percent < 100) return `${Math.min(99.9, Math.round(percent * 10) / 10)}%`;
  if (percent > 0 && percent < 0.1) return '<0.1%';
  return `${percent < 10 ? Math.round(percent * 10) / 10 : Math.round(percent)}%`;
}

/** Of the deliveries that were made, those that have arrived, in percent; null where none was made. */
export function deliveredPercent(present: PresentRecord): number | null {
  const { delivered, waiting, retrying, held, dead } = present;
  const all = [waiting, retrying, held, dead].reduce((sum, { count }) => sum + count, delivered);
  return all === 0 ? null : (delivered / all) * 100;
}

/** Whether not all were counted: then there are less than that share. */
export const isAtMost = ({ waiting, retrying, held, dead }: PresentRecord): boolean =>
  [waiting, retrying, held, dead].some(({ more }) => more);

export const formatDelivered = (present: PresentRecord): string => {
  const percent = deliveredPercent(present);
  if (percent === null) return '–';
  return percent > 0 && isAtMost(present) ? formatLessThan(percent) : formatPercent(percent);
};

/** Rounded up: where it is less than 83.3%, it need not be less than 83%. */
function formatLessThan(percent: number): string {
  const scale = percent < 10 || percent > 99 ? 10 : 1;
  return `<${Math.ceil(percent * scale) / scale}%`;
}

export const addCapped = (a: CappedCountRecord, b: CappedCountRecord): CappedCountRecord => ({
  count: a.count + b.count,
  more: a.more || b.more,
});
