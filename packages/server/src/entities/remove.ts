import type { Clock } from '../core/clock.ts';
import { isMatch } from '../core/entities/write.ts';
import { Problem } from '../core/errors.ts';
import type { EntityRef } from '../core/event/scope.ts';
import type { EntityActions, EntityStore } from '../core/stores/entities.ts';

/** Events whose payloads go in one step; each brings runs and attempts along. */
const SLICE = 100;

/**
 * Deletes an entity, and first the payloads of its events where that is asked for: so that whoever is cut off in
 * between finds the entity still there, asks again, and it goes on from where it was.
 */
export function createEntityRemoval(
  entities: Pick<EntityStore, 'audited' | 'eraseEventsOfEntity' | 'findEntity'>,
  clock: Clock,
): EntityActions['remove'] {
  return async (orgId, entity, { ifMatch, eraseEvents, record }) => {
    let erasedEvents = 0;
    if (eraseEvents) {
      const found = await entities.findEntity(orgId, entity);
      if (found === null) throw new Problem('not_found');
      if (!isMatch(found.version, ifMatch)) throw new Problem('version_conflict');
      erasedEvents = await eraseAll(orgId, entity);
    }
    const entry = record(erasedEvents);
    const changes = entities.audited(...(entry === null ? [] : [entry]));
    const outcome = await changes.deleteEntity(orgId, entity, ifMatch);
    if (outcome !== 'deleted') throw new Problem(outcome);
    return { erasedEvents };
  };

  async function eraseAll(orgId: string, entity: EntityRef): Promise<number> {
    let total = 0;
    let after: string | null = null;
    do {
      const slice = await entities.eraseEventsOfEntity(orgId, entity, {
        after,
        limit: SLICE,
        at: clock.now(),
      });
      total += slice.erased;
      after = slice.last;
    } while (after !== null);
    return total;
  }
}
