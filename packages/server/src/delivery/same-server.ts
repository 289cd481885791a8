import { invalid } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json/json.ts';

/** Where a configuration says whom its secrets go to, and how they get there. */
const ADDRESSES = ['url', 'base_url', 'host', 'port', 'security'] as const;

/** A secret that is kept unseen goes to nobody but whom it was given for: another port is somebody else. */
export function requireSameServer(before: JsonObject, given: JsonObject): void {
  for (const field of ADDRESSES) {
    // A secret address that is kept is no text here, and the same.
    if (typeof given[field] === 'object') continue;
    if (serverOf(before[field]) === serverOf(given[field])) continue;
    throw invalid(
      `config.${field}`,
      'Enter the secrets again for the new server: the stored ones are not sent there.',
    );
  }
}

/** Of a URL its scheme, host and port: without encryption a secret is everybody's on the way. */
const serverOf = (address: Json | undefined): Json | undefined =>
  typeof address === 'string' && /^https?:/i.test(address) && URL.canParse(address)
    ? new URL(address).origin
    : address;
