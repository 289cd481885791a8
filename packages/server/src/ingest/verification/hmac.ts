import { createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC signatures over several pieces, compared in constant time. */

export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha512';
export type HmacEncoding = 'hex' | 'base64';
type HmacKey = string | Uint8Array;

const digestBytes: Readonly<Record<HmacAlgorithm, number>> = { sha1: 20, sha256: 32, sha512: 64 };

/** The bytes of a signature as it was sent; null where it cannot be one. Both cases of hex and padding are accepted. */
export function decodeSignature(
  text: string,
  algorithm: HmacAlgorithm,
  encoding: HmacEncoding,
): Uint8Array | null {
  const size = digestBytes[algorithm];
  if (encoding === 'hex' && (text.length !== 2 * size || !/^[0-9a-fA-F]+$/.test(text))) return null;
  if (encoding === 'base64' && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, encoding);
  return bytes.byteLength === size ? bytes : null;
}

/** Whether one of the keys made one of these signatures over the pieces, one after the other. */
export function isHmacOf(
  keys: readonly HmacKey[],
  algorithm: HmacAlgorithm,
  signatures: readonly Uint8Array[],
  pieces: readonly (string | Uint8Array)[],
): boolean {
  let matches = false;
  for (const key of keys) {
    const hmac = createHmac(algorithm, key);
    for (const piece of pieces) hmac.update(piece);
    const digest = hmac.digest();
    for (const signature of signatures) matches = timingSafeEqual(digest, signature) || matches;
  }
  return matches;
}
