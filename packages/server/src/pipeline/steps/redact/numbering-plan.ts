import { type CountryCode, getCountries, getCountryCallingCode, Metadata } from 'libphonenumber-js/max';

/**
 * A country's numbering plan: which digits are a number there, and how they are written. Made of the library's data,
 * with its patterns compiled once; the library itself compiles them for each number that it reads.
 */
export interface NumberingPlan {
  /** Reads digits as they are dialled within the country. */
  readNational(digits: string): NationalNumber | null;
  /** Whether these digits are a number, without anything that is dialled before it. */
  isValid(digits: string): boolean;
  /** Whether the number would be written in groups of these lengths. */
  isGroupedAs(number: string, groups: readonly number[]): boolean;
}

interface NationalNumber {
  /** Without what is dialled before it. */
  readonly number: string;
  /**
   * - full: as it is dialled at home, with a zero or the like before it where that is usual.
   * - short: without that, where it may be left out, or where there is none.
   * - bare: without that, where it is always written.
   * - abroad: with the country's code, and no plus before that.
   */
  readonly form: 'full' | 'short' | 'bare' | 'abroad';
}

const TYPES = [
  ...(['FIXED_LINE', 'MOBILE', 'TOLL_FREE', 'PREMIUM_RATE', 'PERSONAL_NUMBER', 'VOICEMAIL'] as const),
  ...(['UAN', 'PAGER', 'VOIP', 'SHARED_COST'] as const),
];

/** What the library's metadata answer, beyond what their types tell. */
interface PlanData {
  nationalNumberPattern(): string;
  possibleLengths(): readonly number[];
  nationalPrefixForParsing(): string | 0 | null | undefined;
  nationalPrefixTransformRule(): string | 0 | null | undefined;
  type(type: (typeof TYPES)[number]): { pattern(): string | undefined } | undefined;
  formats(): readonly {
    pattern(): string;
    format(): string;
    internationalFormat(): string;
    leadingDigitsPatterns(): readonly string[];
    nationalPrefixFormattingRule(): string | 0 | null | undefined;
    nationalPrefixIsMandatoryWhenFormattingInNationalFormat(): boolean;
  }[];
}

const dataOf = (country: CountryCode): PlanData => {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  return metadata.numberingPlan as unknown as PlanData;
};

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`);

/** Some countries share a code, and a number of one is dialled in the others as if it were theirs. */
export function createNumberingPlan(country: CountryCode): NumberingPlan {
  const data = dataOf(country);
  const code = getCountryCallingCode(country);
  const sharing = getCountries().filter(other => other !== country && getCountryCallingCode(other) === code);
  const valid = [data, ...sharing.map(dataOf)].map(readNumbers);
  const isValid = (digits: string) => valid.some(matches => matches(digits));
  const formats = data.formats().map(readFormat);
  const formatOf = (number: string) => formats.find(({ matches }) => matches(number));
  const withoutPrefix = prefixRemoval(data);
  return {
    isValid,
    readNational(digits) {
      const number = withoutPrefix(digits);
      if (number !== digits && isValid(number)) return { number, form: 'full' };
      const isBare = isValid(digits);
      if (isBare && !formatOf(digits)?.needsPrefix) return { number: digits, form: 'short' };
      const rest = digits.startsWith(code) ? digits.slice(code.length) : '';
      if (isValid(rest)) return { number: rest, form: 'abroad' };
      return isBare ? { number: digits, form: 'bare' } : null;
    },
    isGroupedAs: (number, groups) =>
      formatOf(number)
        ?.groupings(number)
        .some(usual => isSame(usual, groups)) ?? groups.length === 1,
  };
}

function readNumbers(data: PlanData): (digits: string) => boolean {
  const lengths = new Set(data.possibleLengths());
  const general = whole(data.nationalNumberPattern());
  const types = TYPES.flatMap(type => data.type(type)?.pattern() || []);
  // One pattern of them all: which type it is of does not matter.
  const any = whole(types.length > 0 ? types.join('|') : data.nationalNumberPattern());
  return digits => lengths.has(digits.length) && general.test(digits) && any.test(digits);
}

/** A prefix is digits that are dialled first, or a pattern by which the number itself is made. */
function prefixRemoval(data: PlanData): (digits: string) => string {
  const pattern = data.nationalPrefixForParsing();
  if (!pattern) return digits => digits;
  const prefix = new RegExp(`^(?:${pattern})`);
  const rule = data.nationalPrefixTransformRule();
  return digits => {
    const found = prefix.exec(digits);
    if (found === null) return digits;
    return rule && found.at(-1) !== undefined && found.length > 1
      ? digits.replace(prefix, rule)
      : digits.slice(found[0].length);
  };
}

function readFormat(format: ReturnType<PlanData['formats']>[number]) {
  const pattern = whole(format.pattern());
  const leading = format.leadingDigitsPatterns().at(-1);
  const begins = leading === undefined ? null : new RegExp(`^(?:${leading})`);
  const rule = format.nationalPrefixFormattingRule();
  const national = rule ? format.format().replace(/(\$\d)/, rule) : format.format();
  const written = [national, format.format(), format.internationalFormat()];
  return {
    needsPrefix: format.nationalPrefixIsMandatoryWhenFormattingInNationalFormat(),
    matches: (number: string) => (begins?.test(number) ?? true) && pattern.test(number),
    groupings: (number: string) => written.map(form => groupsOf(number.replace(pattern, form))),
  };
}

/** How many digits each group has. */
export const groupsOf = (written: string): number[] =>
  written.split(/\D+/).flatMap(({ length }) => (length > 0 ? [length] : []));

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((length, i) => length === b[i]);
