import type { Storage } from '../../core/stores/storage.ts';

/** Says when deliveries were discarded or erased, since a worker may hold them in its queue. */
export function withWithdrawalSignal(storage: Storage, onWithdrawn: () => void): Storage {
  const telling =
    <Args extends unknown[], Result>(withdraw: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await withdraw(...args);
      onWithdrawn();
      return result;
    };
  return {
    ...storage,
    discardDelivery: telling(storage.discardDelivery),
    eraseEventsOfEntity: telling(storage.eraseEventsOfEntity),
    audited(...entries) {
      const audited = storage.audited(...entries);
      return { ...audited, discardDelivery: telling(audited.discardDelivery) };
    },
  };
}
