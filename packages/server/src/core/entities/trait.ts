import { getPath, type Path, parsePath } from '../expressions/path.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../json/json.ts';
import type { TraitFilter } from '../stores/entities.ts';

/** Finding entities by a trait: what a path means there, and what equals what. */

/** A path that does not read as one is taken literally, dot by dot: an odd filter finds nothing and breaks nothing. */
export function readTraitPath(text: string): Path {
  try {
    return parsePath(text);
  } catch {
    return text.split('.');
  }
}

/** What a filter's text is compared with; null for what equals no text: null, lists, objects. */
export function textOfTrait(value: Json | undefined): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return stringifyJson(value);
    default:
      return null;
  }
}

export function matchesTraits(traits: string, filters: readonly TraitFilter[]): boolean {
  const parsed = parseJson(traits) as JsonObject;
  return filters.every(({ path, text }) => textOfTrait(getPath(parsed, path)) === text);
}
