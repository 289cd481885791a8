/**
 * A text that mostly repeats another which is stored anyway, kept as what it takes from there and what is its own. Both
 * are JSON, which never holds the character that stands before each piece that is taken.
 */
const TAKEN = '\u0001';
/** So many characters are looked for at once; a piece that is shorter would hardly be worth the numbers. */
const STEP = 16;
/** And so many are compared at once. */
const LEAP = 64;
/** What is longer is only compared as a whole. */
const LONGEST = 32 * 1024;
/** After so many that are not found, or are, what is left is kept as it is: looking for more would take longer than it saves. */
const MOST_MISSED = 32;
const MOST_TAKEN = 64;

/** Pieces are `start,length;` in base 36. */
export function abridge(text: string, other: string): string {
  if (text === other) return `${TAKEN}0,${text.length.toString(36)};`;
  if (text.length > LONGEST || other.length > LONGEST) return text;
  let kept = '';
  /** Up to where the text is kept. */
  let from = 0;
  let missed = 0;
  let taken = 0;
  for (let at = 0; at + STEP <= text.length && missed < MOST_MISSED && taken < MOST_TAKEN; ) {
    const found = other.indexOf(text.slice(at, at + STEP));
    if (found < 0) {
      missed++;
      at += STEP;
      continue;
    }
    let [start, end] = [at, at + STEP];
    const shift = found - at;
    while (start > from && start + shift > 0 && sameAt(text, start - 1, other, shift)) start--;
    while (end + LEAP <= text.length && isSame(text, end, other, shift)) end += LEAP;
    while (end < text.length && end + shift < other.length && sameAt(text, end, other, shift)) end++;
    // Half of a character cannot be stored, neither by itself nor at the end of a piece.
    if (isSecondHalf(text, start)) start++;
    if (isSecondHalf(text, end)) end--;
    taken++;
    kept += `${text.slice(from, start)}${TAKEN}${(start + shift).toString(36)},${(end - start).toString(36)};`;
    from = end;
    at = end;
  }
  return from === 0 ? text : kept + text.slice(from);
}

/** Whether a character that takes two units is cut there. */
const isSecondHalf = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;

const isSame = (text: string, at: number, other: string, shift: number): boolean =>
  text.slice(at, at + LEAP) === other.slice(at + shift, at + shift + LEAP);

const sameAt = (text: string, at: number, other: string, shift: number): boolean =>
  text.charCodeAt(at) === other.charCodeAt(at + shift);

export function unabridge(kept: string, other: string): string {
  const [first = '', ...pieces] = kept.split(TAKEN);
  return pieces.reduce((text, piece) => {
    const [comma, semicolon] = [piece.indexOf(','), piece.indexOf(';')];
    const start = Number.parseInt(piece.slice(0, comma), 36);
    const length = Number.parseInt(piece.slice(comma + 1, semicolon), 36);
    return text + other.slice(start, start + length) + piece.slice(semicolon + 1);
  }, first);
}
