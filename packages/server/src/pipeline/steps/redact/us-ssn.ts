import { type Detector, eachMatch, type Span, withoutSeparators } from './detector.ts';

/** Three, two and four digits, none of the groups that are never given out; nine bare digits could be anything. */
const SSN = /(?<![\w-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w]|-\w)/g;

/** Social security numbers of the United States. */
export const usSsnDetector: Detector = {
  mayFind: ({ digits }) => digits >= 9,
  find(text, budget) {
    const spans: Span[] = [];
    eachMatch(text, SSN, budget, (found, index) => spans.push({ start: index, end: index + found.length }));
    return spans;
  },
  normalise: withoutSeparators,
};
