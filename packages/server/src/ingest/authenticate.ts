import { bearerOf, unauthenticated } from './credentials.ts';
import type { Directory, KnownKey } from './directory.ts';

/** Authentication of the public API: whose key it is that a request shows. */

/** The organisation that the request's API key carries; at once where the key is cached. */
export function authenticateKey(request: Request, directory: Directory): KnownKey | Promise<KnownKey> {
  const secret = bearerOf(request);
  if (secret === null || secret === '') throw unauthenticated();
  const key = directory.organisationOfKey(secret);
  return key instanceof Promise ? key.then(requireKey) : requireKey(key);
}

function requireKey(key: KnownKey | null): KnownKey {
  if (key === null) throw unauthenticated();
  return key;
}
