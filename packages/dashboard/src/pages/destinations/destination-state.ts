import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';

/** A pause is somebody's will, so it is told before the breaker. */
export function stateOf({ paused, breaker }: Pick<DestinationRecord, 'paused' | 'breaker'>): string {
  if (paused) return 'paused';
  return breaker.state === 'open' ? 'down' : 'active';
}
