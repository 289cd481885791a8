import type { Clock } from '../../core/clock.ts';
import type { EventQueue } from '../../core/stores/event-queue.ts';
import type { Membership } from '../../core/work/membership.ts';

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
  /** Another node is finding out, or this one may not: it was away for long, and is about to join again. */
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
  newToken: Membership['newToken'],
): LabelCache {
  const findingOut = new Map<string, { orgId: string; key: string; token: string }>();
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
      if (label !== null) {
        count(orgId, key);
        return { kind: 'hit', label };
      }
      const token = newToken();
      if (token === null) return { kind: 'busy' };
      const found = await eventQueue.claimLabel(orgId, key, { token, now: clock.now(), leaseMs });
      if (found.kind === 'hit') count(orgId, key);
      if (found.kind === 'claimed') findingOut.set(nameOf(orgId, key), { orgId, key, token });
      return found;
    },
    keepLabel(orgId, key, label) {
      findingOut.delete(nameOf(orgId, key));
      return eventQueue.keepLabel(orgId, key, label, clock.now());
    },
    async releaseLabel(orgId, key) {
      const claim = findingOut.get(nameOf(orgId, key));
      if (claim === undefined) return;
      findingOut.delete(nameOf(orgId, key));
      await eventQueue.releaseLabel(orgId, key, claim.token);
    },
    async releaseClaims() {
      const rest = [...findingOut.values()];
      findingOut.clear();
      for (const { orgId, key, token } of rest) await eventQueue.releaseLabel(orgId, key, token);
    },
    async flush() {
      if (uses.size === 0) return;
      const recorded = [...uses.values()];
      uses = new Map();
      await eventQueue.recordLabelUse(recorded);
    },
  };
}
