import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';

/** The state of a destination in a word. A pause is somebody's will, so it comes before what else holds it up. */
export function stateOf({
  paused,
  breaker,
  listener,
}: Pick<DestinationRecord, 'paused' | 'breaker' | 'listener'>): string {
  if (paused) return 'paused';
  if (listener?.connected === false) return 'held';
  return breaker.state === 'open' ? 'down' : 'active';
}
