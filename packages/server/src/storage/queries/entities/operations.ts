import type { EntityStore } from '../../../core/stores/entities.ts';
import { read, type StoreOperations, snapshot, snapshotUnless, write } from '../../operation.ts';
import * as entities from './entities.ts';
import { eraseEventsOfEntity } from './erase.ts';
import { listEventsOfEntity } from './events.ts';
import { reindexEntities } from './index.ts';
import * as links from './links.ts';
import { listEntities } from './list.ts';
import * as walk from './walk.ts';

/** Entities, their links and their events; writing entities is each engine's own. */
export const entityOperations: StoreOperations<EntityStore, 'writeEntities'> = {
  findEntity: read(entities.findEntity),
  findEntitiesByPrefix: read(entities.findEntitiesByPrefix),
  findTraits: read(entities.findTraits),
  listEntities: snapshotUnless((_orgId, { traits = [] }) => traits.length > 0, listEntities),
  deleteEntity: write(entities.deleteEntity),
  reindexEntities: write(reindexEntities),

  linkEntities: write(links.linkEntities),
  unlinkEntities: write(links.unlinkEntities),
  listEntityLinks: snapshot(links.listEntityLinks),
  findEntityGraph: snapshot(walk.findEntityGraph),
  findIdentityMembers: snapshot(walk.findIdentityMembers),

  listEventsOfEntity: snapshot(listEventsOfEntity),
  eraseEventsOfEntity: write(eraseEventsOfEntity),
};
