import { isSameSecret } from '../signature.ts';
import type { Verdict } from './mismatch.ts';
import type { Unread } from './received.ts';

/** A secret that stands in a header as it is, compared in constant time. */
export function tokenVerifier(header: string, secrets: readonly string[]): (unread: Unread) => Verdict {
  return ({ headers }) => {
    const given = headers.get(header);
    if (!given) return { part: 'header_missing', header };
    if (isOneOf(given, secrets)) return null;
    return given.includes(', ')
      ? { part: 'header_repeated', header }
      : { part: 'token_differs', where: header };
  };
}

/** Looks at all of them, so that its duration tells nothing of which. */
export function isOneOf(given: string, secrets: readonly string[]): boolean {
  let matches = false;
  for (const secret of secrets) matches = isSameSecret(given, secret) || matches;
  return matches;
}
