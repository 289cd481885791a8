import { entitiesQuery } from '@sluice/contract/entity';
import { readTraitPath } from '../../core/entities/trait.ts';
import type { IfMatch } from '../../core/entities/write.ts';
import { invalid } from '../../core/errors.ts';
import { validate } from '../../core/http/validate.ts';
import { longerThan } from '../../core/json/json.ts';
import type { EntityFilter, TraitFilter } from '../../core/stores/entities.ts';
import { readParameters } from '../read-json.ts';

const TRAIT = 'trait.';
const MOST_TRAIT_FILTERS = 16;
const LONGEST_FILTER = 1_024;

/** The filters of a list of entities: those with names of their own, and `trait.<path>`. */
export function readListQuery(request: Request): {
  filter: EntityFilter;
  limit: number;
  cursor: string | undefined;
} {
  const parameters = Object.entries(readParameters(request));
  const named = Object.fromEntries(parameters.filter(([name]) => !name.startsWith(TRAIT)));
  const traits: TraitFilter[] = [];
  for (const [name, text] of parameters) {
    if (!name.startsWith(TRAIT)) continue;
    if (longerThan(text, LONGEST_FILTER) || longerThan(name, LONGEST_FILTER)) {
      throw invalid(name, `A filter may have at most ${LONGEST_FILTER} characters.`);
    }
    if (name.includes('\0')) throw invalid(TRAIT, 'A path may not hold NUL characters.');
    traits.push({ path: readTraitPath(name.slice(TRAIT.length)), text });
  }
  if (traits.length > MOST_TRAIT_FILTERS) {
    throw invalid(TRAIT, `A list may be filtered by at most ${MOST_TRAIT_FILTERS} traits.`);
  }
  const { kind, external_id, updated_after, limit, cursor } = validate(entitiesQuery, named);
  return {
    filter: { kind, externalId: external_id, updatedAfter: updated_after, traits },
    limit,
    cursor,
  };
}

/** `3`, `"3"` or `*`. Anything else is refused: a condition that is not understood must not pass for none. */
export function readIfMatch(request: Request): IfMatch {
  const header = request.headers.get('if-match');
  if (header === null) return null;
  if (header === '*') return '*';
  const [, bare, quoted] = /^(?:(\d+)|"(\d+)")$/.exec(header) ?? [];
  const version = bare ?? quoted;
  if (version === undefined) {
    throw invalid('If-Match', 'If-Match must be a version, such as 3 or "3", or *.');
  }
  // No entity is written so often: whatever is beyond what a number keeps apart is a version that there is not.
  return Math.min(Number(version), Number.MAX_SAFE_INTEGER);
}
