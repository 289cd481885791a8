import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import { formatCapped } from '../../lib/format.ts';

/** "12 deliveries and 3 events". */
export function describeDeadLetters({ deliveries, events, most }: DeadLetterSummary): string {
  const tell = (count: number) => formatCapped({ count, more: count >= most });
  const told = [
    deliveries > 0 && `${tell(deliveries)} ${deliveries === 1 ? 'delivery' : 'deliveries'}`,
    events > 0 && `${tell(events)} ${events === 1 ? 'event' : 'events'}`,
  ].filter(text => text !== false);
  return told.length === 0 ? 'nothing' : told.join(' and ');
}
