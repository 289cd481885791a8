import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/errors.ts';
import type {
  EntityActions,
  EntityStore,
  EntityWriteRequest,
  EntityWriteResult,
} from '../core/stores/entities.ts';
import { createBatcher } from '../core/work/batcher.ts';
import { createChangeOrder } from './change-order.ts';

/** One more is written while the one before is on its way to the disk. */
const COMMITS_AT_ONCE = 2;
const FULL_BATCH_WRITES = 500;
/** What may wait in memory. Beyond it storage is too slow for what comes in, and callers are answered 503. */
const MOST_BYTES_WAITING = 64 * 1024 * 1024;

const tooSlow = () =>
  new Problem('storage_unavailable', {
    message:
      'Storage cannot keep up with incoming requests. Nothing from this request was written; retry shortly.',
    retryAfter: 1,
  });

/**
 * Calls that arrive while storage is busy with those before go to it together: one flush of the disk serves them
 * all, and each is still written as a whole or not at all.
 */
export function createEntityWriter(
  entities: Pick<EntityStore, 'writeEntities'>,
  clock: Clock,
): EntityActions['write'] {
  const nextChange = createChangeOrder(clock);
  const batcher = createBatcher<EntityWriteRequest, EntityWriteResult>({
    write: requests => entities.writeEntities(requests),
    weigh: ({ writes }) => writes.length,
    most: FULL_BATCH_WRITES,
    atOnce: COMMITS_AT_ONCE,
    room: {
      bytes: MOST_BYTES_WAITING,
      sizeOf: ({ writes }) => writes.reduce((sum, { traits }) => sum + traits.length, 0),
      refusal: tooSlow,
    },
    whenAway: 'reject',
    whenRefused: 'each alone',
  });

  return (orgId, inputs, records = []) =>
    batcher.add({ orgId, writes: inputs.map(input => ({ ...input, changed: nextChange() })), records });
}
