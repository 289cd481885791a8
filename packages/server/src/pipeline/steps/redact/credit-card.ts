import type { Budget } from '../../../core/expressions/cel/budget.ts';
import { type Detector, eachMatch, isDigitAt, isWordAt, type Span, withoutSeparators } from './detector.ts';

/** Digits in groups, with one blank or hyphen between; groups that could make up a card are looked at closely. */
const RUN = /\d+(?:[ -]\d+)*/g;
const GROUP = /\d+/g;

/** As cards are printed; one that is written without blanks is a group of its own. */
const GROUPINGS = ['4,4,4,4', '4,4,4,4,3', '4,6,5', '4,6,4', '4,4,4,1'];

/** First digits and lengths of the networks: random digits pass the Luhn check once in ten. */
const NETWORKS: readonly { readonly prefix: RegExp; readonly lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 19] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:30[0-5]|3095|36|38|39)/, lengths: [14, 16] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:62|81)/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:50|5[6-8]|6304|6390|67)/, lengths: [16, 18, 19] },
];

/** Numbers of credit cards: of a known network, and with the right check digit. */
export const creditCardDetector: Detector = {
  mayFind: ({ digits }) => digits >= 13,
  find(text, budget) {
    const spans: Span[] = [];
    eachMatch(text, RUN, budget, (run, index) => {
      if (run.length < 13 || isPartOfMore(text, index, index + run.length)) return;
      findInRun(run, index, budget, spans);
    });
    return spans;
  },
  normalise: withoutSeparators,
};

/** A word, a fraction, or a telephone number in international form. */
const isPartOfMore = (text: string, start: number, end: number): boolean =>
  isWordAt(text, start - 1) ||
  isWordAt(text, end) ||
  /[+.]/.test(text.charAt(start - 1)) ||
  (text.charAt(end) === '.' && isDigitAt(text, end + 1));

interface Group extends Span {
  readonly digits: string;
}

const MOST_GROUPS = 5;

function findInRun(run: string, offset: number, budget: Budget, spans: Span[]): void {
  const groups: Group[] = [];
  eachMatch(run, GROUP, budget, (digits, index) =>
    groups.push({ digits, start: offset + index, end: offset + index + digits.length }),
  );
  for (let first = 0; first < groups.length; ) {
    const last = mayBegin(groups[first]) ? lastGroupOfCard(groups, first, budget) : null;
    if (last === null) first++;
    else {
      spans.push({ start: groups[first]?.start ?? 0, end: groups[last]?.end ?? 0 });
      first = last + 1;
    }
  }
}

/** All groupings begin with four digits, and whatever is a card by itself has more than twelve. */
const mayBegin = (group: Group | undefined): boolean =>
  group !== undefined && (group.digits.length === 4 || group.digits.length > 12);

const STEPS_A_LOOK = 64;

/** Where the longest card that begins with this group ends. */
function lastGroupOfCard(groups: readonly Group[], first: number, budget: Budget): number | null {
  budget.spend(STEPS_A_LOOK);
  for (let count = Math.min(MOST_GROUPS, groups.length - first); count > 0; count--) {
    const parts = groups.slice(first, first + count).map(({ digits }) => digits);
    const isPrinted = count === 1 || GROUPINGS.includes(parts.map(({ length }) => length).join(','));
    if (isPrinted && isCard(parts.join(''))) return first + count - 1;
  }
  return null;
}

function isCard(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19) return false;
  return (
    passesLuhn(digits) &&
    NETWORKS.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits))
  );
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
