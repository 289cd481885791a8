import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { formatNumber } from '../../lib/format.ts';

/** How much waits at a destination: `1 delivery`, `10,000 or more deliveries`. */
export const queuedCount = (waiting: number): string =>
  waiting === 1
    ? '1 delivery'
    : `${formatNumber(waiting)}${waiting >= MOST_COUNTED ? ' or more' : ''} deliveries`;
