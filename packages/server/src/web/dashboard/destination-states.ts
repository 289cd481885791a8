import type { DestinationState } from '@sluice/contract/dashboard-deliveries';
import type { Clock } from '../../core/clock.ts';
import { LISTENER_KIND } from '../../core/kinds/listeners.ts';
import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { CounterStore } from '../../core/stores/counters.ts';
import type { DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import { totalsOf, totalWindow } from './overview/counter-windows.ts';

/** The state of a destination in one word, which is the same in its list, on its page and on the map. */

/** What failed within this time is a recent failure; one that is older says nothing of the present. */
const LATELY_MINUTES = 10;

export interface StateDependencies {
  readonly counters: Pick<CounterStore, 'readCounters'>;
  readonly deliveryQueue: Pick<DeliveryQueue, 'findLastEnds'>;
  readonly clock: Clock;
}

/** Those of them whose last attempt failed: one that takes what it is sent again is not failing any more. */
async function failedLast(
  orgId: string,
  ids: readonly string[],
  deliveryQueue: StateDependencies['deliveryQueue'],
): Promise<ReadonlySet<string>> {
  const ends = ids.length === 0 ? [] : await deliveryQueue.findLastEnds(orgId, ids);
  return new Set(
    ends
      .filter(({ deliveredAt, failedAt }) => failedAt !== null && failedAt >= (deliveredAt ?? 0))
      .map(({ destinationId }) => destinationId),
  );
}

/** How many attempts of each have failed lately. */
export async function failedLately(
  orgId: string,
  destinations: readonly StoredDestination[],
  { counters, clock }: Pick<StateDependencies, 'counters' | 'clock'>,
): Promise<(id: string) => number> {
  const ids = destinations.map(({ id }) => id);
  const window = totalWindow(LATELY_MINUTES, clock.now());
  const total = totalsOf(await counters.readCounters(orgId, ids, ['failed'], window));
  return id => total(id, 'failed');
}

export async function statesOf(
  orgId: string,
  destinations: readonly StoredDestination[],
  { counters, deliveryQueue, clock }: StateDependencies,
  known?: Awaited<ReturnType<typeof failedLately>>,
): Promise<(destination: StoredDestination) => DestinationState> {
  const failed = known ?? (await failedLately(orgId, destinations, { counters, clock }));
  const lately = destinations.map(({ id }) => id).filter(id => failed(id) > 0);
  const failing = await failedLast(orgId, lately, deliveryQueue);
  return ({ id, kind, breaker, paused, listenerToken }) => {
    // What somebody has paused waits for that person, whatever else is wrong with it.
    if (paused) return 'paused';
    if (kind === LISTENER_KIND && listenerToken === null) return 'held';
    if (breaker !== null) return 'down';
    return failing.has(id) ? 'failing' : 'active';
  };
}
