import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signatures and tokens of webhook senders, compared in constant time. */

const HEX_SHA256 = /^[0-9a-f]{64}$/;

/** Exactly 64 lowercase hex characters: a prefixed or timestamped signature is another scheme. */
export const isSignature = (header: string | null): header is string =>
  header !== null && HEX_SHA256.test(header);

/** Whether one of the secrets signed these bytes as they were received. Compares in constant time. */
export function isSignedBy(secrets: readonly string[], signature: string, bytes: Uint8Array): boolean {
  const given = Buffer.from(signature, 'hex');
  let matches = false;
  for (const secret of secrets) {
    matches = timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), given) || matches;
  }
  return matches;
}

/** Compares two secrets without telling by its duration how much of them agrees. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
