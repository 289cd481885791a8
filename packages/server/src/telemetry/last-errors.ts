import type { LastError } from '../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../core/stores/configuration.ts';
import type { ClaimedDelivery, EndedAttempt } from '../core/stores/delivery-queue.ts';

/**
 * The last error of each destination, for lists of them. Here only the latest is kept, and once a second it is written:
 * however much fails, a destination costs one write.
 */
export interface LastErrors {
  attempted(
    delivery: Pick<ClaimedDelivery, 'orgId' | 'destinationId'>,
    attempt: EndedAttempt['attempt'],
  ): void;
  flush(): Promise<void>;
}

export function createLastErrors(configuration: Pick<ConfigurationStore, 'recordLastErrors'>): LastErrors {
  let latest = new Map<string, LastError>();
  return {
    attempted({ orgId, destinationId: id }, { at, code, message, status }) {
      if (code === null) return;
      latest.set(id, { orgId, id, at, message: message ?? (status === null ? code : `${code}: ${status}`) });
    },
    async flush() {
      if (latest.size === 0) return;
      const taken = latest;
      latest = new Map();
      try {
        await configuration.recordLastErrors([...taken.values()]);
      } catch (error) {
        // It goes with the next flush, unless there is a later one by now.
        latest = new Map([...taken, ...latest]);
        throw error;
      }
    },
  };
}
