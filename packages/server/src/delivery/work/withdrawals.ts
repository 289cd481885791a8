import type { DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import type { EntityStore } from '../../core/stores/entities.ts';

/** Notified of whose deliveries were withdrawn, and which where that is known: a worker may hold them in a queue. */
type OnWithdrawn = (organisationId: string, deliveryIds?: readonly string[]) => void;

/** Deliveries, with a signal for those that somebody discards. */
export function withDiscardSignal(deliveryQueue: DeliveryQueue, onWithdrawn: OnWithdrawn): DeliveryQueue {
  const signalling =
    (discard: DeliveryQueue['discardDelivery']): DeliveryQueue['discardDelivery'] =>
    async (orgId, id, at) => {
      const isDiscarded = await discard(orgId, id, at);
      if (isDiscarded) onWithdrawn(orgId, [id]);
      return isDiscarded;
    };
  return {
    ...deliveryQueue,
    discardDelivery: signalling(deliveryQueue.discardDelivery),
    audited(...entries) {
      const audited = deliveryQueue.audited(...entries);
      return { ...audited, discardDelivery: signalling(audited.discardDelivery) };
    },
  };
}

/** Entities, with a signal for the deliveries of events that are erased. */
export const withErasureSignal = (entities: EntityStore, onWithdrawn: OnWithdrawn): EntityStore => ({
  ...entities,
  async eraseEventsOfEntity(orgId, entity, page) {
    const slice = await entities.eraseEventsOfEntity(orgId, entity, page);
    onWithdrawn(orgId);
    return slice;
  },
});
