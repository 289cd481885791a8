/**
 * Folding: before any detector looks, what is typed, printed and pasted in many forms becomes the one of ASCII. Blanks
 * and hyphens of every sort, full-width characters, digits of other scripts; two blanks become one, and characters that
 * nobody sees are left out. Where what was found stands in the text itself is known exactly.
 */
export interface FoldedText {
  readonly text: string;
  /** The same place in the text as it came; for the end of a match, the place after its last character. */
  startOf(start: number): number;
  endOf(end: number): number;
}

const BLANK = 0x20;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const ZERO = 0x30;
/** Left out. */
const INVISIBLE = -1;

/** Ranges of characters, and what each becomes: the same for all of a range, or counted on from the first. */
const RANGES: readonly (readonly [first: number, last: number, to: number, counts?: 'on'])[] = [
  [0xa0, 0xa0, BLANK],
  [0xad, 0xad, INVISIBLE],
  [0xb7, 0xb7, DOT],
  [0x2000, 0x200a, BLANK],
  [0x200b, 0x200f, INVISIBLE],
  [0x2010, 0x2015, HYPHEN],
  [0x2024, 0x2024, DOT],
  [0x202a, 0x202e, INVISIBLE],
  [0x202f, 0x202f, BLANK],
  [0x2044, 0x2044, SLASH],
  [0x205f, 0x205f, BLANK],
  [0x2060, 0x2069, INVISIBLE],
  [0x2212, 0x2212, HYPHEN],
  [0x3000, 0x3000, BLANK],
  [0x30fc, 0x30fc, HYPHEN],
  [0xfe58, 0xfe58, HYPHEN],
  [0xfe63, 0xfe63, HYPHEN],
  [0xfeff, 0xfeff, INVISIBLE],
  [0xff01, 0xff5e, 0x21, 'on'],
];

/** The zeros of every script whose characters take one unit, from Arabic to Meetei Mayek; nine digits follow each. */
// biome-ignore format: as a table
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
  0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
];

/** All that become a digit, or an at sign, as ranges of a pattern. */
export const FOLDED_DIGITS = ZEROS.map(
  zero => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`,
)
  .concat('\uff10-\uff20')
  .join('');

/** All before it stay what they are, but for the second of two blanks. */
export const FIRST_FOLDED = 0xa0;

/** By character: texts in other languages than English are full of those that might be folded. */
const table = Int32Array.from({ length: 0x1_0000 }, (_, code) => code);
for (const zero of ZEROS) for (let digit = 0; digit < 10; digit++) table[zero + digit] = ZERO + digit;
for (const [first, last, to, counts] of RANGES)
  for (let code = first; code <= last; code++) table[code] = counts === 'on' ? to + code - first : to;

/** What a character becomes; itself, where it is not folded. */
export const foldCharacter = (code: number): number => table[code] ?? code;

/** More than two are columns of a table, and what stands in them does not belong together. */
const isSecondBlank = (text: string, index: number): boolean =>
  isBlank(text, index - 1) && !isBlank(text, index - 2) && !isBlank(text, index + 1);

const isBlank = (text: string, index: number): boolean => foldCharacter(text.charCodeAt(index)) === BLANK;

const itself = (place: number): number => place;

export const unfolded = (text: string): FoldedText => ({ text, startOf: itself, endOf: itself });

export function fold(text: string): FoldedText {
  const places = new Uint32Array(text.length);
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const folded = code < FIRST_FOLDED ? code : foldCharacter(code);
    if (folded === INVISIBLE || (folded === BLANK && isSecondBlank(text, i))) continue;
    codes[length] = folded;
    places[length++] = i;
  }
  return {
    text: new TextDecoder('utf-16le').decode(codes.subarray(0, length)),
    startOf: start => places[start] ?? text.length,
    endOf: end => (end === 0 ? 0 : (places[end - 1] ?? text.length - 1) + 1),
  };
}
