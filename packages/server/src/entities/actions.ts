import type { Clock } from '../core/clock.ts';
import type { EntityActions, EntityStore } from '../core/stores/entities.ts';
import { mergeIdentity } from './identity.ts';
import { createEntityRemoval } from './remove.ts';
import { createEntityWriter } from './write.ts';

/** What is done with entities beyond what storage answers as it is. */
export const createEntityActions = (
  entities: Pick<
    EntityStore,
    'writeEntities' | 'findEntity' | 'eraseEventsOfEntity' | 'audited' | 'findIdentityMembers'
  >,
  clock: Clock,
): EntityActions => ({
  write: createEntityWriter(entities, clock),
  remove: createEntityRemoval(entities, clock),
  async identityOf(orgId, entity) {
    const found = await entities.findIdentityMembers(orgId, entity);
    return found && mergeIdentity(found);
  },
});
