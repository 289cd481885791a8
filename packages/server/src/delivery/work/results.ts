import { Problem } from '../../core/errors.ts';
import type { AttemptRecord, Deliveries } from '../../core/stores/deliveries.ts';

/**
 * Where attempts are written down. Results that come in while others are being written go together after them.
 * A database that is away for a moment is waited for; a result that cannot be written takes no other with it. What
 * is not written after all is attempted again once its lease is over: at least once.
 */
export interface ResultLog {
  /** Resolves with whether it is written; it may be refused, or given up. */
  write(record: AttemptRecord): Promise<boolean>;
  /** Everything that was handed over is written, or given up. */
  settled(): Promise<void>;
  /** From now on nothing is waited for. */
  hurry(): void;
}

const MOST_TRIES = 20;
const RETRY_MS = 500;

export function createResultLog(options: {
  readonly storage: Pick<Deliveries, 'recordAttempts'>;
  onError(error: unknown): void;
}): ResultLog {
  const { storage, onError } = options;
  let waiting: { record: AttemptRecord; written(isWritten: boolean): void }[] = [];
  let writing: Promise<void> | null = null;
  let isHurrying = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const done = await record(batch.map(one => one.record));
      for (const { record, written } of batch) written(done.has(record.deliveryId));
    }
  }

  /** Answers the deliveries whose result is written. */
  async function record(batch: readonly AttemptRecord[]): Promise<Set<string>> {
    for (let tries = 1; ; tries++) {
      try {
        const refused = new Set(await storage.recordAttempts(batch));
        return new Set(batch.map(({ deliveryId }) => deliveryId)).difference(refused);
      } catch (error) {
        const isAway = error instanceof Problem && error.code === 'storage_unavailable';
        if (isAway && tries < MOST_TRIES && !isHurrying) {
          await new Promise(resolve => setTimeout(resolve, RETRY_MS));
          continue;
        }
        onError(error);
        if (isAway || batch.length === 1) return new Set();
        const half = Math.ceil(batch.length / 2);
        const first = await record(batch.slice(0, half));
        return first.union(await record(batch.slice(half)));
      }
    }
  }

  return {
    write(one) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.push({ record: one, written: resolve });
      writing ??= writeAll().finally(() => {
        writing = null;
      });
      return promise;
    },
    settled: async () => void (await writing),
    hurry() {
      isHurrying = true;
    },
  };
}
