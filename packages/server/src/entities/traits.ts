import { type JsonObject, parseJson } from '../core/json.ts';
import type { Entities } from '../core/ports-entities.ts';
import type { EntityReader } from '../core/ports-pipeline.ts';

/** How pipelines read what is known about the entity that an event is tied to. */
export const createTraitReader = (storage: Pick<Entities, 'findTraits'>): EntityReader => ({
  async readTraits(orgId, entity) {
    const [traits] = await storage.findTraits(orgId, [entity]);
    return typeof traits === 'string' ? (parseJson(traits) as JsonObject) : null;
  },
});
