/** Finds one sort of personal data in a text. Takes time linear in the text, whatever is in it. */
export interface Detector {
  /** In no order, but without overlaps. */
  find(text: string): readonly Span[];
  /** The same for all spellings of the same thing, so that a hash of it is the same too. */
  normalise(found: string): string;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export const NOTHING: readonly Span[] = [];

export const withoutSeparators = (found: string): string => found.replace(/[\s().\-–—/·]/g, '').toUpperCase();

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
