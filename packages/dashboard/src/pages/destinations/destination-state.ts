import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';

/** The state of a destination in a word. A pause is somebody's will, so it comes before the breaker. */
export function stateOf({ paused, breaker }: Pick<DestinationRecord, 'paused' | 'breaker'>): string {
  if (paused) return 'paused';
  return breaker.state === 'open' ? 'down' : 'active';
}
