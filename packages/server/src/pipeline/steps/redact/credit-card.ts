import type { Budget } from '../../../core/expressions/cel/budget.ts';
import { isCardNumber } from './card-networks.ts';
import { type Detector, eachMatch, isDigitAt, isWordAt, type Span, withoutSeparators } from './detector.ts';

/** Digits in groups, with a blank, hyphen or dot between; groups that could make up a card are looked at closely. */
const RUN = /(?=\d(?:(?: - |[ .-])?\d){12})\d+(?:(?: - |[ .-])\d+)*/g;
const GROUP = /\d+/g;

/** As cards are printed; one that is written without blanks is a group of its own. */
const GROUPINGS = [
  ...['4,4,4,4', '4,4,4,4,3', '4,4,4,4,2', '4,4,4,4,1', '4,4,4,6', '4,4,4,1', '4,4,4,2', '4,4,4,3'],
  ...['4,6,5', '4,5,6', '4,6,4', '4,3,3,3', '6,13', '6,10', '8,8'],
];

/** Numbers of credit cards: of a known network, and with the right check digit. */
export const creditCardDetector: Detector = {
  mayFind: ({ digits }) => digits >= 13,
  find(text, budget) {
    const spans: Span[] = [];
    eachMatch(text, RUN, budget, (run, index) => {
      if (!isPartOfMore(text, index, index + run.length)) findInRun(run, index, budget, spans);
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
    groups.push({ digits, start: index, end: index + digits.length }),
  );
  for (let first = 0; first < groups.length; ) {
    const last = mayBegin(groups[first]) ? lastGroupOfCard(run, groups, first, budget) : null;
    if (last === null) first++;
    else {
      spans.push({ start: offset + (groups[first]?.start ?? 0), end: offset + (groups[last]?.end ?? 0) });
      first = last + 1;
    }
  }
}

/** As the groupings do; whatever is a card by itself has more than twelve digits. */
const mayBegin = (group: Group | undefined): boolean =>
  group !== undefined &&
  (group.digits.length > 12 ||
    group.digits.length === 4 ||
    group.digits.length === 6 ||
    group.digits.length === 8);

const STEPS_A_LOOK = 64;

/** Where the longest card that begins with this group ends. */
function lastGroupOfCard(
  run: string,
  groups: readonly Group[],
  first: number,
  budget: Budget,
): number | null {
  budget.spend(STEPS_A_LOOK);
  if (run.charAt((groups[first]?.start ?? 0) - 1) === '.') return null;
  for (let count = Math.min(MOST_GROUPS, groups.length - first); count > 0; count--) {
    if (run.charAt(groups[first + count - 1]?.end ?? 0) === '.') continue;
    const parts = groups.slice(first, first + count).map(({ digits }) => digits);
    const isPrinted = count === 1 || GROUPINGS.includes(parts.map(({ length }) => length).join(','));
    if (isPrinted && isCardNumber(parts.join(''))) return first + count - 1;
  }
  return null;
}
