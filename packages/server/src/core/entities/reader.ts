import type { EntityRef } from '../event/scope.ts';
import type { JsonObject } from '../json/json.ts';

/** The reader of entities: what pipelines and deliveries ask about the entity of an event. */
export interface EntityReader {
  /** The traits of that entity, or null where there is none. */
  readTraits(orgId: string, entity: EntityRef): Promise<JsonObject | null>;
}
