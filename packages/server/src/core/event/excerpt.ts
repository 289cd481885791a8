/** A piece of a payload for a list: its beginning, or what stands around the text that somebody searches for. */
export interface Excerpt {
  readonly before: string;
  /** The text that was found as it stands there; empty where nothing was searched for. */
  readonly hit: string;
  readonly after: string;
}

/** More than a column shows on the widest screen. */
export const EXCERPT_LENGTH = 160;
/** Of that, so much stands before what was found. */
const LENGTH_BEFORE = 40;
const CUT = '…';

/**
 * How a text may stand in the JSON of a payload: as JSON writes it inside a string, and, where it has quotes, as it is:
 * it may as well be a piece of the JSON itself, such as `"id":77`.
 */
export function jsonSpellingsOf(text: string): [string, ...string[]] {
  const inString = JSON.stringify(text).slice(1, -1);
  return text.includes('"') && !text.includes('\0') ? [inString, text] : [inString];
}

/** Around the first place where the text stands, whatever its case; the beginning, where there is none. */
export function excerptOf(payload: string, text?: string): Excerpt {
  for (const spelling of text === undefined ? [] : jsonSpellingsOf(text)) {
    const found = new RegExp(RegExp.escape(spelling), 'iu').exec(payload);
    if (found !== null) return around(payload, found.index, found[0]);
  }
  return { before: beginningOf(payload, EXCERPT_LENGTH), hit: '', after: '' };
}

function around(payload: string, at: number, found: string): Excerpt {
  const from = at <= LENGTH_BEFORE + CUT.length ? 0 : at - LENGTH_BEFORE;
  const hit = beginningOf(found, EXCERPT_LENGTH);
  return {
    // A cut may go through a character of two halves.
    before: `${from === 0 ? '' : CUT}${payload.slice(from, at)}`.toWellFormed(),
    hit,
    after: beginningOf(payload.slice(at + found.length), EXCERPT_LENGTH - hit.length),
  };
}

const beginningOf = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, most))}${CUT}`.toWellFormed();
