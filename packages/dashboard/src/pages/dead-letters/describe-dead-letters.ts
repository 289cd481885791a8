import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import { formatCapped } from '../../lib/format.ts';

/** "12 deliveries and 3 events". */
export function describeDeadLetters({ deliveries, events, most }: DeadLetterSummary): string {
  const format = (count: number) => formatCapped({ count, more: count >= most });
  const parts = [
    deliveries > 0 && `${format(deliveries)} ${deliveries === 1 ? 'delivery' : 'deliveries'}`,
    events > 0 && `${format(events)} ${events === 1 ? 'event' : 'events'}`,
  ].filter(text => text !== false);
  return parts.length === 0 ? 'nothing' : parts.join(' and ');
}
