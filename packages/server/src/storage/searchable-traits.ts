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

export function indexRowsOf(entity: Indexed, { traits }: Searchable): Schema['entity_traits'][] {
  if (traits.length === 0) return [];
  const values = parseJson(entity.traits) as JsonObject;
  return traits.flatMap(({ name, path }) => {
    const text = textOfTrait(getPath(values, path));
    if (text === null) return [];
    const { id, org_id, kind, changed } = entity;
    return [{ org_id, entity_id: id, trait: name, value: indexedText(text), kind, changed }];
  });
}
