import { type Clock, minutes } from '../core/clock.ts';
import type { ChangeListener } from '../core/stores/change.ts';
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
  /** Configuration has changed: of an organisation's own settings, its searchable traits may be among it. */
  readonly notice: ChangeListener;
  /** To be called again and again; does nothing while there is nothing to do. */
  work(): Promise<void>;
} {
  const { accounts, entities, clock, pause, isStopping } = options;
  const due = new Set<string>();
  let isEveryoneDue = true;
  let lookedAt = 0;

  async function reindex(orgId: string): Promise<void> {
    while (!isStopping() && (await entities.reindexEntities(orgId, SLICE)) > 0) await pause();
  }

  return {
    notice(change) {
      if (change === null) isEveryoneDue = true;
      else if (change.what === 'organisation') due.add(change.organisationId);
    },
    async work() {
      if (isEveryoneDue || Math.abs(clock.now() - lookedAt) >= LOOK_AGAIN_MS) {
        isEveryoneDue = false;
        for (const { id } of await accounts.listOrganisations()) due.add(id);
        lookedAt = clock.now();
      }
      for (const orgId of due) {
        // Taken out first: what changes while it is indexed is due again.
        due.delete(orgId);
        await reindex(orgId);
      }
    },
  };
}
