import type { z } from 'zod';
import { invalid, Problem } from '../core/errors.ts';
import type { ByteRoom } from '../core/http/byte-room.ts';
import {
  decodeText,
  decompress,
  mediaTypeOf,
  READ_IN_PLACE_BYTES,
  readBytes,
} from '../core/http/read-body.ts';
import { validate } from '../core/http/validate.ts';
import { requireFewValues } from '../core/json/count-values.ts';
import { mayHoldUnstorableText, parseJson, requireNesting, requireStorableText } from '../core/json/json.ts';

interface BodyLimits {
  readonly bodyBytes: number;
  readonly nesting: number;
}

/** What reading a body takes: its limits, and the room that large ones share. */
export interface BodyReading {
  readonly limits: BodyLimits;
  readonly room: ByteRoom;
}

interface JsonReading extends BodyReading {
  /** For the whole body; without it, as long as bytes keep coming. */
  readonly timeoutMs?: number;
  readonly whenEmpty?: 'take as {}';
}

/** The body of a call, read under the same rules as at the ingest endpoints and checked against its schema. */
export async function readJson<T extends z.ZodType>(
  request: Request,
  schema: T,
  reading: JsonReading,
): Promise<z.output<T>> {
  const { limits, whenEmpty } = reading;
  const bytes = await readJsonBytes(request, reading);
  if (bytes.byteLength > READ_IN_PLACE_BYTES) requireFewValues(bytes);
  const text = decodeText(bytes);
  if (text.trim() === '' && whenEmpty) return validate(schema, {});
  const value = parseJson(text);
  requireNesting(value, limits.nesting, '');
  if (mayHoldUnstorableText(text)) requireStorableText(value, '');
  return validate(schema, value);
}

/** The bytes of a body that says it is JSON, unpacked. */
export async function readJsonBytes(
  request: Request,
  { limits, room, timeoutMs }: Omit<JsonReading, 'whenEmpty'>,
): Promise<Uint8Array> {
  if (mediaTypeOf(request) !== 'json') throw new Problem('unsupported_media_type');
  return decompress(request, await readBytes(request, limits, room, timeoutMs), limits);
}

/** The query of a call. An unknown parameter is refused: a misspelt filter must not pass for no filter. */
export const readQuery = <T extends z.ZodType>(request: Request, schema: T): z.output<T> =>
  validate(schema, readParameters(request));

/** The parameters of a query by name, each of them given once. */
export function readParameters(request: Request): Record<string, string> {
  if (!request.url.includes('?')) return {};
  const { searchParams } = new URL(request.url);
  for (const [name, value] of searchParams) {
    if (searchParams.getAll(name).length > 1) throw invalid(name, `${name} may be given once.`);
    if (value.includes('\0')) throw invalid(name, `${name} may not hold NUL characters.`);
  }
  return Object.fromEntries(searchParams);
}
