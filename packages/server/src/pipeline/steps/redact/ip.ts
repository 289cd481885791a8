import { isIPv6 } from 'node:net';
import type { Budget } from '../../../core/expressions/cel/budget.ts';
import { type Detector, eachMatch, isDigitAt, isWordAt, type Span } from './detector.ts';

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const V4 = new RegExp(`${OCTET}(?:\\.${OCTET}){3}`, 'g');
const V6 = /[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,8}(?:\.\d{1,3}){0,3}/g;

/** At least, where none are left out; the last two may be written as those of the older version. */
const EIGHT_GROUPS = /(?:[0-9A-Fa-f]{1,4}:){6}/;

/** How many bits of an address name its network: `::/0`. */
const PREFIX = /^\/\d{1,3}(?!\d)/;
const LONGEST_PREFIX = 5;

/** Four numbers with dots are a version, or a chapter, where these words stand before them. */
const VERSION =
  /(?:(?:\b(?:ver\.?|version|release|build|rev(?:ision)?|firmware|section|chapter)|§)[\s:=#]*|[A-Za-z][/-]|[~^]|[<>~]=\s?)$/i;
const WORD_BEFORE = 16;

/** IP addresses of both versions. */
export const ipDetector: Detector = {
  mayFind: ({ digits, dots, colons }) => (digits >= 4 && dots >= 3) || (digits >= 1 && colons >= 2),
  find: (text, budget) => [...findV4(text, budget), ...findV6(text, budget)],
  normalise: found => found.toLowerCase(),
};

function findV4(text: string, budget: Budget): Span[] {
  if (!/\d\.\d{1,3}\.\d/.test(text)) return [];
  const spans: Span[] = [];
  eachMatch(text, V4, budget, (found, index) => {
    const end = index + found.length;
    if (isWordAt(text, index - 1) || isWordAt(text, end) || isPartOfNumbers(text, index, end)) return;
    if (!isVersion(text, index)) spans.push({ start: index, end });
  });
  return spans;
}

const isPartOfNumbers = (text: string, start: number, end: number): boolean =>
  text.charAt(start - 1) === '.' || (text.charAt(end) === '.' && isDigitAt(text, end + 1));

const isVersion = (text: string, start: number): boolean =>
  VERSION.test(text.slice(Math.max(0, start - WORD_BEFORE), start));

function findV6(text: string, budget: Budget): Span[] {
  if (!text.includes('::') && !EIGHT_GROUPS.test(text)) return [];
  const spans: Span[] = [];
  eachMatch(text, V6, budget, (found, index) => {
    // A single colon at the end belongs to the sentence.
    const address = /[^:]:$/.test(found) ? found.slice(0, -1) : found;
    const end = index + address.length;
    if (isWordAt(text, index - 1) || isWordAt(text, end) || text.charAt(index - 1) === ':') return;
    // Without a digit it is rather a name of some programming language, such as a::b.
    const isAddress = /\d/.test(address) || PREFIX.test(text.slice(end, end + LONGEST_PREFIX));
    if (isAddress && isIPv6(address)) spans.push({ start: index, end });
  });
  return spans;
}
