import { Problem } from '../core/errors.ts';
import type { NewEvent } from '../core/event/event.ts';
import { createByteRoom, createByteRooms } from '../core/http/byte-room.ts';
import { decompress, mediaTypeOf, READ_IN_PLACE_BYTES, readBytes } from '../core/http/read-body.ts';
import { newId } from '../core/ids.ts';
import type { KnownSource } from './directory.ts';
import type { IngestDependencies } from './http-ingest.ts';
import { readIdempotencyKey, usableKey } from './idempotency.ts';
import type { HeaderKeeper } from './kept-headers.ts';
import type { RateLimiter } from './rate.ts';
import { cloudModeOf, senderIdOf } from './reading/cloud-event.ts';
import { createWebhookReader, type WebhookContent, type WebhookReading } from './reading/read-webhook.ts';
import { createSenderCheck } from './sender-check.ts';
import type { Received } from './verification/received.ts';

/** So many of the largest bodies may be coming in at a time, for one source and for all of them. */
const LARGE_BODIES_OF_ONE = 4;
const LARGE_BODIES_OF_ALL = 16;

/** The other end of the connection that a request came in on. Only asked about what is refused. */
type PeerOf = (request: Request) => { readonly address: string };
const unknownPeer: PeerOf = () => ({ address: '' });

interface WebhookDependencies extends IngestDependencies {
  readonly rate: RateLimiter;
  readonly keepHeaders: HeaderKeeper;
  /** Of a request that is refused. */
  readonly keepRefusedHeaders: HeaderKeeper;
  /** Where a request came from; empty where nobody knows. */
  senderOf(request: Request, peerOf: PeerOf): string;
  /** The ids that came under this key before. */
  findEventsOfKey(scope: string, key: string, now: number): Promise<readonly string[] | null>;
  /** The address that a request came to, as its sender knows it. */
  addressOf(request: Request): string;
}

/**
 * `POST /whk/<token>`: whatever any sender posts becomes one event, or one for each item where a provider sends lists. The
 * order of the checks is a promise: token, enabled, authentication, rate, body. Nobody without the secret can spend a
 * source's rate.
 */
export function createWebhookIngress(dependencies: WebhookDependencies) {
  const { directory, activity, limits, clock, bodyThread, accept, rate, keepHeaders } = dependencies;
  /** Whoever knows a source's address can hold large bodies back there: one source takes a part of the room only. */
  const roomOf = createByteRooms(
    LARGE_BODIES_OF_ONE * limits.bodyBytes,
    createByteRoom(LARGE_BODIES_OF_ALL * limits.bodyBytes),
  );
  const readContent = createWebhookReader(limits);
  const read = (request: Request, { id }: KnownSource) => readBytes(request, limits, roomOf(id));
  const check = createSenderCheck({ clock, read, addressOf: dependencies.addressOf, bodyThread });

  function refuse(request: Request, source: KnownSource, token: string, peerOf: PeerOf, problem: Problem) {
    const own = source.auth === 'custom' ? source.provider?.preset.secretHeaders : undefined;
    activity.refused(source, problem, {
      address: dependencies.senderOf(request, peerOf) || null,
      headers: dependencies.keepRefusedHeaders(request.headers, null, own, token),
    });
  }

  return {
    async receive(request: Request, token: string, peerOf = unknownPeer): Promise<Response> {
      const known = directory.sourceOfToken(token);
      const source = known instanceof Promise ? await known : known;
      if (source === null) throw new Problem('not_found', { message: 'No source has this URL.' });
      try {
        return await receive(request, source, token);
      } catch (error) {
        if (error instanceof Problem) refuse(request, source, token, peerOf, error);
        throw error;
      }
    },

    /** Any other method: a provider may ask so whether the address is ours; null where this one does not. */
    async answerChallenge(request: Request, token: string, peerOf = unknownPeer): Promise<Response | null> {
      const source = await directory.sourceOfToken(token);
      const { current } = source?.provider ?? {};
      if (source === null || current?.challenge === undefined) return null;
      try {
        if (!source.enabled) throw new Problem('source_disabled');
        return current.challenge(request);
      } catch (error) {
        if (error instanceof Problem) refuse(request, source, token, peerOf, error);
        throw error;
      }
    },
  };

  async function receive(request: Request, source: KnownSource, token: string): Promise<Response> {
    if (!source.enabled) throw new Problem('source_disabled');
    const checked = await check(request, source);
    if (checked instanceof Response) return checked;
    const wait = rate.spend(source.id, source.rate);
    if (wait > 0)
      throw new Problem('rate_limited', {
        message: 'This source has exceeded its rate limit.',
        retryAfter: wait,
      });
    const { received } = checked;
    if (received !== null) {
      const confirmed = source.provider?.current.confirm?.(received);
      const answer = confirmed instanceof Promise ? await confirmed : confirmed;
      if (answer) return answer;
    }

    const isIdSigned = source.provider?.preset.isIdAloneSigned?.(request.headers) ?? false;
    const givenKey = isIdSigned
      ? null
      : (readIdempotencyKey(request, limits) ?? deliveryHeaderOf(request, source));
    let content: WebhookContent;
    try {
      const how = readingOf(request, source);
      const body = checked.bytes ?? (await read(request, source));
      const unpacked = decompress(request, body, limits);
      const bytes = unpacked instanceof Promise ? await unpacked : unpacked;
      content =
        bytes.byteLength <= READ_IN_PLACE_BYTES || isRefusedUnread(bytes, how)
          ? readContent(bytes, how)
          : await bodyThread.readWebhook(source.orgId, bytes, how);
    } catch (problem) {
      // Providers change bodies between retries: what was taken under this key is not refused for a later one's.
      const known = givenKey && (await dependencies.findEventsOfKey(source.id, givenKey, clock.now()));
      if (!known || known.length === 0) throw problem;
      const events = known.map(id => ({ id, duplicate: true }));
      return answerOf(source, received, events, known.length > 1 || takesLists(request, source));
    }
    const receivedAt = clock.now();
    const key = givenKey ?? (content.deliveryId === null ? null : usableKey(content.deliveryId, limits));
    if (isIdSigned && key === null)
      throw new Problem('validation_failed', { message: 'The body does not hold the id of its delivery.' });
    const result = await accept({
      orgId: source.orgId,
      sourceId: source.id,
      receivedAt,
      events: eventsOf(content, request, source, token, receivedAt),
      idempotency:
        key === null
          ? null
          : {
              scope: source.id,
              key,
              // Providers change bodies between retries, so another body under the same key is no conflict here.
              bodyHash: null,
              expiresAt: receivedAt + (await directory.retentionMs(source.orgId)),
            },
    });
    activity.sourceSeen(source.id);
    if (result.kind === 'conflict') throw new Problem('idempotency_conflict');
    return answerOf(source, received, result.events, content.isList);
  }

  function eventsOf(
    { events, isList }: WebhookContent,
    request: Request,
    source: KnownSource,
    token: string,
    receivedAt: number,
  ): NewEvent[] {
    // The items of a list share the headers that they came with.
    let shared: string | undefined;
    const keep = (attributes: Readonly<Record<string, string>> | null) =>
      keepHeaders(
        request.headers,
        attributes,
        source.auth === 'custom' ? source.provider?.preset.secretHeaders : undefined,
        token,
      );
    return events.map(({ type, payload, senderId, happenedAt, attributes }) => {
      shared ??= attributes === null ? keep(null) : undefined;
      return {
        id: newId('evt', receivedAt),
        type,
        icon: null,
        payload,
        // An id that a provider gives within a list is its own: another source's may be the same.
        senderId:
          senderId !== null && isList && attributes === null
            ? senderIdOf(`${source.id} ${senderId}`)
            : senderId,
        entityKind: null,
        entityExternalId: null,
        happenedAt: happenedAt ?? receivedAt,
        headers: shared ?? keep(attributes),
      };
    });
  }

  function readingOf(request: Request, { rules }: KnownSource): WebhookReading {
    const media = mediaTypeOf(request);
    if (rules === null) return { media, rules, typeHeader: null, cloud: null };
    let typeHeader: string | null = null;
    for (const name of rules.type?.headers ?? []) typeHeader ??= request.headers.get(name);
    const cloud = rules.isCloudEvent ? cloudModeOf(request.headers) : null;
    if (rules.isCloudEvent && cloud === null)
      throw new Problem('validation_failed', {
        message:
          'This source accepts CloudEvents: application/cloudevents+json, a batch of them, or ce- headers.',
      });
    return { media, rules, typeHeader, cloud };
  }

  /** Refused for its size alone, it costs nothing to read. */
  function isRefusedUnread(bytes: Uint8Array, { media, rules, cloud }: WebhookReading): boolean {
    const isList = rules?.each != null || cloud?.kind === 'batch';
    return media === 'json' && !isList && bytes.byteLength > limits.eventBytes;
  }

  function deliveryHeaderOf({ headers }: Request, { provider }: KnownSource): string | null {
    for (const name of provider?.preset.deliveryHeaders ?? []) {
      const value = headers.get(name);
      if (value !== null) return usableKey(value, limits);
    }
    return null;
  }
}

/** Whether what a source has sent to it in this way makes a list, as far as that is known without reading it. */
const takesLists = ({ headers }: Request, { rules }: KnownSource): boolean =>
  rules?.each != null || (rules?.isCloudEvent === true && cloudModeOf(headers)?.kind === 'batch');

function answerOf(
  { provider }: KnownSource,
  received: Received | null,
  events: readonly { readonly id: string; readonly duplicate: boolean }[],
  isList: boolean,
): Response {
  const own = received === null ? null : provider?.preset.answer?.(received);
  return own ?? Response.json({ data: isList ? { events } : events[0] }, { status: 202 });
}
