import type { Clock } from '../core/clock.ts';
import { READ_IN_PLACE_BYTES } from '../core/http/read-body.ts';
import { bearerOf, unauthenticated } from './credentials.ts';
import type { KnownSource } from './directory.ts';
import { proofIn } from './providers/registry.ts';
import type { BodyThread } from './reading/body-thread.ts';
import { isSameSecret, isSignature, isSignedBy } from './signature.ts';
import type { KnownProvider } from './verification/known-provider.ts';
import { explainMismatch } from './verification/mismatch.ts';
import { missingHeader } from './verification/preset.ts';
import type { Received } from './verification/received.ts';

/**
 * Whether a webhook comes from whom its source expects. Throws where it does not; answers the reply to a provider that
 * asks for the address.
 */
type SenderCheck = (request: Request, source: KnownSource) => Promise<CheckedRequest | Response>;

interface CheckedRequest {
  /** Where the body had to be read to verify its signature. */
  readonly bytes: Uint8Array | null;
  /** What was verified as a provider signs. */
  readonly received: Received | null;
}

const unread: CheckedRequest = { bytes: null, received: null };

export function createSenderCheck(dependencies: {
  readonly clock: Clock;
  read(request: Request, source: KnownSource): Promise<Uint8Array>;
  addressOf(request: Request): string;
  readonly bodyThread: Pick<BodyThread, 'readProof'>;
}): SenderCheck {
  const { clock, read, addressOf, bodyThread } = dependencies;

  // One promise for each request: at this endpoint's rate each turn of the event loop is felt.
  return (request, source) =>
    source.provider === null ? checkOurs(request, source) : checkProvider(request, source, source.provider);

  async function checkOurs(request: Request, source: KnownSource): Promise<CheckedRequest> {
    if (source.auth === 'none') return unread;
    const secrets = [source.secret];
    if (source.previous !== null && clock.now() < source.previous.until) secrets.push(source.previous.secret);
    if (source.auth === 'bearer') {
      const given = bearerOf(request);
      if (given === null) throw unauthenticated('There is no “Authorization: Bearer …” header.');
      if (!secrets.some(secret => isSameSecret(given, secret)))
        throw unauthenticated('The bearer token is not this source’s secret.');
      return unread;
    }
    const signature = request.headers.get('x-ingest-signature');
    if (!isSignature(signature)) throw unauthenticated(whyNoSignature(signature));
    const bytes = await read(request, source);
    if (!isSignedBy(secrets, signature, bytes)) {
      const over = 'this body';
      throw unauthenticated(explainMismatch({ part: 'signature_differs', where: HEADER, over }));
    }
    return { bytes, received: null };
  }

  async function checkProvider(
    request: Request,
    source: KnownSource,
    known: KnownProvider,
  ): Promise<CheckedRequest | Response> {
    const { preset, current, rotating } = known;
    const isRotating = source.previous !== null && clock.now() < source.previous.until;
    const provider = isRotating ? (rotating ?? current) : current;
    const challenged = provider.challenge?.(request);
    if (challenged) return challenged;
    const { headers, method } = request;
    const url = () => known.url ?? addressOf(request);
    const early = missingHeader(preset, headers) ?? provider.verifyUnread?.({ headers, url });
    if (early) throw unauthenticated(explainMismatch(early));
    const bytes = await read(request, source);
    const received: Received = {
      method,
      headers,
      bytes,
      url,
      proof: () =>
        bytes.byteLength <= READ_IN_PLACE_BYTES
          ? proofIn(preset.name, bytes)
          : bodyThread.readProof(source.orgId, bytes, preset.name),
      now: clock.now(),
    };
    if (early === null) return { bytes, received };
    const verdict = provider.verify(received);
    const mismatch = verdict instanceof Promise ? await verdict : verdict;
    if (mismatch !== null) throw unauthenticated(explainMismatch(mismatch));
    return { bytes, received };
  }
}

const HEADER = 'X-Ingest-Signature';

function whyNoSignature(signature: string | null): string {
  if (signature === null) return explainMismatch({ part: 'header_missing', header: HEADER });
  const expected =
    'the HMAC-SHA256 in lowercase hex and nothing else: other schemes belong to a source of their provider';
  return explainMismatch({ part: 'header_malformed', header: HEADER, expected });
}
