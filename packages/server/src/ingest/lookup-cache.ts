import { LRUCache } from 'lru-cache';

/** At once where it is cached: the endpoints ask for every request. */
export type Known<T> = T | null | Promise<T | null>;

/**
 * A cache of what storage found under a name, the most recently used of it; never of what it did not find, so that a
 * wrong key costs a look-up and cannot fill the memory. Whoever asks while a look-up is under way shares it. What was
 * read before a change is neither kept nor shared after it.
 */
interface LookupCache<T> {
  get(name: string): Known<T>;
  /** Something changed: drops the entries that this is true of. */
  drop(isConcerned: (found: T, name: string) => boolean): void;
  /** Anything may have changed. */
  clear(): void;
}

const MOST_KEPT = 10_000;

export function createLookupCache<T extends object | number>(options: {
  find(name: string): Promise<T | null>;
  /** False while changes made by other nodes cannot be received: then nothing is kept or shared. */
  mayCache(): boolean;
}): LookupCache<T> {
  const { find, mayCache } = options;
  const kept = new LRUCache<string, T>({ max: MOST_KEPT });
  /** A change takes out whatever is under way: it may have been read before. */
  const underWay = new Map<string, Promise<T | null>>();

  function lookUp(name: string): Promise<T | null> {
    const isUnderWay = () => underWay.get(name) === looking;
    const looking: Promise<T | null> = find(name)
      .then(found => {
        if (found !== null && isUnderWay() && mayCache()) kept.set(name, found);
        return found;
      })
      .finally(() => {
        if (isUnderWay()) underWay.delete(name);
      });
    underWay.set(name, looking);
    return looking;
  }

  return {
    get(name) {
      if (!mayCache()) return find(name);
      return kept.get(name) ?? underWay.get(name) ?? lookUp(name);
    },
    drop(isConcerned) {
      underWay.clear();
      for (const [name, found] of [...kept.entries()]) if (isConcerned(found, name)) kept.delete(name);
    },
    clear() {
      underWay.clear();
      kept.clear();
    },
  };
}
