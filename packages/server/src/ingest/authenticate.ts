import { Problem } from '../core/errors.ts';
import type { Directory, KnownKey } from './directory.ts';

/** Authentication of the public API: the bearer token of a request, and whose key it is. */

/** The same words whatever was wrong: absent, unknown, revoked, or another scheme. */
export const unauthenticated = () => new Problem('unauthenticated');

export function bearerOf(request: Request): string | null {
  const header = request.headers.get('authorization');
  if (header === null || header.charCodeAt(6) !== 0x20) return null;
  return header.slice(0, 6).toLowerCase() === 'bearer' ? header.slice(7).trim() : null;
}

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
