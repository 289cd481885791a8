import { readTraitPath, textOfTrait } from '../core/entities/trait.ts';
import { formatPath, getPath, type Path } from '../core/expressions/path.ts';
import { sha256Hex } from '../core/json/canonical.ts';
import { type JsonObject, parseJson } from '../core/json/json.ts';
import type { Schema } from './schema.ts';

/** The traits that an organisation declares searchable, and what the index holds of an entity because of them. */
export interface Searchable {
  /** Names the set; empty where it is. */
  readonly tag: string;
  readonly traits: readonly { readonly name: string; readonly path: Path }[];
}

export const NOT_SEARCHABLE: Searchable = { tag: '', traits: [] };

/** Those that the index holds, by their names in it. */
export const namedTraits = (names: readonly string[]): Searchable['traits'] =>
  names.map(name => ({ name, path: readTraitPath(name) }));

export function toSearchable(setting: string): Searchable {
  const paths = new Map(
    (JSON.parse(setting) as string[]).map(text => {
      const path = readTraitPath(text);
      return [formatPath(path), path];
    }),
  );
  if (paths.size === 0) return NOT_SEARCHABLE;
  const names = [...paths.keys()].sort();
  return {
    tag: sha256Hex(JSON.stringify(names)).slice(0, 16),
    traits: names.map(name => ({ name, path: paths.get(name) ?? [] })),
  };
}

/** An index holds only so long a key, so a long text stands there as its digest. */
const LONGEST_INDEXED = 128;

export const indexedText = (text: string): string =>
  text.length > LONGEST_INDEXED ? `#${sha256Hex(text)}` : text;

type Indexed = Pick<Schema['entities'], 'id' | 'org_id' | 'kind' | 'changed' | 'traits'>;

/** What the index holds of an entity for these traits. */
export function indexRowsOf(entity: Indexed, traits: Searchable['traits']): Schema['entity_traits'][] {
  if (traits.length === 0) return [];
  const values = parseJson(entity.traits) as JsonObject;
  return traits.flatMap(({ name, path }) => {
    const text = textOfTrait(getPath(values, path));
    if (text === null) return [];
    const { id, org_id, kind, changed } = entity;
    return [{ org_id, entity_id: id, trait: name, value: indexedText(text), kind, changed }];
  });
}

/** An entity as it was before a write, and under which set it was indexed; null where it is new. */
type Before = (Pick<Indexed, 'traits' | 'changed'> & Pick<Schema['entities'], 'indexed_as'>) | null;

/**
 * What the index held of an entity before a write. Which traits a set that was declared earlier named is not kept: the
 * entity may stand under any of those `inIndex`.
 */
export function formerIndexRowsOf(
  entity: Indexed & { readonly before: Before },
  searchable: Searchable,
  inIndex: () => Searchable['traits'],
): Schema['entity_traits'][] {
  const { before } = entity;
  if (before === null || before.indexed_as === '') return [];
  const traits = before.indexed_as === searchable.tag ? searchable.traits : inIndex();
  return indexRowsOf({ ...entity, traits: before.traits, changed: before.changed }, traits);
}
