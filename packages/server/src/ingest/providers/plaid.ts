import { createHash, createPublicKey, verify as isVerified, type KeyObject } from 'node:crypto';
import { hours } from '../../core/clock.ts';
import { isSameSecret } from '../signature.ts';
import { createFetched, type Fetched } from '../verification/fetched.ts';
import { isObject } from '../verification/in-body.ts';
import type { Mismatch, Verdict } from '../verification/mismatch.ts';
import type { Preset, ProviderPorts } from '../verification/preset.ts';
import { type Received, singleHeader, timestampMismatch } from '../verification/received.ts';

/** Plaid: a JWT that names a key of Plaid, which is fetched with the credentials of the account, and the hash of the body. */

const HEADER = 'plaid-verification';
/** Keys are rotated, and the key itself says when. */
const KEY_KEPT_MS = hours(1);
const SANDBOX = 'sandbox:';

/** As it is pasted: `client_id:secret`, of the sandbox `sandbox:client_id:secret`. */
const CREDENTIALS = /^(?:sandbox:)?(?!sandbox:)[^:\s]+:[^:\s]+$/;

interface VerificationKey {
  readonly key: KeyObject;
  readonly isExpired: boolean;
}

const malformed: Mismatch = { part: 'header_malformed', header: HEADER, expected: 'a JWT signed with ES256' };

export const plaid: Preset = {
  name: 'plaid',
  title: 'Plaid',
  steps: [
    'Create this source with the client id and the secret of your team: Plaid Dashboard → Developers → Keys.',
    'Paste its URL as webhook where you create link tokens, or as webhook endpoint in the Plaid Dashboard.',
  ],
  documentation: 'Plaid Docs: Webhook verification',
  fields: {
    secret: {
      label: 'Client id and secret',
      hint: 'As client_id:secret; those of the sandbox as sandbox:client_id:secret.',
      isChosen: false,
    },
  },
  signature:
    'ES256 in `plaid-verification`, a JWT with the SHA-256 of the body, by a key that is fetched from Plaid; 300 s.',
  secretHeaders: [HEADER],
  requiredHeaders: [HEADER],
  prepare({ secrets }, ports) {
    const keyOf = createFetched({
      what: 'key',
      keptMs: KEY_KEPT_MS,
      fetch: id => fetchKey(id, secrets[0] ?? '', ports),
    });
    return { verify: received => verify(received, keyOf) };
  },
  check: ({ secrets }) =>
    secrets.every(secret => CREDENTIALS.test(secret))
      ? null
      : { field: 'secret', message: 'secret must read as client_id:secret.' },
  body: { typeFrom: { path: 'payload.webhook_type', prefix: 'plaid.', andThen: 'payload.webhook_code' } },
};

async function fetchKey(id: string, credentials: string, ports: ProviderPorts): Promise<VerificationKey> {
  const isSandbox = credentials.startsWith(SANDBOX);
  const [client_id, secret] = credentials.slice(isSandbox ? SANDBOX.length : 0).split(':');
  const host = isSandbox ? 'sandbox.plaid.com' : 'production.plaid.com';
  const text = await ports.fetchText(`https://${host}/webhook_verification_key/get`, {
    client_id,
    secret,
    key_id: id,
  });
  const answer: unknown = JSON.parse(text);
  if (!isObject(answer) || !isObject(answer.key)) throw new Error('The answer holds no key.');
  const { kty, crv, x, y, expired_at } = answer.key;
  const isRightKind = kty === 'EC' && crv === 'P-256' && typeof x === 'string' && typeof y === 'string';
  if (!isRightKind) throw new Error('The answer holds no key for ES256.');
  const key = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  return { key, isExpired: expired_at !== null && expired_at !== undefined };
}

async function verify({ headers, bytes, now }: Received, keyOf: Fetched<VerificationKey>): Promise<Verdict> {
  const given = singleHeader(headers, HEADER);
  if (!given.ok) return given.mismatch;
  const [head = '', claims = '', signature = '', ...more] = given.value.split('.');
  const { alg, kid } = readPart(head);
  const { iat, request_body_sha256: bodyHash } = readPart(claims);
  const isNamed = typeof kid === 'string' && /^[\w-]{1,64}$/.test(kid);
  if (alg !== 'ES256' || !isNamed || typeof bodyHash !== 'string' || more.length > 0) return malformed;
  // What is old, or is not of this body, is not worth a key.
  const mismatch = timestampMismatch(String(iat), HEADER, now);
  if (mismatch !== null) return mismatch;
  if (!isSameSecret(bodyHash, createHash('sha256').update(bytes).digest('hex')))
    return { part: 'signature_differs', where: HEADER, over: 'this body' };
  const { key, isExpired } = await keyOf(kid, now);
  if (isExpired) return { part: 'key_refused', reason: 'it has expired.' };
  const isGenuine = isVerified(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return isGenuine ? null : { part: 'signature_differs', where: HEADER, over: 'its claims' };
}

/** A part of a JWT; without anything where it is none. */
function readPart(text: string): Readonly<Record<string, unknown>> {
  try {
    const part: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return isObject(part) ? part : {};
  } catch {
    return {};
  }
}
