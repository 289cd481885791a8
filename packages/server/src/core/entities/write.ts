import { MOST_PATCH_BYTES, MOST_TRAIT_BYTES } from '@sluice/contract/entity-limits';
import { putField } from '../expressions/path.ts';
import { type JsonObject, parseJson, stringifyJson } from '../json/json.ts';
import { mergePatch } from '../json/merge-patch.ts';

/**
 * What a write makes of an entity, whatever engine keeps it: pure, so that storage can decide inside the very
 * transaction that reads the old state and keeps the new one.
 */
export interface EntityState {
  /** JSON text. */
  readonly traits: string;
  /** JSON text: when each top-level trait was last written, as in `changed`. */
  readonly traitTimes: string;
  readonly version: number;
  readonly createdAt: number;
  /** Microseconds, of which the last three digits tell changes of one millisecond apart. */
  readonly changed: number;
}

export interface EntityWrite {
  readonly kind: string;
  readonly externalId: string;
  /** `patch` merges like `merge`, but only into what is there. */
  readonly mode: 'replace' | 'merge' | 'patch';
  /** JSON text of an object. */
  readonly traits: string;
  readonly ifMatch: IfMatch;
  readonly changed: number;
}

/** A version, or that there be one at all; null: whatever is there. */
export type IfMatch = number | '*' | null;

export type Refusal = 'not_found' | 'version_conflict' | 'too_large' | 'patch_too_large';

export const toMilliseconds = (changed: number): number => Math.floor(changed / 1_000);

/** The smallest `changed` of that millisecond. */
export const toChanged = (epochMs: number): number => epochMs * 1_000;

export const isMatch = (version: number | null, wanted: IfMatch): boolean =>
  wanted === null || (wanted === '*' ? version !== null : version === wanted);

export function applyWrite(state: EntityState | null, write: EntityWrite): EntityState | Refusal {
  if (state === null && write.mode === 'patch') return 'not_found';
  if (!isMatch(state?.version ?? null, write.ifMatch)) return 'version_conflict';
  const isMerged = write.mode !== 'replace';
  // Before anything of it is read.
  if (isMerged && Buffer.byteLength(write.traits) > MOST_PATCH_BYTES) return 'patch_too_large';
  if (!isMerged && write.traits.length > MOST_TRAIT_BYTES) return 'too_large';
  const written = isMerged ? merged(state ?? { traits: '{}', traitTimes: '{}' }, write) : replaced(write);
  if (Buffer.byteLength(written.traits) > MOST_TRAIT_BYTES) return 'too_large';
  return {
    ...written,
    version: (state?.version ?? 0) + 1,
    createdAt: state?.createdAt ?? toMilliseconds(write.changed),
    changed: write.changed,
  };
}

type Written = Pick<EntityState, 'traits' | 'traitTimes'>;

function replaced({ traits, changed }: EntityWrite): Written {
  const times: JsonObject = {};
  for (const name of Object.keys(parseJson(traits) as JsonObject)) putField(times, name, changed);
  return { traits, traitTimes: JSON.stringify(times) };
}

/** A trait counts as written whenever a write names it, be it with the value that it had. */
function merged(before: Written, { traits, changed }: EntityWrite): Written {
  const patch = parseJson(traits) as JsonObject;
  const result = mergePatch(parseJson(before.traits), patch);
  const times = JSON.parse(before.traitTimes) as JsonObject;
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete times[name];
    else putField(times, name, changed);
  }
  return { traits: stringifyJson(result), traitTimes: JSON.stringify(times) };
}
