import parsePhoneNumber, {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  Metadata,
} from 'libphonenumber-js/max';
import type { Budget } from '../../../core/expressions/cel/budget.ts';
import { type Detector, isDigitAt, isWordAt, type Span, withoutSeparators } from './detector.ts';

/**
 * Telephone numbers: in international form always, in national form where a region says whose. The library reads
 * a number; where one may begin and end is found here, since the library's own search takes long over long runs
 * of digits.
 */
export const isRegion = (text: string): text is CountryCode =>
  getCountries().some(country => country === text);

/** Digits with up to three separators between, as people write numbers; at most 17, more is something else. */
const CANDIDATE = /\(?\d(?:[\s().\-–/·]{0,3}\d){5,16}/y;
const MAY_BEGIN = /[+＋]|(?<![\d])0{2}[1-9]/g;
const MAY_BEGIN_NATIONAL = /[+＋]|\(?\d/g;

/** Each costs some ten microseconds. Where there are more, all that could be a number is taken for one. */
const MOST_READINGS = 3_000;
const STEPS_A_READING = 512;
const STEPS_A_BEGINNING = 32;
const STEPS_AN_END = 32;

export function createPhoneDetector(region: CountryCode | null): Detector {
  const plans = readPlans();
  return {
    // Two zeros stand for a plus, and then there are more digits.
    mayFind: ({ digits, pluses }) => digits >= (pluses > 0 || region !== null ? FEWEST_DIGITS : 10),
    find: (text, budget) => search(text, { region, plans, budget }),
    normalise: found => withoutSeparators(found).replace(/^＋/, '+'),
  };
}

/** How many digits may follow each country's code. Knowing that, most candidates need not be read at all. */
type Plans = ReadonlyMap<string, ReadonlySet<number>>;

function readPlans(): Plans {
  const metadata = new Metadata();
  const plans = new Map<string, Set<number>>();
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country);
    metadata.selectNumberingPlan(country);
    const lengths = metadata.numberingPlan?.possibleLengths() ?? [];
    plans.set(code, new Set([...(plans.get(code) ?? []), ...lengths]));
  }
  return plans;
}

function search(text: string, where: Omit<Reader, 'mayRead'>): readonly Span[] {
  const beginnings = where.region === null ? MAY_BEGIN : MAY_BEGIN_NATIONAL;
  beginnings.lastIndex = 0;
  const spans: Span[] = [];
  let readings = 0;
  const reader: Reader = {
    ...where,
    mayRead() {
      where.budget.spend(STEPS_A_READING);
      return readings++ < MOST_READINGS;
    },
  };
  for (let begin = beginnings.exec(text); begin !== null; begin = beginnings.exec(text)) {
    where.budget.spend(STEPS_A_BEGINNING);
    const found = readAt(text, begin.index, reader);
    if (found.end !== null) spans.push({ start: begin.index, end: found.end });
    beginnings.lastIndex = found.next;
  }
  return spans;
}

interface Reader {
  readonly region: CountryCode | null;
  readonly plans: Plans;
  readonly budget: Budget;
  mayRead(): boolean;
}

/** `next` is where to look on. */
interface Reading {
  readonly end: number | null;
  readonly next: number;
}

function readAt(text: string, start: number, reader: Reader): Reading {
  const isPlus = /[+＋]/.test(text.charAt(start));
  CANDIDATE.lastIndex = isPlus ? start + 1 + (text.charAt(start + 1) === ' ' ? 1 : 0) : start;
  const candidate = CANDIDATE.exec(text);
  const nothing: Reading = { end: null, next: endOfDigits(text, start + 1) };
  if (candidate === null || isWordAt(text, start - 1)) return nothing;
  const isAbroad = isPlus || text.startsWith('00', start);
  if (!isAbroad && isInsideOfMore(text, start)) return nothing;
  for (const end of endsOf(text, start, candidate.index + candidate[0].length)) {
    reader.budget.spend(STEPS_AN_END);
    if (isWordAt(text, end) && !/[xX]/.test(text.charAt(end))) continue;
    if (!isAbroad && isFollowedByMore(text, end)) continue;
    const written = text.slice(start, end);
    if (isAbroad ? isInternational(written, reader) : isNational(written, reader)) return { end, next: end };
  }
  return nothing;
}

/** The whole of it, then without its last group of digits, and so on while there are enough digits left. */
function endsOf(text: string, start: number, end: number): number[] {
  const ends: number[] = [];
  for (let at = end; at - start >= 7; ) {
    ends.push(at);
    while (at > start && isDigitAt(text, at - 1)) at--;
    while (at > start && !isDigitAt(text, at - 1)) at--;
  }
  return ends;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (isDigitAt(text, end)) end++;
  return end;
}

/** With a plus any number that is possible; with two zeros, which many other things begin with, a valid one. */
function isInternational(written: string, reader: Reader): boolean {
  const digits = written.replace(/\D/g, '');
  if (!written.startsWith('00')) return isPossible(digits, reader.plans);
  return (
    isPossible(digits.slice(2), reader.plans) &&
    (!reader.mayRead() || (parsePhoneNumber(`+${digits.slice(2)}`)?.isValid() ?? false))
  );
}

/** Some write the zero that is dialled at home, as in +49 (0)30. */
function isPossible(digits: string, plans: Plans): boolean {
  for (let length = 1; length <= 3; length++) {
    const lengths = plans.get(digits.slice(0, length));
    if (lengths === undefined) continue;
    const rest = digits.length - length;
    return rest >= FEWEST_DIGITS && (lengths.has(rest) || (digits[length] === '0' && lengths.has(rest - 1)));
  }
  return false;
}

/** Shorter ones exist, and look like anything. */
const FEWEST_DIGITS = 6;

/** Only as the country itself would write it: where numbers have a leading zero there, one without is none. */
function isNational(written: string, { region, plans, mayRead }: Reader): boolean {
  if (region === null || DATE.test(written)) return false;
  const digits = written.replace(/\D/g, '');
  const code = getCountryCallingCode(region);
  const lengths = plans.get(code);
  if (!lengths?.has(digits.length) && !lengths?.has(digits.length - 1)) return false;
  if (!mayRead()) return true;
  const number = parsePhoneNumber(written, region);
  // Some countries share a code, and some of their numbers belong to any of them.
  if (number?.countryCallingCode !== code || !number.isValid()) return false;
  const national = number.formatNational().replace(/\D/g, '');
  return digits === national || digits === `1${national}`;
}

const DATE = /^(?:\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ]\d{4})(?!\d)/;

/** An amount, a fraction, a part of some longer number, or what is called a number of another sort. */
const MORE_BEFORE = /(?:[.,:#$€£¥/+-]|\d[\s.,:/-])$/;
const OTHER_NUMBER =
  /\b(?:order|invoice|ticket|ref(?:erence)?|case|sku|id|item|account|acct|tracking|customer|article|serial|version)s?\.?\s*(?:no\.?|nr\.?|num(?:ber)?|id|code)?\s*[:#=]?\s*$/i;

function isInsideOfMore(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 32), start);
  if (/(?:tel|phone|mobile|fax|cell|call)\.?\s*[:#]?\s*$/i.test(before)) return false;
  return MORE_BEFORE.test(before) || OTHER_NUMBER.test(before);
}

const isFollowedByMore = (text: string, end: number): boolean =>
  /^(?:[.,:/-]\w|\s?[%€$£]|[-–/]\d)/.test(text.slice(end, end + 3));
