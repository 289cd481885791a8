import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';

/** `12`, or `10,000+` where nobody counted on. */
export const tellCount = (count: number, most: number): string =>
  `${count.toLocaleString('en')}${count >= most ? '+' : ''}`;

/** "12 deliveries and 3 events". */
export function tellLetters({ deliveries, events, most }: DeadLetterSummary): string {
  const told = [
    deliveries > 0 && `${tellCount(deliveries, most)} ${deliveries === 1 ? 'delivery' : 'deliveries'}`,
    events > 0 && `${tellCount(events, most)} ${events === 1 ? 'event' : 'events'}`,
  ].filter(text => text !== false);
  return told.length === 0 ? 'nothing' : told.join(' and ');
}
