import type { DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import type { EntityStore, ErasedSlice } from '../../core/stores/entities.ts';

/** Withdrawn deliveries: whoever holds them in a queue, or counts them, is notified. */

/** Deliveries, with a signal for those that somebody discards. */
export function withDiscardSignal(
  deliveryQueue: DeliveryQueue,
  onDiscarded: (organisationId: string, deliveryIds: readonly string[]) => void,
): DeliveryQueue {
  const signalling =
    (discard: DeliveryQueue['discardDelivery']): DeliveryQueue['discardDelivery'] =>
    async (orgId, id, at) => {
      const isDiscarded = await discard(orgId, id, at);
      if (isDiscarded) onDiscarded(orgId, [id]);
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
export const withErasureSignal = (
  entities: EntityStore,
  onErased: (organisationId: string, erased: ErasedSlice) => void,
): EntityStore => ({
  ...entities,
  async eraseEventsOfEntity(orgId, entity, page) {
    const slice = await entities.eraseEventsOfEntity(orgId, entity, page);
    onErased(orgId, slice);
    return slice;
  },
});
