import type { Storage } from '../../core/stores/storage.ts';

/** Says whose deliveries were discarded or erased, and which where that is known: a worker may hold them in a queue. */
export function withWithdrawalSignal(
  storage: Storage,
  onWithdrawn: (organisationId: string, deliveryIds?: readonly string[]) => void,
): Storage {
  const signalling =
    (discard: Storage['discardDelivery']): Storage['discardDelivery'] =>
    async (orgId, id, at) => {
      const isDiscarded = await discard(orgId, id, at);
      if (isDiscarded) onWithdrawn(orgId, [id]);
      return isDiscarded;
    };
  return {
    ...storage,
    discardDelivery: signalling(storage.discardDelivery),
    async eraseEventsOfEntity(orgId, entity, page) {
      const slice = await storage.eraseEventsOfEntity(orgId, entity, page);
      onWithdrawn(orgId);
      return slice;
    },
    audited(...entries) {
      const audited = storage.audited(...entries);
      return { ...audited, discardDelivery: signalling(audited.discardDelivery) };
    },
  };
}
