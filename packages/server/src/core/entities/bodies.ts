import { entitiesBody, entityBody, MOST_ENTITIES_AT_ONCE, traitsBody } from '@sluice/contract/entity';
import { invalid } from '../errors.ts';
import { decodeText } from '../http/read-body.ts';
import { validate } from '../http/validate.ts';
import {
  type Json,
  type JsonObject,
  mayHoldUnstorableText,
  parseJson,
  requireNesting,
  requireStorableText,
  stringifyJson,
} from '../json/json.ts';
import { TextReader, TextWriter } from '../threads/packed-text.ts';

/** The bodies of writes of entities, read from their bytes: every rule that one has to keep, in the promised order. */
export interface EntityBodyReader {
  /** Of `POST`: one entity or many. */
  entities(bytes: Uint8Array): EntitiesToMerge;
  /** Of `PUT` and `PATCH`: the traits, as JSON text. */
  traits(bytes: Uint8Array): string;
}

interface EntitiesToMerge {
  readonly isMany: boolean;
  /** `traits` as JSON text. */
  readonly entities: readonly {
    readonly kind: string;
    readonly externalId: string;
    readonly traits: string;
  }[];
}

/** The same for bodies that are too large to be read where they come in: on a thread, organisations taking turns. */
export interface LargeEntityBodies {
  readEntities(orgId: string, bytes: Uint8Array): Promise<EntitiesToMerge>;
  readTraits(orgId: string, bytes: Uint8Array): Promise<string>;
}

/** A body may be nested deeper than its traits, whose nesting is what counts and what a refusal names. */
const LEVELS_BEYOND_TRAITS = 64;

/** Where the traits of an entity stand in the body that names it. */
export const traitsPath = (isMany: boolean, index: number): string =>
  isMany ? `entities[${index}].traits` : 'traits';

export function createEntityBodyReader({ nesting }: { readonly nesting: number }): EntityBodyReader {
  function parse(bytes: Uint8Array): Json {
    const text = decodeText(bytes);
    const value = parseJson(text);
    requireNesting(value, nesting + LEVELS_BEYOND_TRAITS, '');
    if (mayHoldUnstorableText(text)) requireStorableText(value, '');
    return value;
  }

  function toText(traits: Record<string, unknown>, path: string): string {
    requireNesting(traits as JsonObject, nesting, path);
    return stringifyJson(traits);
  }

  return {
    entities(bytes) {
      const body = parse(bytes);
      const isMany = typeof body === 'object' && body !== null && Object.hasOwn(body, 'entities');
      if (isMany) requireLength((body as JsonObject).entities);
      const given = isMany ? validate(entitiesBody, body).entities : [validate(entityBody, body)];
      const entities = given.map(({ kind, external_id, traits = {} }, index) => ({
        kind,
        externalId: external_id,
        traits: toText(traits, traitsPath(isMany, index)),
      }));
      return { isMany, entities };
    },
    traits: bytes => toText(validate(traitsBody, parse(bytes)).traits, 'traits'),
  };
}

/** Before each is looked at: a schema looks at all of them, however many there are. */
function requireLength(entities: Json | undefined): void {
  if (!Array.isArray(entities) || entities.length <= MOST_ENTITIES_AT_ONCE) return;
  throw invalid('entities', `entities may hold at most ${MOST_ENTITIES_AT_ONCE} entities.`);
}

/** As one text: as objects, a thousand of them would be copied value by value. */
export function packEntities({ isMany, entities }: EntitiesToMerge): string {
  const writer = new TextWriter().number(isMany ? 1 : 0);
  for (const { kind, externalId, traits } of entities) writer.text(kind).text(externalId).text(traits);
  return writer.end();
}

export function unpackEntities(packed: string): EntitiesToMerge {
  const reader = new TextReader(packed);
  const isMany = reader.number() === 1;
  const entities: EntitiesToMerge['entities'][number][] = [];
  while (reader.hasMore())
    entities.push({ kind: reader.text(), externalId: reader.text(), traits: reader.text() });
  return { isMany, entities };
}
