/**
 * The largest element of the top-level `events` array, by its own text. Only for bodies larger than one event
 * may be: every other body is within the limit as a whole. Runs on bytes, before anything is parsed, and stops at
 * nesting that no body may have, so that a hostile body costs one pass.
 */
interface SizeProblem {
  readonly kind: 'too_large' | 'too_deep';
  readonly index: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

const opens = (byte: number) => byte === 0x7b || byte === 0x5b;
const closes = (byte: number) => byte === 0x7d || byte === 0x5d;
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Depth 1 is the body, 2 its arrays, 3 an event, 4 its payload. */
const ELEMENT_DEPTH = 2;

export function findSizeProblem(
  bytes: Uint8Array,
  limits: { eventBytes: number; nesting: number },
): SizeProblem | null {
  let depth = 0;
  let index = 0;
  let start = -1;
  let end = -1;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (depth === ELEMENT_DEPTH && (byte === COMMA || closes(byte))) {
      if (start >= 0 && end - start + 1 > limits.eventBytes) return { kind: 'too_large', index };
      index = byte === COMMA ? index + 1 : 0;
      start = -1;
    } else if (depth >= ELEMENT_DEPTH && !isBlank(byte)) {
      if (start < 0) start = i;
      end = i;
    }
    if (byte === QUOTE) {
      i = endOfString(bytes, i);
      end = i;
    } else if (opens(byte)) {
      depth++;
      if (depth > limits.nesting + ELEMENT_DEPTH + 1) return { kind: 'too_deep', index };
    } else if (closes(byte)) {
      depth--;
    }
  }
  return null;
}

function endOfString(bytes: Uint8Array, quote: number): number {
  let i = quote + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}
