import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import { tellCapped } from '../../lib/amounts.ts';

/** "12 deliveries and 3 events". */
export function tellLetters({ deliveries, events, most }: DeadLetterSummary): string {
  const tell = (count: number) => tellCapped({ count, more: count >= most });
  const told = [
    deliveries > 0 && `${tell(deliveries)} ${deliveries === 1 ? 'delivery' : 'deliveries'}`,
    events > 0 && `${tell(events)} ${events === 1 ? 'event' : 'events'}`,
  ].filter(text => text !== false);
  return told.length === 0 ? 'nothing' : told.join(' and ');
}
