import type { EntityReader } from '../core/entities/reader.ts';
import { type JsonObject, parseJson } from '../core/json/json.ts';
import type { EntityStore } from '../core/stores/entities.ts';

/** How pipelines read what is known about the entity that an event is tied to. */
export const createTraitReader = (entities: Pick<EntityStore, 'findTraits'>): EntityReader => ({
  async readTraits(orgId, entity) {
    const [traits] = await entities.findTraits(orgId, [entity]);
    return typeof traits === 'string' ? (parseJson(traits) as JsonObject) : null;
  },
});
