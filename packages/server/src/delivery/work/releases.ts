import type { ClaimedDelivery, DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import type { Claim } from './claim.ts';

/**
 * Gives claims back: what was claimed and is not going to be sent from here, whoever claims it next may send at once.
 */
export interface Releases {
  release(token: string, deliveries: readonly ClaimedDelivery[]): Promise<void>;
  giveBack(claims: readonly Claim[]): Promise<void>;
}

export function createReleases(deliveryQueue: Pick<DeliveryQueue, 'releaseDeliveries'>): Releases {
  async function release(token: string, deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await deliveryQueue.releaseDeliveries(
      token,
      deliveries.map(({ orgId, id }) => ({ orgId, id })),
    );
  }

  return {
    release,
    async giveBack(claims) {
      for (const [token, group] of Map.groupBy(claims, claim => claim.token)) {
        await release(
          token,
          group.map(({ delivery }) => delivery),
        );
      }
    },
  };
}
