import { invalid } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';

/** Where a configuration says which host its secrets go to. */
const ADDRESSES = ['url', 'base_url', 'host'] as const;

/** A secret that is kept unseen goes to nobody but whom it was given for. */
export function requireSameHost(before: JsonObject, given: JsonObject): void {
  for (const field of ADDRESSES) {
    // A secret address that is kept is no text here, and the same.
    if (typeof given[field] !== 'string' && given[field] !== undefined) continue;
    if (hostOf(before[field]) === hostOf(given[field])) continue;
    throw invalid(
      `config.${field}`,
      'Another host needs the secrets again: those that are set are not sent there.',
    );
  }
}

const hostOf = (address: Json | undefined): string | null => {
  if (typeof address !== 'string') return null;
  return URL.canParse(address) ? new URL(address).host : address;
};
