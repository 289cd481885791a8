import { Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { cutToBytes, storable } from '../rendering/text.ts';

/** The body of an answer: read up to a limit, decompressed, and kept as text. */

interface KeptBody {
  readonly text: string;
  readonly isCut: boolean;
}

/** Reads no further than is kept. What the peer still wants to send is its own affair: the caller hangs up. */
export async function readKept(response: Response, keptBytes: number): Promise<KeptBody> {
  if (response.body === null) return { text: '', isCut: false };
  const raw = await collect(response.body, keptBytes);
  const inflate = inflaterFor(response.headers.get('content-encoding'));
  if (inflate === null || raw.bytes.byteLength === 0) return asText(raw, keptBytes);
  const inflated = await inflateUpTo(raw.bytes, inflate, keptBytes).catch(() => raw);
  return asText({ ...inflated, isCut: inflated.isCut || raw.isCut }, keptBytes);
}

/** We ask for no compression; who compresses all the same is read, and what comes out is capped like the rest. */
function inflaterFor(encoding: string | null): Transform | null {
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(flush);
    case 'deflate':
      return createInflate(flush);
    case 'br':
      return createBrotliDecompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
      });
    default:
      return null;
  }
}

interface Collected {
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

async function collect(source: ReadableStream<Uint8Array>, most: number): Promise<Collected> {
  const reader = source.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size <= most) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.byteLength;
  }
  const [only] = chunks;
  const bytes = chunks.length === 1 && only ? only : Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, most), isCut: size > most };
}

async function inflateUpTo(bytes: Uint8Array, inflate: Transform, most: number): Promise<Collected> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of Readable.from([bytes]).pipe(inflate) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > most) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), isCut: size > most };
}

/** Half a character at the cut is left out rather than shown as a blot; what is no character takes more room as one. */
function asText({ bytes, isCut }: Collected, keptBytes: number): KeptBody {
  const whole = storable(new TextDecoder().decode(bytes, { stream: isCut }));
  const text = cutToBytes(whole, keptBytes);
  return { text, isCut: isCut || text.length < whole.length };
}
