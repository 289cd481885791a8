import { Problem } from '../core/errors.ts';
import { createByteRoom, createByteRooms } from '../core/http/byte-room.ts';
import {
  decompress,
  type MediaType,
  mediaTypeOf,
  READ_IN_PLACE_BYTES,
  readBytes,
} from '../core/http/read-body.ts';
import { newId } from '../core/ids.ts';
import { bearerOf, unauthenticated } from './authenticate.ts';
import type { KnownSource } from './directory.ts';
import type { IngestDependencies } from './http-ingest.ts';
import { readIdempotencyKey } from './idempotency.ts';
import type { RateLimiter } from './rate.ts';
import { createWebhookReader, type WebhookContent } from './reading/read-webhook.ts';
import { isSameSecret, isSignature, isSignedBy } from './signature.ts';

/** So many of the largest bodies may be coming in at a time, for one source and for all of them. */
const LARGE_BODIES_OF_ONE = 4;
const LARGE_BODIES_OF_ALL = 16;

/**
 * `POST /whk/<token>`: whatever any sender posts becomes one event. The order of the checks is a promise:
 * token, enabled, authentication, rate, body. Nobody without the secret can spend a source's rate.
 */
export function createWebhookIngress(
  { directory, activity, limits, clock, bodyThread, accept }: IngestDependencies,
  rate: RateLimiter,
  /** The ids that came under this key before. */
  findEventsOfKey: (scope: string, key: string, now: number) => Promise<readonly string[] | null>,
) {
  /** Whoever knows a source's address can hold large bodies back there: one source takes a part of the room only. */
  const roomOf = createByteRooms(
    LARGE_BODIES_OF_ONE * limits.bodyBytes,
    createByteRoom(LARGE_BODIES_OF_ALL * limits.bodyBytes),
  );
  const readContent = createWebhookReader(limits);
  const read = (request: Request, { id }: KnownSource) => readBytes(request, limits, roomOf(id));

  return async (request: Request, token: string): Promise<Response> => {
    const known = directory.sourceOfToken(token);
    const source = known instanceof Promise ? await known : known;
    if (source === null) throw new Problem('not_found', { message: 'No source has this URL.' });
    try {
      return await receive(request, source);
    } catch (error) {
      if (error instanceof Problem) activity.refused(source, error);
      throw error;
    }
  };

  async function receive(request: Request, source: KnownSource): Promise<Response> {
    if (!source.enabled) throw new Problem('source_disabled');
    const received = await authenticate(request, source);
    const wait = rate.spend(source.id, source.rate);
    if (wait > 0)
      throw new Problem('rate_limited', { message: 'This source is over its rate.', retryAfter: wait });

    const idempotencyKey = readIdempotencyKey(request, limits);
    let content: WebhookContent;
    try {
      const media = mediaTypeOf(request);
      const unpacked = decompress(request, received ?? (await read(request, source)), limits);
      const bytes = unpacked instanceof Promise ? await unpacked : unpacked;
      content =
        bytes.byteLength <= READ_IN_PLACE_BYTES || isRefusedUnread(bytes, media)
          ? readContent(bytes, media)
          : await bodyThread.readWebhook(source.orgId, bytes, media);
    } catch (problem) {
      // Providers change bodies between retries: what was taken under this key is not refused for a later one's.
      const known = idempotencyKey && (await findEventsOfKey(source.id, idempotencyKey, clock.now()));
      const id = known?.[0];
      if (!id) throw problem;
      return answer({ id, duplicate: true });
    }
    const { type, payload } = content;
    const receivedAt = clock.now();
    const result = await accept({
      orgId: source.orgId,
      sourceId: source.id,
      receivedAt,
      events: [
        {
          id: newId('evt', receivedAt),
          type,
          icon: null,
          payload,
          senderId: null,
          entityKind: null,
          entityExternalId: null,
          happenedAt: receivedAt,
        },
      ],
      idempotency:
        idempotencyKey === null
          ? null
          : {
              scope: source.id,
              key: idempotencyKey,
              // Providers change bodies between retries, so another body under the same key is no conflict here.
              bodyHash: null,
              expiresAt: receivedAt + (await directory.retentionMs(source.orgId)),
            },
    });
    activity.sourceSeen(source.id);
    if (result.kind === 'conflict') throw new Problem('idempotency_conflict');
    return answer(result.events[0]);
  }

  /** Refused for its size alone, it costs nothing to read. */
  function isRefusedUnread(bytes: Uint8Array, media: MediaType): boolean {
    return media === 'json' && bytes.byteLength > limits.eventBytes;
  }

  /** Answers the body where it had to be read to verify its signature. */
  async function authenticate(request: Request, source: KnownSource): Promise<Uint8Array | null> {
    if (source.auth === 'none') return null;
    const secrets = [source.secret];
    if (source.previous !== null && clock.now() < source.previous.until) secrets.push(source.previous.secret);
    if (source.auth === 'bearer') {
      const given = bearerOf(request);
      if (given === null || !secrets.some(secret => isSameSecret(given, secret))) throw unauthenticated();
      return null;
    }
    const signature = request.headers.get('x-ingest-signature');
    if (!isSignature(signature)) throw unauthenticated();
    const bytes = await read(request, source);
    if (!isSignedBy(secrets, signature, bytes)) throw unauthenticated();
    return bytes;
  }
}

const answer = (event: { id: string; duplicate: boolean } | undefined): Response =>
  Response.json({ data: event }, { status: 202 });
