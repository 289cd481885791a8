import { formatNumber } from '../../lib/format.ts';

/** How a figure has changed against the period before, as text and whether that is good. */
export interface Change {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'none';
}

/** `share`: in percent of what it was; `points`: of two percentages; `amount`: so many more or less. */
export function changeOf(
  now: number | null,
  before: number | null,
  as: 'share' | 'points' | 'amount' = 'share',
  better?: 'less',
): Change | null {
  if (now === null || before === null) return null;
  if (as === 'share' && before === 0) return null;
  const change = as === 'share' ? ((now - before) / before) * 100 : now - before;
  const rounded = as === 'points' ? Math.round(Math.abs(change) * 10) / 10 : Math.round(Math.abs(change));
  // While there is any left, not all of it is gone.
  const size = as === 'share' && change < 0 && now > 0 ? Math.min(99, rounded) : rounded;
  if (size === 0) return { text: '±0', tone: 'none' };
  const unit = as === 'share' ? '%' : as === 'points' ? ' pp' : '';
  const isUp = change > 0;
  const isNeutral = as === 'share' && better === undefined;
  return {
    text: `${isUp ? '+' : '−'}${formatNumber(size)}${unit}`,
    tone: isNeutral ? 'none' : isUp === (better === 'less') ? 'bad' : 'good',
  };
}
