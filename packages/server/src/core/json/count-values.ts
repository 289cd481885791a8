import { Problem } from '../errors.ts';

/** Many times what the largest pipeline or a sample event holds; so many are read within hundredths of a second. */
const MOST_VALUES = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * Refuses JSON of so many values that reading it would keep everybody else waiting. The bytes are looked at once, and
 * nothing is built.
 */
export function requireFewValues(bytes: Uint8Array, most = MOST_VALUES): void {
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === COMMA || byte === COLON || byte === OPENING_BRACKET || byte === OPENING_BRACE) values++;
    if (values > most)
      throw new Problem('payload_too_large', {
        message: `The body may hold at most ${most} keys and values.`,
      });
  }
}

/** Where the text ends that begins here; the end of the bytes where it does not. */
function endOfText(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return bytes.length;
}
