import { type Detector, eachMatch, type Span, withoutSeparators } from './detector.ts';

/** Three, two and four digits. */
const NUMBER = /(?<![\w-])(?<!\d\.)\d{3}(?: - |[-. ])?\d{2}(?: - |[-. ])?\d{4}(?!\w|[-.]\w)/g;
/** Without separators, or with one of two, it could be anything, unless a word says what it is. */
const IS_SEPARATED = /^\d{3}( - |[-. ])\d{2}\1\d{4}$/;
const IS_NAMED =
  /\b(?:ssn|ss#|social security|itin|tin|tax(?:payer)? id)\W{0,3}(?:(?:no|nr|num(?:ber)?)\b\W{0,3})?(?:is )?["']?$/i;
const REACH = 32;
/** `ssn`, `customer_ssn`, `taxId`, `socialSecurityNumbers`; but not what was put in place of a number in a name. */
const NAMES_IT =
  /(?:^|[^A-Za-z]|[a-z](?=[A-Z]))(?:(?<!\[us_)[Ss]sn|SSN|[Ii]tin|ITIN|[Tt]in|TIN)s?(?![a-z])|[Ss]ocial.?[Ss]ecurity|[Tt]ax(?:payer)?.?(?:[Ii]d|ID)(?![a-z])/;

/** None of the groups that are never given out. */
const SSN = /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/;
/** Of taxpayers who have none: they begin with a nine, and the group in the middle tells them from other numbers. */
const ITIN = /^9\d{2}(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/;

/** Social security numbers of the United States, and the taxpayer numbers that stand in for them. */
export const usSsnDetector: Detector = {
  mayFind: ({ digits }) => digits >= 9,
  find(text, budget, name) {
    const spans: Span[] = [];
    const isItsField = NAMES_IT.test(name);
    const isNamed = (index: number) =>
      isItsField || IS_NAMED.test(text.slice(Math.max(0, index - REACH), index));
    eachMatch(text, NUMBER, budget, (found, index) => {
      const digits = withoutSeparators(found);
      if (!SSN.test(digits) && !ITIN.test(digits)) return;
      if (IS_SEPARATED.test(found) || isNamed(index)) spans.push({ start: index, end: index + found.length });
    });
    return spans;
  },
  normalise: withoutSeparators,
};
