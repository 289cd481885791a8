import type { Budget } from './budget.ts';
import { type Overload, overload } from './overload.ts';
import { findFirst, findLast, splitAt } from './search.ts';
import { BOOL, listOf, NUMBER, STRING } from './types.ts';
import { CelFailure, type CelList, type Evaluated } from './value.ts';

/**
 * A character is a Unicode code point, also for positions and lengths: a text is never cut inside a surrogate
 * pair, since half of one could be stored nowhere. Texts without such pairs, nearly all, take the short way.
 */
const hasPairs = (text: string): boolean => /[\ud800-\udfff]/.test(text);

const outOfRange = new CelFailure('absent', 'a position lies outside the text');
const notWhole = new CelFailure('mismatch', 'a position or a count must be a whole number');
const notTexts = new CelFailure('mismatch', 'join() needs a list of texts');

export function sizeOfText(text: string, budget: Budget): number {
  budget.scan(text);
  if (!hasPairs(text)) return text.length;
  budget.spend(text.length);
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const isIndex = (value: number | bigint): boolean => Number.isSafeInteger(Number(value));

/** Where the n-th character begins, in units; past the end where there are not so many. */
function unitAt(text: string, index: number, budget: Budget): number {
  if (!hasPairs(text)) return index;
  budget.spend(text.length);
  let unit = 0;
  for (let n = 0; n < index; n++) {
    if (unit >= text.length) return text.length + 1;
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  return unit;
}

/** Each is a text of its own. */
function charactersOf(text: string, budget: Budget): string[] {
  budget.spend(text.length);
  return Array.from(text);
}

const ofText = (
  result: typeof BOOL,
  method: (text: string, budget: Budget) => Evaluated,
): readonly Overload[] => [
  overload(['string'], result, (budget, text) => {
    budget.scan(text);
    return method(text, budget);
  }),
];

const withText = (method: (text: string, other: string) => boolean): readonly Overload[] => [
  overload(['string', 'string'], BOOL, (budget, text, other) => {
    budget.scan(text);
    return method(text, other);
  }),
];

/** `beginning` says where to begin if the expression does not. */
function find(search: typeof findFirst, beginning: (text: string) => number): readonly Overload[] {
  const count = (budget: Budget, text: string, found: number) =>
    BigInt(found < 0 ? found : sizeOfText(text.slice(0, found), budget));
  return [
    overload(['string', 'string'], NUMBER, (budget, text, other) =>
      count(budget, text, search(text, other, beginning(text), budget)),
    ),
    overload(['string', 'string', 'number'], NUMBER, (budget, text, other, from) => {
      budget.scan(text);
      if (!isIndex(from)) return notWhole;
      const unit = unitAt(text, Number(from), budget);
      if (from < 0 || unit > text.length) return outOfRange;
      return count(budget, text, search(text, other, unit, budget));
    }),
  ];
}

function cut(text: string, from: number | bigint, to: number | bigint | null, budget: Budget): Evaluated {
  budget.scan(text);
  if (!isIndex(from) || (to !== null && !isIndex(to))) return notWhole;
  const first = unitAt(text, Number(from), budget);
  const last = to === null ? text.length : unitAt(text, Number(to), budget);
  return from < 0 || (to !== null && to < 0) || first > last || last > text.length
    ? outOfRange
    : text.slice(first, last);
}

function charAt(text: string, at: number | bigint, budget: Budget): Evaluated {
  budget.scan(text);
  if (!isIndex(at)) return notWhole;
  const unit = unitAt(text, Number(at), budget);
  if (at < 0 || unit > text.length) return outOfRange;
  const point = text.codePointAt(unit);
  return point === undefined ? '' : String.fromCodePoint(point);
}

function split(text: string, separator: string, most: number | bigint, budget: Budget): Evaluated {
  if (!isIndex(most)) return notWhole;
  budget.build(text.length);
  const limit = Number(most);
  if (limit === 0) return [];
  const parts = separator === '' ? charactersOf(text, budget) : splitAt(text, separator, budget);
  budget.spend(parts.length);
  budget.collect(parts.length);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function replace(text: string, old: string, by: string, most: number | bigint, budget: Budget): Evaluated {
  if (!isIndex(most)) return notWhole;
  budget.build(text.length);
  const limit = most < 0 ? Number.POSITIVE_INFINITY : Number(most);
  const parts = old === '' ? ['', ...charactersOf(text, budget), ''] : splitAt(text, old, budget);
  const times = Math.min(limit, parts.length - 1);
  budget.spend(parts.length);
  budget.build(text.length + times * by.length);
  const replaced = parts.slice(0, times + 1).join(by);
  return times === parts.length - 1 ? replaced : [replaced, ...parts.slice(times + 1)].join(old);
}

/** Letters of ASCII alone, one run of them after the other; at once where there are no others. */
const inAscii =
  (letters: RegExp, change: (text: string) => string) =>
  (text: string, budget: Budget): string => {
    budget.build(text.length);
    if (!/[^\0-\x7f]/.test(text)) return change(text);
    budget.spend(text.length);
    return text.replace(letters, change);
  };

/** What Unicode calls white space, which is not quite what JavaScript trims. */
const isWhite = (character: string | undefined): boolean =>
  character !== undefined && /\p{White_Space}/u.test(character);

function trim(text: string, budget: Budget): string {
  let [start, end] = [0, text.length];
  while (isWhite(text[start])) start++;
  while (end > start && isWhite(text[end - 1])) end--;
  budget.spend(start + text.length - end);
  return text.slice(start, end);
}

function reverse(text: string, budget: Budget): string {
  budget.build(text.length);
  return charactersOf(text, budget).reverse().join('');
}

function join(list: CelList, separator: string, budget: Budget): Evaluated {
  budget.spend(list.length);
  let size = separator.length * list.length;
  for (const item of list) {
    if (typeof item !== 'string') return notTexts;
    size += item.length;
  }
  budget.build(size);
  return list.join(separator);
}

/** Every method of text, and `join` that makes one of a list. */
export const textMethods: Readonly<Record<string, readonly Overload[]>> = {
  contains: [
    overload(['string', 'string'], BOOL, (budget, text, other) => findFirst(text, other, 0, budget) >= 0),
  ],
  startsWith: withText((text, other) => text.startsWith(other)),
  endsWith: withText((text, other) => text.endsWith(other)),
  lowerAscii: ofText(
    STRING,
    inAscii(/[A-Z]+/g, text => text.toLowerCase()),
  ),
  upperAscii: ofText(
    STRING,
    inAscii(/[a-z]+/g, text => text.toUpperCase()),
  ),
  trim: ofText(STRING, trim),
  reverse: ofText(STRING, reverse),
  indexOf: find(findFirst, () => 0),
  lastIndexOf: find(findLast, text => text.length),
  charAt: [overload(['string', 'number'], STRING, (budget, text, at) => charAt(text, at, budget))],
  substring: [
    overload(['string', 'number'], STRING, (budget, text, from) => cut(text, from, null, budget)),
    overload(['string', 'number', 'number'], STRING, (budget, text, from, to) => cut(text, from, to, budget)),
  ],
  split: [
    overload(['string', 'string'], listOf(STRING), (budget, text, by) => split(text, by, -1, budget)),
    overload(['string', 'string', 'number'], listOf(STRING), (budget, text, by, most) =>
      split(text, by, most, budget),
    ),
  ],
  replace: [
    overload(['string', 'string', 'string'], STRING, (budget, text, old, by) =>
      replace(text, old, by, -1, budget),
    ),
    overload(['string', 'string', 'string', 'number'], STRING, (budget, text, old, by, most) =>
      replace(text, old, by, most, budget),
    ),
  ],
  join: [
    overload(['list'], STRING, (budget, list) => join(list, '', budget)),
    overload(['list', 'string'], STRING, (budget, list, separator) => join(list, separator, budget)),
  ],
};
