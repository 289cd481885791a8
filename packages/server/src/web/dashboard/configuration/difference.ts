import type { ConfigurationItem } from '@sluice/contract/dashboard-configuration';
import { canonicalJson } from '../../../core/json/canonical.ts';
import { type Json, type JsonObject, joinPath, stringifyJson } from '../../../core/json/json.ts';

/** What differs between two forms of the same thing, field by field. */

type FieldChange = ConfigurationItem['fields'][number];

/** Steps take the fields of an object one after the other; for everything else their order means nothing. */
const ORDERED = /^steps\[\d+\]\.config\b/;

export const fieldChanges = (before: JsonObject, after: JsonObject): FieldChange[] => [
  ...changesAt('', before, after),
];

function* changesAt(path: string, before: Json | undefined, after: Json | undefined): Generator<FieldChange> {
  if (isSame(path, before, after)) return;
  if (isObject(before) && isObject(after) && !isReordered(path, before, after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* changesAt(joinPath(path, key), fieldOf(before, key), fieldOf(after, key));
  } else if (isListOfObjects(before) && isListOfObjects(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i++)
      yield* changesAt(joinPath(path, i), before[i], after[i]);
  } else {
    yield { path, before: before ?? null, after: after ?? null };
  }
}

const textOf = (path: string, value: Json): string =>
  ORDERED.test(path) || path === 'steps' || path.startsWith('steps[')
    ? stringifyJson(value)
    : canonicalJson(value);

function isSame(path: string, before: Json | undefined, after: Json | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  // The whole form holds its steps: only its fields know whether order matters to them.
  if (path === '') return false;
  return textOf(path, before) === textOf(path, after);
}

function isReordered(path: string, before: JsonObject, after: JsonObject): boolean {
  if (!ORDERED.test(path)) return false;
  const [first, second] = [Object.keys(before), Object.keys(after)];
  return (
    first.toSorted().join('\n') === second.toSorted().join('\n') && first.join('\n') !== second.join('\n')
  );
}

const fieldOf = (value: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isListOfObjects = (value: Json | undefined): value is Json[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);
