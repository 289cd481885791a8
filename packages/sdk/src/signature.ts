import { hmacSha256 } from './sha256.ts';

/** Signatures: verifying those of a webhook destination, and making the one that a webhook source asks for. */

const utf8 = new TextEncoder();
type Body = string | Uint8Array | ArrayBuffer;

function bytesOf(body: Body): Uint8Array {
  if (typeof body === 'string') return utf8.encode(body);
  return body instanceof ArrayBuffer ? new Uint8Array(body) : body;
}

/** The header in which a webhook destination with HMAC signing carries its signature. */
export const SIGNATURE_HEADER = 'x-service-signature';

export interface SignedRequest {
  /** The body as it came, before any parsing: other white space makes another signature. */
  readonly body: Body;
  /** The value of `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`. */
  readonly header: string | null | undefined;
  readonly secret: string;
  /** How old a request may be, so that nobody can send a recorded one again. */
  readonly toleranceSeconds?: number;
}

/**
 * Whether Sluice signed this body under the secret, and lately. While a secret is rotated there are two signatures.
 * Without a secret nothing is genuine: anybody could sign with an empty one.
 */
export function verifySignature({ body, header, secret, toleranceSeconds = 300 }: SignedRequest): boolean {
  const content = bytesOf(body);
  // A body that was parsed already is no longer what was signed.
  if (!secret || typeof header !== 'string' || !(content instanceof Uint8Array)) return false;
  const parts = header.split(',').map(part => part.trim());
  const times = parts.filter(part => part.startsWith('t=')).map(part => part.slice(2));
  const [time = ''] = times;
  if (times.length !== 1 || !/^\d{1,12}$/.test(time)) return false;
  // So that a tolerance that is no number lets nothing pass.
  if (!(Math.abs(Date.now() / 1_000 - Number(time)) <= toleranceSeconds)) return false;
  const prefix = utf8.encode(`${time}.`);
  const signed = new Uint8Array(prefix.length + content.length);
  signed.set(prefix);
  signed.set(content, prefix.length);
  const expected = hexOf(hmacSha256(utf8.encode(secret), signed));
  let isGenuine = false;
  // Every signature is looked at to its end: how long this takes tells nothing.
  for (const part of parts)
    if (part.startsWith('v1=')) isGenuine = isSame(part.slice(3), expected) || isGenuine;
  return isGenuine;
}

/** The value of `X-Ingest-Signature` for a webhook source in hmac mode. */
export function signPayload(body: Body, secret: string): string {
  if (!secret) throw new TypeError('signPayload needs the secret of the source.');
  return hexOf(hmacSha256(utf8.encode(secret), bytesOf(body)));
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

/** In constant time for texts of one length. */
function isSame(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}
