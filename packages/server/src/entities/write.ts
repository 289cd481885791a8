import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/errors.ts';
import type {
  Entities,
  EntityActions,
  EntityWriteRequest,
  EntityWriteResult,
} from '../core/stores/entities.ts';
import { createChangeOrder } from './change-order.ts';

interface Waiting {
  readonly request: EntityWriteRequest;
  readonly bytes: number;
  readonly resolve: (result: EntityWriteResult) => void;
  readonly reject: (error: unknown) => void;
}

/** One more is written while the one before is on its way to the disk. */
const COMMITS_AT_ONCE = 2;
const FULL_BATCH_WRITES = 500;
/** What may wait in memory. Beyond it storage is too slow for what comes in, and callers are told so. */
const MOST_BYTES_WAITING = 64 * 1024 * 1024;

/**
 * Calls that arrive while storage is busy with those before go to it together: one flush of the disk serves them
 * all, and each is still written as a whole or not at all.
 */
export function createEntityWriter(
  storage: Pick<Entities, 'writeEntities'>,
  clock: Clock,
): EntityActions['write'] {
  const nextChange = createChangeOrder(clock);
  let queue: Waiting[] = [];
  let bytesWaiting = 0;
  let commitsRunning = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || queue.length === 0 || commitsRunning >= COMMITS_AT_ONCE) return;
    scheduled = true;
    // After this turn's requests have been read: they share the commit.
    setImmediate(() => {
      scheduled = false;
      void commit(takeBatch());
      schedule();
    });
  }

  function takeBatch(): Waiting[] {
    let writes = 0;
    let count = 0;
    while (count < queue.length && writes < FULL_BATCH_WRITES) {
      writes += queue[count++]?.request.writes.length ?? 0;
    }
    const batch = queue.slice(0, count);
    queue = queue.slice(count);
    return batch;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    commitsRunning++;
    try {
      const results = await storage.writeEntities(batch.map(({ request }) => request));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as EntityWriteResult);
    } catch (error) {
      if (error instanceof Problem || batch.length === 1) for (const { reject } of batch) reject(error);
      else await commitApart(batch);
    } finally {
      for (const { bytes } of batch) bytesWaiting -= bytes;
      commitsRunning--;
      schedule();
    }
  }

  /** One call that storage cannot take must not cost its neighbours their answer. */
  async function commitApart(batch: readonly Waiting[]): Promise<void> {
    for (const { request, resolve, reject } of batch) {
      await storage.writeEntities([request]).then(([result]) => resolve(result as EntityWriteResult), reject);
    }
  }

  return (orgId, inputs, records = []) => {
    const bytes = inputs.reduce((sum, { traits }) => sum + traits.length, 0);
    if (bytesWaiting > 0 && bytesWaiting + bytes > MOST_BYTES_WAITING) {
      throw new Problem('storage_unavailable', {
        message: 'Storage is slower than what comes in. Nothing of this request was written; retry shortly.',
        retryAfter: 1,
      });
    }
    bytesWaiting += bytes;
    const writes = inputs.map(input => ({ ...input, changed: nextChange() }));
    return new Promise((resolve, reject) => {
      queue.push({ request: { orgId, writes, records }, bytes, resolve, reject });
      schedule();
    });
  };
}
