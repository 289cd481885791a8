import { type Clock, minutes } from '../core/clock.ts';
import type { EntityStore } from '../core/stores/entities.ts';

/** Entities that are indexed in one step. */
const SLICE = 500;
/** A write that was under way while the setting changed is found within this time. */
const LOOK_AGAIN_MS = minutes(1);

/**
 * Brings the index of searchable traits up to date after an organisation has declared others, in slices with a
 * pause after each, so that writes never wait long behind it. Until it is done, lists are searched for instead.
 */
export function createIndexUpkeep(options: {
  readonly accounts: { listOrganisations(): Promise<readonly { readonly id: string }[]> };
  readonly entities: Pick<EntityStore, 'reindexEntities'>;
  readonly clock: Clock;
  /** Lets others at storage between two slices. */
  pause(): Promise<void>;
  isStopping(): boolean;
}): {
  /** Some setting has changed. */
  notice(): void;
  /** To be called again and again; does nothing while there is nothing to do. */
  work(): Promise<void>;
} {
  const { accounts, entities, clock, pause, isStopping } = options;
  let isDue = true;
  let lookedAt = 0;
  return {
    notice() {
      isDue = true;
    },
    async work() {
      const sinceLook = Math.abs(clock.now() - lookedAt);
      if (!isDue && sinceLook < LOOK_AGAIN_MS) return;
      isDue = false;
      for (const { id } of await accounts.listOrganisations()) {
        while (!isStopping() && (await entities.reindexEntities(id, SLICE)) > 0) await pause();
      }
      lookedAt = clock.now();
    },
  };
}
