import { decodeSignature, type HmacAlgorithm, type HmacEncoding, isHmacOf } from './hmac.ts';
import type { Mismatch, Verdict } from './mismatch.ts';
import { type Extracted, found, missed, type Received, singleHeader, timestampMismatch } from './received.ts';

/**
 * A signature that stands in a header, as data: what is signed, with which HMAC, where the signature and its timestamp
 * lie. Most presets are one of these, and so is every scheme of one's own.
 */
export interface HmacScheme {
  readonly header: string;
  readonly algorithm: HmacAlgorithm;
  readonly encoding: HmacEncoding;
  /** Stands before the signature: `sha256=`. */
  readonly prefix?: string;
  /** `{body}`, `{timestamp}.{body}`, `{url}{body}`: what is signed, as one text. */
  readonly signed: string;
  readonly timestampHeader?: string;
  readonly toleranceS?: number;
  /** Where signature and timestamp share the header: `t={timestamp},v1={signature}`. */
  readonly format?: string;
  /** The header is a list of signatures set apart by commas, and may come twice. */
  readonly isList?: boolean;
  /** Its format holds one signature, always: a second one is of another header. */
  readonly hasOneSignature?: boolean;
}

type Placeholder = 'body' | 'timestamp' | 'url' | 'method';
type Piece = { readonly text: string } | { readonly take: Placeholder };

const PLACEHOLDER = /\{(body|timestamp|url|method)\}/g;

/** The verifier of a scheme for these secrets. */
export function schemeVerifier(
  scheme: HmacScheme,
  secrets: readonly string[],
): (received: Received) => Verdict {
  const pieces = piecesOf(scheme.signed);
  const readFormat = scheme.format === undefined ? null : formatReader(scheme, scheme.format);
  const over = describe(scheme.signed);

  return received => {
    const parts = readFormat === null ? readSignatures(scheme, received) : readFormat(received);
    if (!parts.ok) return parts.mismatch;
    const { signatures } = parts.value;
    let { timestamp } = parts.value;
    let where = scheme.header;
    if (timestamp === null && scheme.timestampHeader !== undefined) {
      where = scheme.timestampHeader;
      const given = singleHeader(received.headers, where);
      if (!given.ok) return given.mismatch;
      timestamp = given.value;
    }
    if (timestamp !== null) {
      const mismatch = timestampMismatch(timestamp, where, received.now, scheme.toleranceS);
      if (mismatch !== null) return mismatch;
    }
    const decoded: Uint8Array[] = [];
    for (const signature of signatures) {
      const bytes = decodeSignature(signature, scheme.algorithm, scheme.encoding);
      if (bytes !== null) decoded.push(bytes);
    }
    if (decoded.length === 0) return malformed(scheme);
    const signed = pieces.map(piece =>
      'text' in piece ? piece.text : take(piece.take, received, timestamp ?? ''),
    );
    return isHmacOf(secrets, scheme.algorithm, decoded, signed)
      ? null
      : { part: 'signature_differs', where: scheme.header, over };
  };
}

interface SignatureParts {
  readonly signatures: readonly string[];
  /** Null where it stands in a header of its own, or nowhere. */
  readonly timestamp: string | null;
}

/** The header holds nothing but signatures. */
function readSignatures(scheme: HmacScheme, { headers }: Received): Extracted<SignatureParts> {
  const { header, prefix = '' } = scheme;
  const raw = scheme.isList ? listHeader(headers, header) : singleHeader(headers, header);
  if (!raw.ok) return raw;
  const given = scheme.isList ? raw.value.split(',') : [raw.value];
  const signatures = given
    .map(text => text.trim())
    .filter(text => text.startsWith(prefix))
    .map(text => text.slice(prefix.length));
  return signatures.length === 0 ? missed(malformed(scheme)) : found({ signatures, timestamp: null });
}

/** A list that came as several headers is the same list. */
function listHeader(headers: Headers, header: string): Extracted<string> {
  const value = headers.get(header);
  return value ? found(value) : missed({ part: 'header_missing', header });
}

/**
 * Reads `t=…,v1=…` by the names in its format, in any order, with other versions of the signature beside it. A sender
 * adds signatures while it rotates its secret, unless its scheme has one only; any other name stands there once, since a
 * header that came twice looks like one with more parts. Where the format has one of its parts without a name, the
 * header is read as a whole.
 */
function formatReader(
  { header, isList = false, hasOneSignature = false }: HmacScheme,
  format: string,
): (received: Received) => Extracted<SignatureParts> {
  const separator = format.includes(';') ? ';' : ',';
  const mayRepeat = isList || separator !== ',';
  const expected = format.replace(/[{}]/g, '');
  const named = format.split(separator).map(part => /^\s*([\w-]+)=\{(timestamp|signature)\}\s*$/.exec(part));
  const nameOf = (what: string) => named.find(match => match?.[2] === what)?.[1];
  const timestampName = nameOf('timestamp');
  const signatureName = nameOf('signature');
  if (signatureName === undefined || named.includes(null)) return wholeReader(header, format);
  return ({ headers }) => {
    const value = headers.get(header);
    if (!value) return missed({ part: 'header_missing', header });
    if (separator !== ',' && value.includes(',')) return missed({ part: 'header_repeated', header });
    const signatures: string[] = [];
    let timestamp: string | null = null;
    const names = new Set<string>();
    for (const item of value.split(separator)) {
      const equals = item.indexOf('=');
      const name = item.slice(0, equals).trim();
      const text = item.slice(equals + 1).trim();
      if (!mayRepeat) {
        if (equals < 0) return missed({ part: 'header_malformed', header, expected });
        if (names.has(name) && (hasOneSignature || name !== signatureName))
          return missed({ part: 'header_repeated', header });
        names.add(name);
      }
      if (name === signatureName) signatures.push(text);
      else if (name === timestampName) {
        // Two timestamps are two headers: where they differ, nobody can say which of them was signed.
        if (timestamp !== null && (!isList || timestamp !== text))
          return missed({ part: 'header_repeated', header });
        timestamp = text;
      }
    }
    if (signatures.length === 0 || (timestampName !== undefined && timestamp === null))
      return missed({ part: 'header_malformed', header, expected });
    return found({ signatures, timestamp });
  };
}

/** Where the parts of a format may be told apart in several ways, longer ones take too long to be read. */
const MOST_CHARACTERS = 1_024;

function wholeReader(header: string, format: string): (received: Received) => Extracted<SignatureParts> {
  const pattern = new RegExp(
    `^${format
      .split(/(\{timestamp\}|\{signature\})/)
      .map(part => {
        if (part === '{timestamp}') return '(?<timestamp>\\d+)';
        return part === '{signature}' ? '(?<signature>[\\w+/=-]+)' : part.replace(/[^\w\s]/g, '\\$&');
      })
      .join('')}$`,
  );
  return ({ headers }) => {
    const value = headers.get(header);
    if (!value) return missed({ part: 'header_missing', header });
    const groups = value.length > MOST_CHARACTERS ? undefined : pattern.exec(value)?.groups;
    if (groups?.signature === undefined)
      return missed({ part: 'header_malformed', header, expected: format.replace(/[{}]/g, '') });
    return found({ signatures: [groups.signature], timestamp: groups.timestamp ?? null });
  };
}

function piecesOf(signed: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of signed.matchAll(PLACEHOLDER)) {
    if (match.index > at) pieces.push({ text: signed.slice(at, match.index) });
    pieces.push({ take: match[1] as Placeholder });
    at = match.index + match[0].length;
  }
  if (at < signed.length) pieces.push({ text: signed.slice(at) });
  return pieces;
}

function take(what: Placeholder, received: Received, timestamp: string): string | Uint8Array {
  switch (what) {
    case 'body':
      return received.bytes;
    case 'timestamp':
      return timestamp;
    case 'url':
      return received.url();
    case 'method':
      return received.method;
  }
}

const words: Readonly<Record<Placeholder, string>> = {
  body: 'this body',
  timestamp: 'its timestamp',
  url: 'the URL',
  method: 'the method',
};

/** What was signed, in words: which of them differs nobody can tell from a digest. */
function describe(signed: string): string {
  const parts = Array.from(signed.matchAll(PLACEHOLDER), ([, what]) => words[what as Placeholder]);
  return [parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ');
}

const malformed = ({ header, algorithm, encoding, prefix = '', format }: HmacScheme): Mismatch => ({
  part: 'header_malformed',
  header,
  expected: format?.replace(/[{}]/g, '') ?? `${prefix}<HMAC-${algorithm.toUpperCase()} in ${encoding}>`,
});
