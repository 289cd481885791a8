import { decodeSignature, isHmacOf } from './hmac.ts';
import type { Verdict } from './mismatch.ts';
import { type Received, singleHeader, timestampMismatch } from './received.ts';

/** Standard Webhooks: id, timestamp and a list of signatures in three headers, which some senders call `svix-…`. */

const names = (prefix: string) => ({
  id: `${prefix}-id`,
  timestamp: `${prefix}-timestamp`,
  signature: `${prefix}-signature`,
});
const standard = names('webhook');
const svix = names('svix');

/** Of the list only those of the first version can be verified with a secret. */
const VERSION = 'v1,';

export function webhookVerifier(secrets: readonly string[]): (received: Received) => Verdict {
  const keys = secrets.map(keyOf).filter(key => key !== null);
  return ({ headers, bytes, now }) => {
    const used = headers.has(svix.signature) && !headers.has(standard.signature) ? svix : standard;
    const list = headers.get(used.signature);
    if (!list) return { part: 'header_missing', header: used.signature };
    const id = singleHeader(headers, used.id);
    if (!id.ok) return id.mismatch;
    const timestamp = singleHeader(headers, used.timestamp);
    if (!timestamp.ok) return timestamp.mismatch;
    const mismatch = timestampMismatch(timestamp.value, used.timestamp, now);
    if (mismatch !== null) return mismatch;
    const signatures = signaturesIn(list);
    if (signatures.length === 0)
      return { part: 'header_malformed', header: used.signature, expected: 'v1,<HMAC-SHA256 in base64>' };
    const signed = [`${id.value}.${timestamp.value}.`, bytes];
    return isHmacOf(keys, 'sha256', signatures, signed)
      ? null
      : { part: 'signature_differs', where: used.signature, over: 'its id, its timestamp and this body' };
  };
}

/** Set apart by blanks; a header that came twice is joined by a comma and a blank. */
function signaturesIn(list: string): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const item of list.split(/,? +/)) {
    if (!item.startsWith(VERSION)) continue;
    const bytes = decodeSignature(item.slice(VERSION.length), 'sha256', 'base64');
    if (bytes !== null) found.push(bytes);
  }
  return found;
}

/** The secret is base64 after `whsec_`; null where it is not. */
export function keyOf(secret: string): Uint8Array | null {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}
