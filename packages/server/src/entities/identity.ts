import { toMilliseconds } from '../core/entities/write.ts';
import { putField } from '../core/expressions/path.ts';
import { type Json, type JsonObject, parseJson } from '../core/json/json.ts';
import type { Identity, IdentityMembers, TimedEntity } from '../core/stores/entities.ts';

/**
 * One set of traits out of many entities': of each top-level trait the value that was written last, whichever
 * entity holds it. It hangs on nothing but the members and when they were written, so that all of them see the
 * same identity, in whatever order they were joined.
 */
export function mergeIdentity({ members, truncated }: IdentityMembers): Identity {
  const newest = new Map<string, { value: Json; changed: number; entity: TimedEntity }>();
  for (const entity of members) {
    const traits = parseJson(entity.traits) as JsonObject;
    const times = JSON.parse(entity.traitTimes) as Record<string, number>;
    for (const [name, value] of Object.entries(traits)) {
      const changed = Object.hasOwn(times, name) ? (times[name] ?? 0) : 0;
      const known = newest.get(name);
      // Members stand in the order of their keys, so that what was written at the very same time falls out alike.
      if (known === undefined || changed > known.changed) newest.set(name, { value, changed, entity });
    }
  }
  const traits: JsonObject = {};
  for (const name of [...newest.keys()].sort()) putField(traits, name, newest.get(name)?.value ?? null);
  return {
    members,
    truncated,
    traits,
    provenance: Array.from(newest, ([trait, { changed, entity }]) => ({
      trait,
      entity: { kind: entity.kind, externalId: entity.externalId },
      updatedAt: toMilliseconds(changed),
    })).sort((a, b) => (a.trait < b.trait ? -1 : 1)),
  };
}
