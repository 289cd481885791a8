import type { DedupeKeys } from '../../core/stores/pipelines.ts';
import { definePort, type ThreadSide } from './port.ts';

/** The port of keys that were seen before. */
export interface DedupeStore {
  /** The event that settled this key within its window, or null. Nothing is written here. */
  findClaim(orgId: string, scope: string, key: string, now: number): Promise<string | null>;
}

type Look = Parameters<DedupeKeys['findDedupeKeys']>[0][number];

interface DedupeCalls {
  findClaims(looks: readonly Look[]): Promise<(string | null)[]>;
}

export const dedupePort = definePort<DedupeStore, DedupeCalls>({
  connect: createDedupeStore,
  serve: ({ storage, clock }) => ({
    calls: { findClaims: looks => storage.findDedupeKeys(looks, clock.now()) },
  }),
});

/** Looks that are taken in one turn cross together: most pipelines that deduplicate do so for every event. */
function createDedupeStore(thread: ThreadSide<DedupeCalls>): DedupeStore {
  let waiting: { readonly look: Look; readonly found: PromiseWithResolvers<string | null> }[] = [];

  function lookTogether(): void {
    const together = waiting;
    waiting = [];
    thread
      .call(
        'findClaims',
        together.map(({ look }) => look),
      )
      .then(
        found => {
          for (const [i, { found: answer }] of together.entries()) answer.resolve(found[i] ?? null);
        },
        (error: unknown) => {
          for (const { found: answer } of together) answer.reject(error);
        },
      );
  }

  return {
    findClaim(orgId, scope, key) {
      const found = Promise.withResolvers<string | null>();
      waiting.push({ look: { orgId, scope, key }, found });
      if (waiting.length === 1) setImmediate(lookTogether);
      thread.tellOfWait();
      return found.promise;
    },
  };
}
