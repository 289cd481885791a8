import type { Clock } from '../core/clock.ts';
import type { Entities, EntityActions } from '../core/stores/entities.ts';
import type { AuditLog } from '../core/stores/storage.ts';
import { mergeIdentity } from './identity.ts';
import { createEntityRemoval } from './remove.ts';
import { createEntityWriter } from './write.ts';

/** What is done with entities beyond what storage answers as it is. */
export const createEntityActions = (
  storage: Entities & Pick<AuditLog, 'audited'>,
  clock: Clock,
): EntityActions => ({
  write: createEntityWriter(storage, clock),
  remove: createEntityRemoval(storage, clock),
  async identityOf(orgId, entity) {
    const found = await storage.findIdentityMembers(orgId, entity);
    return found && mergeIdentity(found);
  },
});
