import { putField } from '../expressions/path.ts';
import type { Json, JsonObject } from './json.ts';

/**
 * JSON Merge Patch (RFC 7396): objects merge field by field, null removes, anything else replaces. Keys are data
 * whatever they are called. Recurses as deep as the patch is nested, which the caller has bounded.
 */
export function mergePatch(target: Json | undefined, patch: JsonObject): JsonObject {
  const result = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else putField(result, key, isObject(value) ? mergePatch(ownField(result, key), value) : value);
  }
  return result;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ownField = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
