import { gunzip } from 'node:zlib';
import { Problem } from '../errors.ts';
import type { ByteRoom } from './byte-room.ts';

/** Reading the body of a request: its bytes under a limit, its encoding, its media type. */

/** The part of the limits that a body as a whole has to keep. */
interface Limits {
  readonly bodyBytes: number;
}

/** A body up to this size takes no room: there are only so many connections, and it never waits for large ones. */
const SMALL_BYTES = 256 * 1024;

/** Up to this size a body is read where it comes in: the worst of them takes a few hundredths of a second. */
export const READ_IN_PLACE_BYTES = 96 * 1024;

const tooLarge = (limits: Limits) =>
  new Problem('payload_too_large', { message: `The body may have at most ${limits.bodyBytes} bytes.` });

/** The bytes as received, all of them within the time given. A body that says it is too large is refused unread. */
export function readBytes(
  request: Request,
  limits: Limits,
  room: ByteRoom,
  timeoutMs?: number,
): Promise<Uint8Array> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > limits.bodyBytes) throw tooLarge(limits);
  const isSmall = declared !== null && Number(declared) <= SMALL_BYTES;
  // Faster than piece by piece, but nobody can give it up.
  if (isSmall && timeoutMs === undefined) return request.bytes();
  if (request.body === null) return Promise.resolve(new Uint8Array());
  return readCounted(request.body, limits, isSmall ? takesNoRoom : room, timeoutMs);
}

const takesNoRoom: ByteRoom = { take: () => true, give: () => undefined };

/** A chunked body says nothing of its size beforehand, and a large one may never come whole: count what comes in. */
async function readCounted(
  body: ReadableStream<Uint8Array>,
  limits: Limits,
  room: ByteRoom,
  timeoutMs: number | undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  let isLate = false;
  const leave = () => void reader.cancel().catch(() => undefined);
  const giveUp = () => {
    isLate = true;
    leave();
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
  try {
    for (;;) {
      const { done, value: chunk } = await reader.read();
      if (isLate) throw new Problem('request_timeout');
      if (done) break;
      if (size + chunk.byteLength > limits.bodyBytes) throw tooLarge(limits);
      if (!room.take(chunk.byteLength)) throw noRoomForBody();
      size += chunk.byteLength;
      chunks.push(chunk);
    }
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  } catch (error) {
    leave();
    throw error;
  } finally {
    clearTimeout(timer);
    room.give(size);
  }
}

export const noRoomForBody = () =>
  new Problem('storage_unavailable', {
    message: 'Too many large bodies are coming in at once. Nothing of this one was stored: send it again.',
    retryAfter: 1,
  });

/** Undoes `Content-Encoding`; the limit holds for what comes out. */
export function decompress(
  request: Request,
  bytes: Uint8Array,
  limits: Limits,
): Uint8Array | Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding')?.toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return bytes;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new Problem('unsupported_media_type', { message: 'Content-Encoding may be gzip or absent.' });
  }
  return new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: limits.bodyBytes }, (error, result) => {
      if (error === null) resolve(result);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(limits));
      else reject(new Problem('invalid_compression'));
    });
  });
}

/** `text` may be JSON that says it is text: only a webhook is asked. */
export type MediaType = 'json' | 'form' | 'text';

/** Either part is a token, of the characters that RFC 9110 has for one. */
const JSON_SUFFIX = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\+json$/;

/** No content type, `application/json` and `…+json` are JSON; anything but UTF-8 is refused. */
export function mediaTypeOf(request: Request): MediaType {
  const header = request.headers.get('content-type');
  if (header === null || header === '' || header === 'application/json') return 'json';
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim() === 'charset' && !/^"?utf-?8"?$/.test(value.trim())) {
      throw new Problem('unsupported_media_type', { message: 'The charset must be UTF-8.' });
    }
  }
  const name = type.trim();
  if (name === 'application/json' || JSON_SUFFIX.test(name)) return 'json';
  if (name === 'application/x-www-form-urlencoded') return 'form';
  if (name === 'text/plain' || name === 'text/json') return 'text';
  throw new Problem('unsupported_media_type');
}

// Keeps no state between calls, and leaves out a leading byte-order mark.
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('invalid_encoding');
  }
}
