import { z } from 'zod';
import { readAt } from '../../core/expressions/expression-error.ts';
import { formatPath, getPath, parsePath, putField, setPath } from '../../core/expressions/path.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { defineStep } from '../step.ts';

/** The step that joins the traits of the event's entity into the payload. */
export const enrichEntity = defineStep({
  name: 'enrich.entity',
  title: 'Enrich from entity',
  class: 'enrichment',
  needs: [],
  docs:
    'Joins the traits of the entity that the event refers to into the payload, under a name. Fields that the ' +
    'event itself has there stay as they are. An event that refers to no known entity passes unchanged.',
  config: z.strictObject({
    into: z.string().default('entity').meta({ title: 'Into', description: 'A path in the payload' }),
  }),
  examples: [{ title: 'The customer behind an order', config: { into: 'customer' } }],

  compile(config, path) {
    const into = readAt(`${path}.into`, () => parsePath(config.into));
    return {
      readsTraits: true,
      bind:
        () =>
        ({ scope: { payload, entity } }) => {
          if (entity.kind === undefined) return { kind: 'keep', note: 'the event is tied to no entity' };
          const name = `${entity.kind}/${entity.external_id}`;
          if (entity.traits === undefined) return { kind: 'keep', note: `there is no entity ${name}` };
          const joined = join(entity.traits, getPath(payload, into));
          if (joined === null) return { kind: 'fail', reason: `${formatPath(into)} is not an object` };
          const set = setPath(payload, into, joined);
          return set.kind === 'set'
            ? { kind: 'keep', payload: set.root, note: `traits of ${name}` }
            : { kind: 'fail', reason: set.reason };
        },
    };
  },
});

/** What the event says about itself is newer than what is known about its entity. Null: it cannot be joined. */
function join(traits: JsonObject, own: Json | undefined): JsonObject | null {
  if (own === undefined || own === null) return traits;
  if (typeof own !== 'object' || Array.isArray(own)) return null;
  const joined = { ...traits };
  for (const key of Object.keys(own)) putField(joined, key, own[key] as Json);
  return joined;
}
