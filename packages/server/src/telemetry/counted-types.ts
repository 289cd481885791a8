import { LRUCache } from 'lru-cache';
import { type Clock, minutes } from '../core/clock.ts';
import { type CounterStore, MOST_COUNTED_TYPES } from '../core/stores/counters.ts';

/**
 * Which types of events are counted by name: of each organisation those that came first, since a sender may make up any
 * number. A node asks storage for them when it sees one that it does not know, and no more than once a minute where
 * there is no room for another. Nodes that meet new ones at the same moment may go beyond the limit, each once.
 */
interface CountedTypes {
  isCounted(orgId: string, type: string): boolean;
  /** Those of these types that are counted by name, the ones included that join them now. */
  admit(orgId: string, types: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The types of so many organisations are remembered. */
const MOST_ORGANISATIONS = 1_000;
const LOOK_AGAIN_MS = minutes(1);

interface Known {
  readonly types: Set<string>;
  readonly readAt: number;
}

export function createCountedTypes(
  counters: Pick<CounterStore, 'listCountedTypes'>,
  clock: Clock,
): CountedTypes {
  const known = new LRUCache<string, Known>({ max: MOST_ORGANISATIONS });

  async function read(orgId: string): Promise<Known> {
    const types = new Set(await counters.listCountedTypes(orgId, MOST_COUNTED_TYPES));
    const found = { types, readAt: clock.now() };
    known.set(orgId, found);
    return found;
  }

  return {
    isCounted: (orgId, type) => known.get(orgId)?.types.has(type) ?? false,

    async admit(orgId, types) {
      let found = known.get(orgId) ?? (await read(orgId));
      const isFull = found.types.size >= MOST_COUNTED_TYPES;
      const mayLook = isFull && clock.now() - found.readAt >= LOOK_AGAIN_MS;
      // Some of them may be gone with the time in which they came.
      if (mayLook && types.some(type => !found.types.has(type))) found = await read(orgId);
      for (const type of types) {
        if (found.types.size < MOST_COUNTED_TYPES) found.types.add(type);
      }
      return found.types;
    },
  };
}
