import type { Storage } from '../core/ports.ts';

/** Says when deliveries were discarded or erased, since a worker may hold them in its queue. */
export const tellOfWithdrawals = (storage: Storage, onWithdrawn: () => void): Storage => ({
  ...storage,
  async discardDelivery(...args) {
    const isDiscarded = await storage.discardDelivery(...args);
    onWithdrawn();
    return isDiscarded;
  },
  async eraseTiedEvents(...args) {
    const slice = await storage.eraseTiedEvents(...args);
    onWithdrawn();
    return slice;
  },
});
