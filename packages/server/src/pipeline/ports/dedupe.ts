import type { EventQueue } from '../../core/stores/event-queue.ts';
import { createBatcher } from '../../core/work/batcher.ts';
import { definePort, type ThreadSide } from './port.ts';

/** The port of keys that were seen before. */
export interface DedupeStore {
  /** The event that settled this key within its window, or null. Nothing is written here. */
  findClaim(orgId: string, scope: string, key: string, now: number): Promise<string | null>;
}

type Look = Parameters<EventQueue['findDedupeKeys']>[0][number];

interface DedupeCalls {
  findClaims(looks: readonly Look[]): Promise<(string | null)[]>;
}

export const dedupePort = definePort<DedupeStore, DedupeCalls>({
  connect: createDedupeStore,
  serve: ({ eventQueue, clock }) => ({
    calls: { findClaims: looks => eventQueue.findDedupeKeys(looks, clock.now()) },
  }),
});

/** Looks that are taken in one turn cross together: most pipelines that deduplicate do so for every event. */
function createDedupeStore(thread: ThreadSide<DedupeCalls>): DedupeStore {
  const looks = createBatcher<Look, string | null>({
    write: together => thread.call('findClaims', together),
    atOnce: Number.POSITIVE_INFINITY,
    whenAway: 'reject',
    whenRefused: 'reject',
  });
  return {
    findClaim(orgId, scope, key) {
      const found = looks.add({ orgId, scope, key });
      thread.announceWait();
      return found;
    },
  };
}
