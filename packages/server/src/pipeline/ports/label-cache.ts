import type { Clock } from '../../core/clock.ts';
import type { EventQueue } from '../../core/stores/event-queue.ts';

/** Labels by what a model was shown: whoever finds one claimed elsewhere looks again later. */
export interface LabelStore {
  claimLabel(orgId: string, key: string, leaseMs: number): Promise<CachedLabel>;
  keepLabel(orgId: string, key: string, label: string): Promise<void>;
  releaseLabel(orgId: string, key: string): Promise<void>;
}

export type CachedLabel =
  | { readonly kind: 'hit'; readonly label: string }
  /** Nobody knows it yet: the caller is to find out, and to keep or release it within its lease. */
  | { readonly kind: 'claimed' }
  /** Another node is finding out. */
  | { readonly kind: 'busy' };

/** The cache of labels that models gave. How often each saved a call is counted here and written now and then. */
interface LabelCache extends LabelStore {
  /** Releases what is still being found out to others: nobody here waits for it any more. */
  releaseClaims(): Promise<void>;
  /** Writes what was counted since the last time. */
  flush(): Promise<void>;
}

export function createLabelCache(
  eventQueue: Pick<EventQueue, 'claimLabel' | 'findLabel' | 'keepLabel' | 'recordLabelUse' | 'releaseLabel'>,
  clock: Clock,
): LabelCache {
  const findingOut = new Map<string, { orgId: string; key: string }>();
  const nameOf = (orgId: string, key: string) => `${orgId} ${key}`;
  let uses = new Map<string, { orgId: string; key: string; hits: number; at: number }>();

  function count(orgId: string, key: string): void {
    const name = nameOf(orgId, key);
    uses.set(name, { orgId, key, hits: (uses.get(name)?.hits ?? 0) + 1, at: clock.now() });
  }

  return {
    async claimLabel(orgId, key, leaseMs) {
      // Most often it is there, and reading costs the writer nothing.
      const label = await eventQueue.findLabel(orgId, key);
      const found =
        label === null
          ? await eventQueue.claimLabel(orgId, key, clock.now(), leaseMs)
          : ({ kind: 'hit', label } as const);
      if (found.kind === 'hit') count(orgId, key);
      if (found.kind === 'claimed') findingOut.set(nameOf(orgId, key), { orgId, key });
      return found;
    },
    keepLabel(orgId, key, label) {
      findingOut.delete(nameOf(orgId, key));
      return eventQueue.keepLabel(orgId, key, label, clock.now());
    },
    releaseLabel(orgId, key) {
      findingOut.delete(nameOf(orgId, key));
      return eventQueue.releaseLabel(orgId, key);
    },
    async releaseClaims() {
      const rest = [...findingOut.values()];
      findingOut.clear();
      for (const { orgId, key } of rest) await eventQueue.releaseLabel(orgId, key);
    },
    async flush() {
      if (uses.size === 0) return;
      const recorded = [...uses.values()];
      uses = new Map();
      await eventQueue.recordLabelUse(recorded);
    },
  };
}
