import { seconds } from '../../core/clock.ts';
import type { Mismatch } from './mismatch.ts';

/**
 * What a signature needs of a body that holds it: few texts, by name. A preset takes them from the bytes alone, so that
 * the thread for large bodies can do it: whoever knows an address may send anything there.
 */
export type Proof = Readonly<Record<string, string>>;

/** A request as it is verified: its headers and the bytes of its body as received, before anything is decompressed. */
export interface Received {
  readonly method: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The address that the provider signed; computed for those alone who ask. */
  url(): string;
  /** What the preset's `proofIn` takes of the body; a large one is read on a thread of its own. */
  proof(): Extracted<Proof> | Promise<Extracted<Proof>>;
  readonly now: number;
}

/** What of a request is known before its body is read. */
export type Unread = Pick<Received, 'headers' | 'url'>;

/** A value, or what is wrong with where it should be. */
export type Extracted<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly mismatch: Mismatch };

export const found = <T>(value: T): Extracted<T> => ({ ok: true, value });
export const missed = (mismatch: Mismatch): Extracted<never> => ({ ok: false, mismatch });

/** A header that may come once. Sent twice it arrives as a list, and nothing that is read here has a comma inside. */
export function singleHeader(headers: Headers, header: string): Extracted<string> {
  const value = headers.get(header);
  if (value === null || value === '') return missed({ part: 'header_missing', header });
  return value.includes(',') ? missed({ part: 'header_repeated', header }) : found(value);
}

/** How old a signed timestamp may be, and how far ahead. */
const TOLERANCE_S = 300;

/** Beyond this a number counts milliseconds: as seconds it would lie in the year 5138. */
const LARGEST_SECONDS = 100_000_000_000;

/** Checks a Unix time in seconds or milliseconds against the clock. */
export function timestampMismatch(
  text: string,
  where: string,
  now: number,
  toleranceS: number = TOLERANCE_S,
): Mismatch | null {
  if (!/^\d{1,15}$/.test(text)) return { part: 'timestamp_malformed', where };
  const given = Number(text);
  const age = now - (given > LARGEST_SECONDS ? given : seconds(given));
  if (Math.abs(age) <= seconds(toleranceS)) return null;
  const off = Math.floor(Math.abs(age) / 1_000);
  return { part: age > 0 ? 'timestamp_old' : 'timestamp_ahead', where, seconds: off };
}
