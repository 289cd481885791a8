import { Problem } from '../core/errors.ts';
import { WEBHOOK_EVENT_TYPE } from '../core/event/event.ts';
import { createByteRoom, createByteRooms } from '../core/http/byte-room.ts';
import { decodeText, decompress, mediaTypeOf, readBytes } from '../core/http/read-body.ts';
import { newId } from '../core/ids.ts';
import {
  type Json,
  type JsonObject,
  longerThan,
  mayHoldUnstorableText,
  parseJson,
  requireNesting,
  requireStorableText,
  stringifyJson,
} from '../core/json/json.ts';
import { bearerOf, unauthenticated } from './authenticate.ts';
import type { KnownSource } from './directory.ts';
import type { IngestDependencies } from './http-ingest.ts';
import { readIdempotencyKey } from './idempotency.ts';
import type { RateLimiter } from './rate.ts';
import { isSameSecret, isSignature, isSignedBy } from './signature.ts';

/** What of a body makes an event. */
interface Content {
  readonly type: string;
  readonly payload: string;
}

/** So many of the largest bodies may be coming in at a time, for one source and for all of them. */
const LARGE_BODIES_OF_ONE = 4;
const LARGE_BODIES_OF_ALL = 16;

/**
 * `POST /whk/<token>`: whatever any sender posts becomes one event. The order of the checks is a promise:
 * token, enabled, authentication, rate, body. Nobody without the secret can spend a source's rate.
 */
export function createWebhookIngress(
  { directory, activity, limits, clock, accept }: IngestDependencies,
  rate: RateLimiter,
  /** The ids that came under this key before. */
  findEventsOfKey: (scope: string, key: string, now: number) => Promise<readonly string[] | null>,
) {
  /** Whoever knows a source's address can hold large bodies back there: one source takes a part of the room only. */
  const roomOf = createByteRooms(
    LARGE_BODIES_OF_ONE * limits.bodyBytes,
    createByteRoom(LARGE_BODIES_OF_ALL * limits.bodyBytes),
  );
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
    let content: Content;
    try {
      const media = mediaTypeOf(request);
      const unpacked = decompress(request, received ?? (await read(request, source)), limits);
      const bytes = unpacked instanceof Promise ? await unpacked : unpacked;
      content = media === 'form' ? readForm(bytes) : readJson(bytes);
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

  /** The sender's text is kept as it came; a value that is no object is wrapped, its text unchanged too. */
  function readJson(bytes: Uint8Array): Content {
    requireSize(bytes.byteLength);
    const text = decodeText(bytes);
    const body = parseJson(text);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    const payload: JsonObject = isObject ? body : { body };
    requireNesting(payload, limits.nesting, '');
    if (mayHoldUnstorableText(text)) requireStorableText(payload, '');
    return { type: typeOf(payload), payload: isObject ? text : `{"body":${text}}` };
  }

  function readForm(bytes: Uint8Array): Content {
    const fields = parseForm(decodeText(bytes), requireSize);
    requireStorableText(fields, '');
    const payload = stringifyJson(fields);
    requireSize(Buffer.byteLength(payload));
    return { type: typeOf(fields), payload };
  }

  function requireSize(size: number): void {
    if (size <= limits.eventBytes) return;
    throw new Problem('payload_too_large', {
      message: `An event may have at most ${limits.eventBytes} bytes.`,
    });
  }

  function typeOf(payload: JsonObject): string {
    const type = Object.hasOwn(payload, 'type') ? payload.type : undefined;
    if (typeof type !== 'string' || type === '') return WEBHOOK_EVENT_TYPE;
    if (longerThan(type, limits.typeLength)) {
      throw new Problem('validation_failed', {
        path: 'type',
        message: `type may have at most ${limits.typeLength} characters.`,
      });
    }
    return type;
  }
}

const answer = (event: { id: string; duplicate: boolean } | undefined): Response =>
  Response.json({ data: event }, { status: 202 });

/** What a field takes at least beside its name and value: quotes, colon, comma. */
const PUNCTUATION = 6;

/** Names are taken literally; a name that repeats becomes an array. Ends as soon as it is too large. */
function parseForm(text: string, requireSize: (size: number) => void): JsonObject {
  const fields = new Map<string, Json>();
  let size = 0;
  for (let from = 0; from < text.length; ) {
    const ampersand = text.indexOf('&', from);
    const to = ampersand < 0 ? text.length : ampersand;
    const pair = text.slice(from, to);
    from = to + 1;
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeField(equals < 0 ? pair : pair.slice(0, equals));
    const value = decodeField(equals < 0 ? '' : pair.slice(equals + 1));
    const before = fields.get(name);
    size += value.length + (before === undefined ? name.length + PUNCTUATION : 3);
    requireSize(size);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  return Object.fromEntries(fields);
}

function decodeField(text: string): string {
  // A percent sign that begins no escape stands for itself, as in every browser.
  const escaped = text.replaceAll('+', ' ').replace(/%(?![0-9a-fA-F]{2})/g, '%25');
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw new Problem('invalid_encoding');
  }
}
