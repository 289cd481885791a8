import { type CountryCode, getCountries, getCountryCallingCode, Metadata } from 'libphonenumber-js/max';
import type { Budget } from '../../../core/expressions/cel/budget.ts';
import { type Detector, isDigitAt, isWordAt, type Span, withoutSeparators } from './detector.ts';
import { createNumberingPlan, groupsOf, type NumberingPlan } from './numbering-plan.ts';
import {
  type Context,
  contextBefore,
  isFollowedByMore,
  isInsideOfMore,
  standsAlone,
} from './phone-context.ts';

/**
 * Telephone numbers: in international form always, in national form where a region says whose. The numbering plans
 * say which digits are a number; where one may begin and end, and whether it is one, is found here.
 */
export const isRegion = (text: string): text is CountryCode =>
  getCountries().some(country => country === text);

/** Digits with a few separators between, but no columns, as people write numbers; more than 17 are something else. */
const CANDIDATE = /\(?\d(?:(?:[().\-/]| (?! )){0,4}\d){5,16}/y;
const MAY_BEGIN = /\+|(?<!\d)0{2}[1-9]/g;
const MAY_BEGIN_NATIONAL = /\+|\(?\d/g;

/** In steps: to look at a place where one may begin, at one where it may end, and to read what is in between. */
const STEPS_A_BEGINNING = 16;
const STEPS_AN_END = 16;
const STEPS_A_READING = 64;

export function createPhoneDetector(region: CountryCode | null): Detector {
  const reader: Reader = { region: region === null ? null : createRegion(region), abroad: createAbroad() };
  return {
    // Two zeros stand for a plus, and then there are more digits.
    mayFind: ({ digits, pluses }) => digits >= (pluses > 0 || region !== null ? FEWEST_DIGITS : 10),
    find: (text, budget) => search(text, reader, budget),
    normalise: withoutSeparators,
  };
}

interface Reader {
  readonly region: Region | null;
  readonly abroad: Abroad;
}

interface Region {
  readonly plan: NumberingPlan;
  /** Of digits as they are written, with all that may be dialled before a number. */
  readonly lengths: ReadonlySet<number>;
}

/** By the country's code. Knowing how many digits may follow, most candidates need not be read at all. */
interface Abroad {
  lengthsAfter(code: string): ReadonlySet<number> | undefined;
  isValid(code: string, number: string): boolean;
}

function lengthsOf(country: CountryCode): readonly number[] {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  return metadata.numberingPlan?.possibleLengths() ?? [];
}

function createRegion(region: CountryCode): Region {
  const code = getCountryCallingCode(region);
  const lengths = new Set<number>();
  for (const country of getCountries())
    if (getCountryCallingCode(country) === code)
      for (const length of lengthsOf(country))
        for (let more = 0; more <= Math.max(3, code.length); more++) lengths.add(length + more);
  return { plan: createNumberingPlan(region), lengths };
}

function createAbroad(): Abroad {
  const lengths = new Map<string, Set<number>>();
  const countries = new Map<string, CountryCode>();
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country);
    lengths.set(code, new Set([...(lengths.get(code) ?? []), ...lengthsOf(country)]));
    if (!countries.has(code)) countries.set(code, country);
  }
  const plans = new Map<string, NumberingPlan>();
  return {
    lengthsAfter: code => lengths.get(code),
    isValid(code, number) {
      const country = countries.get(code);
      if (country === undefined) return false;
      const plan = plans.get(code) ?? createNumberingPlan(country);
      plans.set(code, plan);
      return plan.isValid(number);
    },
  };
}

function search(text: string, reader: Reader, budget: Budget): readonly Span[] {
  const beginnings = reader.region === null ? MAY_BEGIN : MAY_BEGIN_NATIONAL;
  beginnings.lastIndex = 0;
  const spans: Span[] = [];
  let after = 0;
  for (let begin = beginnings.exec(text); begin !== null; begin = beginnings.exec(text)) {
    budget.spend(STEPS_A_BEGINNING);
    const start = begin.index;
    const end = endOfNumber(text, { start, after }, reader, budget);
    if (end !== null) {
      spans.push({ start, end });
      after = end;
    }
    beginnings.lastIndex = end ?? endOfDigits(text, start + 1);
  }
  return spans;
}

/** Where a number may begin, and where the one before it ended. */
interface Beginning {
  readonly start: number;
  readonly after: number;
}

function endOfNumber(text: string, beginning: Beginning, reader: Reader, budget: Budget): number | null {
  const { start } = beginning;
  const isPlus = text.charAt(start) === '+';
  if (isWordAt(text, start - 1) || (!isPlus && isContinued(text, beginning))) return null;
  CANDIDATE.lastIndex = isPlus ? start + 1 + (text.charAt(start + 1) === ' ' ? 1 : 0) : start;
  const candidate = CANDIDATE.exec(text);
  if (candidate === null || DATE.test(candidate[0])) return null;
  const isAbroad = isPlus || text.startsWith('00', start);
  for (const end of endsOf(text, start, candidate.index + candidate[0].length)) {
    budget.spend(STEPS_AN_END);
    if (isWordAt(text, end) && !/[xX]/.test(text.charAt(end))) continue;
    if (isAbroad && isInternational(text, beginning, end, reader.abroad, budget)) return end;
    if (!isPlus && isNational(text, beginning, end, reader.region, budget)) return end;
  }
  return null;
}

/** Whether digits stand before, with one character between: a part of some longer number. */
const isContinued = (text: string, { start, after }: Beginning): boolean =>
  start - 2 >= after && isDigitAt(text, start - 2) && ' .,:/)-'.includes(text.charAt(start - 1));

/** The whole of it, then without its last group of digits, and so on while there are enough digits left. */
function endsOf(text: string, start: number, end: number): number[] {
  const ends: number[] = [];
  for (let at = end; at - start >= FEWEST_DIGITS; ) {
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

/** Shorter ones exist, and look like anything, unless there is a country's code before them. */
const FEWEST_DIGITS = 6;
const FEWEST_AFTER_CODE = 4;

/** With a plus any number that is possible; where it is short, or begins with two zeros as much does, a valid one. */
function isInternational(
  text: string,
  beginning: Beginning,
  end: number,
  abroad: Abroad,
  budget: Budget,
): boolean {
  const { start } = beginning;
  const isPlus = text.charAt(start) === '+';
  const digits = text
    .slice(start, end)
    .replace(/\D/g, '')
    .slice(isPlus ? 0 : 2);
  for (let length = 1; length <= 3; length++) {
    const lengths = abroad.lengthsAfter(digits.slice(0, length));
    if (lengths === undefined) continue;
    const number = digits.slice(length);
    if (number.length < FEWEST_AFTER_CODE) return false;
    // Some write the zero that is dialled at home, as in +49 (0)30.
    const isShortened = !lengths.has(number.length) && number.startsWith('0');
    if (!lengths.has(isShortened ? number.length - 1 : number.length)) return false;
    if (isPlus && number.length >= FEWEST_DIGITS) return true;
    budget.spend(STEPS_A_READING);
    return (
      abroad.isValid(digits.slice(0, length), isShortened ? number.slice(1) : number) &&
      isOfItsOwn(text, beginning, end, contextBefore(text, start))
    );
  }
  return false;
}

function isNational(
  text: string,
  beginning: Beginning,
  end: number,
  region: Region | null,
  budget: Budget,
): boolean {
  if (region === null) return false;
  const { start } = beginning;
  const written = text.slice(start, end);
  const digits = written.replace(/\D/g, '');
  if (!region.lengths.has(digits.length)) return false;
  budget.spend(STEPS_A_READING);
  const found = region.plan.readNational(digits);
  // Numbers that are not given out, as those of films, are still called numbers.
  if ((found === null && !digits.startsWith('0')) || isSomethingElse(written)) return false;
  budget.spend(STEPS_A_READING);
  const context = contextBefore(text, start);
  if (!isOfItsOwn(text, beginning, end, context)) return false;
  if (context === 'phone') return true;
  if (found === null || found.form === 'bare') return false;
  const groups = groupsOf(written);
  if (found.form === 'full' && digits.startsWith('0'))
    return groups.length === 1 || isUsualGrouping(groups) || region.plan.isGroupedAs(found.number, groups);
  // Without a zero in front it could be anything.
  if (isDigitAt(text, end + 1) && text.charAt(end) === ' ' && !/[-.]/.test(written)) return false;
  if (groups.length === 1) return !TIMESTAMP.test(digits) && standsAlone(text, start, end);
  if (isAmount(written, text.slice(end, end + 2))) return false;
  return (
    region.plan.isGroupedAs(found.number, groups) ||
    (found.form === 'short'
      ? groups.length === 3 && groups.every(length => length > 2)
      : groups.at(-1) === found.number.length || region.plan.isGroupedAs(found.number, groups.slice(1)))
  );
}

/** Not a part of something longer, and not called something else. */
const isOfItsOwn = (text: string, { start, after }: Beginning, end: number, context: Context): boolean =>
  context !== 'other' &&
  !isFollowedByMore(text, end) &&
  (context === 'phone' || !isInsideOfMore(text, start, after));

/** Thousands, with what is counted after them, or as round as numbers are not. */
const isAmount = (written: string, after: string): boolean =>
  /^\d{1,3}(?:([ .])\d{3})(?:\1\d{3})*$/.test(written) &&
  (/(?:[ .]000){2}$/.test(written) || /^ \p{Ll}/u.test(after));

/** Seconds since 1970, for some years around now. */
const TIMESTAMP = /^1[5-7]\d{8}$/;

/** Dates, decimal numbers, postal codes and addresses of the internet are written with the same characters. */
const DATE =
  /^\(?(?:(?:19|20)\d{2}([-./ ]?)(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-./ ])(?:0?[1-9]|1[0-2])\2(?:19|20)\d{2})(?!\d)/;
const DECIMAL = /^(?:0|[1-9]\d{0,2})\.\d+$/;
const QUAD = /^(?:1?\d?\d|2[0-4]\d|25[0-5])(?:\.(?:1?\d?\d|2[0-4]\d|25[0-5])){3}$/;
const MONTH = /^(?:0[1-9]|1[0-2])[-./](?:19|20)\d{2}$/;
const POSTAL_CODE = /^\d{5}-\d{3,4}$/;
const MIXED = /[.].*[-/]|[-/].*[.]|\/.*\//;
const ELSE = [MONTH, DECIMAL, QUAD, POSTAL_CODE, MIXED];

const isSomethingElse = (written: string): boolean => ELSE.some(pattern => pattern.test(written));

/** People group digits in their own way, but not as scores, draws and times are grouped. */
const isUsualGrouping = ([, ...rest]: readonly number[]): boolean =>
  rest.length < 6 && rest.every(length => length > 1) && rest.some(length => length > 2);
