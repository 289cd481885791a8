import { isStorageAway } from '../../core/errors.ts';
import type { DeliveryQueue, EndedAttempt } from '../../core/stores/delivery-queue.ts';
import { createBatcher } from '../../core/work/batcher.ts';
import { withoutTexts } from './record.ts';

/**
 * Where attempts are written down. Results that come in while others are being written go together after them.
 * A database that is away for a moment is waited for; a result that cannot be written takes no other with it. What
 * is not written after all is attempted again, once it is found that nobody has it any more: at least once.
 */
export interface ResultLog {
  /** Resolves with whether it is written; it may be refused, or given up. */
  write(record: EndedAttempt): Promise<boolean>;
  /** Everything that was handed over is written, or given up. */
  settled(): Promise<void>;
  /** From now on nothing is waited for. */
  hurry(): void;
}

const MOST_TRIES = 20;
const RETRY_MS = 500;

export function createResultLog(options: {
  readonly deliveryQueue: Pick<DeliveryQueue, 'recordAttempts'>;
  onError(error: unknown): void;
}): ResultLog {
  const { deliveryQueue, onError } = options;
  const batcher = createBatcher<EndedAttempt, boolean>({
    async write(records) {
      const refused = new Set(await deliveryQueue.recordAttempts(records));
      return records.map(({ deliveryId }) => !refused.has(deliveryId));
    },
    atOnce: 1,
    whenAway: { retryMs: RETRY_MS, mostTries: MOST_TRIES },
    whenRefused: 'halves',
    onError,
  });

  /** An attempt that was made counts, even where what came of it cannot be stored. */
  async function write(record: EndedAttempt): Promise<boolean> {
    try {
      return await batcher.add(record);
    } catch (error) {
      if (isStorageAway(error)) return false;
      return batcher.add(withoutTexts(record)).catch(() => false);
    }
  }

  return {
    write,
    settled: batcher.drained,
    hurry: batcher.hurry,
  };
}
