import type { ClassifyFigures } from '@sluice/contract/dashboard-figures';
import { formatNumber } from '../../lib/format.ts';
import { formatShare } from '../../lib/share.ts';

/** What a pipeline, or one of its steps, did not have to ask a model for. */

export const askedOf = ({ model_called, cache_hit, call_shared }: ClassifyFigures): number =>
  model_called + cache_hit + call_shared;

/** `8 (80%)` */
export function savedOf(classify: ClassifyFigures): string {
  const saved = classify.cache_hit + classify.call_shared;
  const share = formatShare(saved, askedOf(classify));
  return share === '' ? formatNumber(saved) : `${formatNumber(saved)} (${share})`;
}
