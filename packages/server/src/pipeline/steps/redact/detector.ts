import type { Budget } from '../../../core/expressions/cel/budget.ts';
import { FIRST_FOLDED, foldCharacter } from './fold.ts';

/** Finds one sort of personal data in a text. Takes time linear in the text, whatever is in it. */
export interface Detector {
  /** False where nothing can be in a text that has so many of these characters: most texts are ruled out by that. */
  mayFind(counts: CharacterCounts): boolean;
  /** In no order, but without overlaps. The text is what a field of this name holds; empty: of none. */
  find(text: string, budget: Budget, name: string): readonly Span[];
  /** The same for all spellings of the same thing, so that a hash of it is the same too. */
  normalise(found: string): string;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Of a text as it will be once it is folded; what stands for an at sign in a URL counts as one. */
interface CharacterCounts {
  readonly digits: number;
  readonly ats: number;
  readonly dots: number;
  readonly colons: number;
  readonly pluses: number;
  /** Characters that folding changes. */
  readonly folded: number;
}

/** One look at each character, for all detectors. Counted in variables: fields of an object take twice as long. */
export function countCharacters(text: string): CharacterCounts {
  let digits = 0;
  let ats = 0;
  let dots = 0;
  let colons = 0;
  let pluses = 0;
  let folded = 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code > 64) {
      if (code < FIRST_FOLDED) continue;
      const to = foldCharacter(code);
      if (to === code) continue;
      folded++;
      code = to;
    }
    if (code >= 48 && code <= 57) digits++;
    else if (code === 46) dots++;
    else if (code === 64) ats++;
    else if (code === 58) colons++;
    else if (code === 43) pluses++;
    else if (code === 37 && text.startsWith('40', i + 1)) ats++;
    else if (code === 32 && text.charCodeAt(i + 1) === 32) folded++;
  }
  return { digits, ats, dots, colons, pluses, folded };
}

/** What it costs to find a match and to look at what stands around it. */
const STEPS_A_MATCH = 16;

/** Not `matchAll`, which makes an iterator and copies the pattern even where there is nothing to find. */
export function eachMatch(
  text: string,
  pattern: RegExp,
  budget: Budget,
  visit: (found: string, index: number) => void,
): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    budget.spend(STEPS_A_MATCH);
    visit(match[0], match.index);
  }
}

export const withoutSeparators = (found: string): string => found.replace(/[\s().\-/]/g, '').toUpperCase();

/** Whether the character before or after a match would make it part of a longer word or number. */
export const isWordAt = (text: string, index: number): boolean => {
  const code = text.charCodeAt(index);
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    (code >= 0xc0 && code <= 0x24f)
  );
};

export const isDigitAt = (text: string, index: number): boolean => {
  const code = text.charCodeAt(index);
  return code >= 48 && code <= 57;
};
