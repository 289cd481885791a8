import type { EntityReader } from '../../core/entities/reader.ts';
import { type JsonObject, parseJson } from '../../core/json/json.ts';
import { definePort, type PortDependencies } from './port.ts';

/** The port of entities. Traits cross as the text they are stored as. */
export const entitiesPort = definePort<EntityReader, Pick<PortDependencies, 'readTraits'>>({
  connect: thread => ({
    async readTraits(orgId, entity) {
      const text = await thread.call('readTraits', orgId, entity);
      return text === null ? null : (parseJson(text) as JsonObject);
    },
  }),
  serve: ({ readTraits }) => ({ calls: { readTraits } }),
});
