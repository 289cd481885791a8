import type { Clock } from '../../core/clock.ts';
import { isStorageAway } from '../../core/errors.ts';
import { isLate } from '../../core/stores/counters.ts';
import type { DeliveryQueue, EndedAttempt } from '../../core/stores/delivery-queue.ts';
import { createBatcher } from '../../core/work/batcher.ts';
import { withoutTexts } from './record.ts';

/**
 * Where attempts are written down. Results that come in while others are being written go together after them.
 * A database that is away for a moment is waited for; a result that cannot be written takes no other with it. What
 * is not written after all is attempted again, once it is found that nobody has it any more: at least once.
 */
export interface ResultLog {
  /** Resolves with the record as it is written; null where it was refused, or given up. */
  write(record: EndedAttempt, destinationId: string): Promise<EndedAttempt | null>;
  /** Everything that was handed over is written, or given up. */
  settled(): Promise<void>;
  /** From now on nothing is waited for. */
  hurry(): void;
}

const MOST_TRIES = 20;
const RETRY_MS = 500;

interface Result {
  readonly record: EndedAttempt;
  readonly destinationId: string;
}

export function createResultLog(options: {
  readonly deliveryQueue: Pick<DeliveryQueue, 'recordAttempts'>;
  readonly clock: Clock;
  onError(error: unknown): void;
}): ResultLog {
  const { deliveryQueue, clock, onError } = options;
  const batcher = createBatcher<Result, EndedAttempt | null>({
    async write(results) {
      const now = clock.now();
      const records = results.map(result => countedWhereLate(result, now));
      const refused = new Set(await deliveryQueue.recordAttempts(records));
      return records.map((record, position) => (refused.has(position) ? null : record));
    },
    atOnce: 1,
    whenAway: { retryMs: RETRY_MS, mostTries: MOST_TRIES },
    whenRefused: 'halves',
    onError,
  });

  /** An attempt that was made counts, even where what came of it cannot be stored. */
  async function write(record: EndedAttempt, destinationId: string): Promise<EndedAttempt | null> {
    try {
      return await batcher.add({ record, destinationId });
    } catch (error) {
      if (isStorageAway(error)) return null;
      return batcher.add({ record: withoutTexts(record), destinationId }).catch(() => null);
    }
  }

  return {
    write,
    settled: batcher.drained,
    hurry: batcher.hurry,
  };
}

/** As it is late when it is written, however early the answer came. */
const countedWhereLate = ({ record, destinationId }: Result, now: number): EndedAttempt =>
  record.next.state === 'delivered' && isLate(record.deliveryId, now)
    ? { ...record, next: { state: 'delivered', lateAt: destinationId } }
    : record;
