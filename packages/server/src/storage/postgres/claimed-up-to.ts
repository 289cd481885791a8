/**
 * How far this node has claimed the events of organisations that have more of them waiting than it takes at once. The next
 * claim goes on from there: in the index stand all that are claimed and not settled yet, and all that have been settled
 * since the server last cleaned up, and to look at each of them again is most of what a claim costs. What was committed
 * or given back later than those after it is found by looking back: often, and whenever there seems to be nothing.
 */
export interface ClaimedUpTo {
  /** Empty where all of it is to be looked at. */
  of(orgId: string): string;
  all(): readonly (readonly [orgId: string, upTo: string])[];
  /** The last that was claimed; undefined where nothing may be left. */
  keep(orgId: string, upTo: string | undefined): void;
  /** Forgets where it has come to, unless that was done a moment ago. */
  lookBack(now: number): void;
  /** Of all but these; answers whether there was anything to forget. */
  forget(except: readonly string[]): boolean;
}

const LOOK_BACK_EVERY_MS = 500;

export function createClaimedUpTo(): ClaimedUpTo {
  const upTo = new Map<string, string>();
  let since = 0;

  return {
    of: orgId => upTo.get(orgId) ?? '',
    all: () => [...upTo],
    keep(orgId, id) {
      if (id === undefined) upTo.delete(orgId);
      else upTo.set(orgId, id);
    },
    lookBack(now) {
      // A clock that was set back is not waited for.
      if (Math.abs(now - since) < LOOK_BACK_EVERY_MS) return;
      since = now;
      upTo.clear();
    },
    forget(except) {
      let hadSome = false;
      for (const orgId of upTo.keys()) if (!except.includes(orgId)) hadSome = upTo.delete(orgId);
      return hadSome;
    },
  };
}
