import type { EntityReader } from '../core/entities/reader.ts';
import { type JsonObject, parseJson } from '../core/json/json.ts';
import type { EntityStore } from '../core/stores/entities.ts';

/** The reader of traits: what is known about the entity of an event, as pipelines and deliveries read it. */
export const createTraitReader = (entities: Pick<EntityStore, 'findTraits'>): EntityReader => ({
  async readTraits(orgId, entity) {
    const [traits] = await entities.findTraits(orgId, [entity]);
    return typeof traits === 'string' ? (parseJson(traits) as JsonObject) : null;
  },
});
