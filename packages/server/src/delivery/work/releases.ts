import type { Clock } from '../../core/clock.ts';
import type { ClaimedDelivery, DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import type { Claim } from './claim.ts';

/**
 * Gives claims back: what was claimed and is not going to be sent from here, whoever claims it next may send at once.
 */
export interface Releases {
  release(token: string, deliveries: readonly ClaimedDelivery[]): Promise<void>;
  giveBack(claims: readonly Claim[]): Promise<void>;
}

export function createReleases(
  deliveryQueue: Pick<DeliveryQueue, 'releaseDeliveries'>,
  clock: Clock,
): Releases {
  async function giveBack(claims: readonly Pick<Claim, 'delivery' | 'token'>[]): Promise<void> {
    if (claims.length === 0) return;
    await deliveryQueue.releaseDeliveries(
      claims.map(({ delivery: { orgId, id }, token }) => ({ orgId, id, token })),
      clock.now(),
    );
  }

  return {
    release: (token, deliveries) => giveBack(deliveries.map(delivery => ({ delivery, token }))),
    giveBack,
  };
}
