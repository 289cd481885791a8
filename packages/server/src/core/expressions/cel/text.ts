import type { Budget } from './budget.ts';
import type { CelFunction } from './code.ts';
import { CelFailure, type CelValue, isList, isNumber } from './value.ts';

/**
 * A character is a Unicode code point, also for positions and lengths: a text is never cut inside a surrogate
 * pair, since half of one could be stored nowhere. Texts without such pairs, nearly all, take the short way.
 */
const hasPairs = (text: string): boolean => /[\ud800-\udfff]/.test(text);

const outOfRange = new CelFailure('absent', 'a position lies outside the text');

const ofText =
  (
    method: (text: string, args: readonly CelValue[], budget: Budget) => ReturnType<CelFunction>,
  ): CelFunction =>
  ([text = null, ...args], budget) => {
    if (typeof text !== 'string') return undefined;
    budget.scan(text);
    return method(text, args, budget);
  };

const withText = (method: (text: string, other: string) => CelValue): CelFunction =>
  ofText((text, [other]) => (typeof other === 'string' ? method(text, other) : undefined));

function countCharacters(text: string, budget: Budget): number {
  if (!hasPairs(text)) return text.length;
  budget.spend(text.length);
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const toIndex = (value: CelValue | undefined): number | null =>
  value !== undefined && isNumber(value) && Number.isSafeInteger(Number(value)) ? Number(value) : null;

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

const find = (search: (text: string, other: string, from: number | undefined) => number): CelFunction =>
  ofText((text, [other, from], budget) => {
    const index = from === undefined ? 0 : toIndex(from);
    if (typeof other !== 'string' || index === null) return undefined;
    const unit = unitAt(text, index, budget);
    if (index < 0 || unit > text.length) return outOfRange;
    const found = search(text, other, from === undefined ? undefined : unit);
    return BigInt(found < 0 ? found : countCharacters(text.slice(0, found), budget));
  });

const substring: CelFunction = ofText((text, [from, to], budget) => {
  const start = toIndex(from);
  const end = to === undefined ? null : toIndex(to);
  if (start === null || (to !== undefined && end === null)) return undefined;
  const first = unitAt(text, start, budget);
  const last = end === null ? text.length : unitAt(text, end, budget);
  return start < 0 || first > last || last > text.length ? outOfRange : text.slice(first, last);
});

const split: CelFunction = ofText((text, [separator, most], budget) => {
  const limit = most === undefined ? -1 : toIndex(most);
  if (typeof separator !== 'string' || limit === null) return undefined;
  budget.build(text.length);
  if (limit === 0) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
});

const join: CelFunction = ([list = null, separator = ''], budget) => {
  if (!isList(list) || typeof separator !== 'string') return undefined;
  budget.spend(list.length);
  let size = separator.length * list.length;
  for (const item of list) {
    if (typeof item !== 'string') return undefined;
    size += item.length;
  }
  budget.build(size);
  return list.join(separator);
};

/** Every method of text, and `join` that makes one of a list. */
export const textMethods: Readonly<Record<string, CelFunction>> = {
  size: ofText((text, _args, budget) => BigInt(countCharacters(text, budget))),
  contains: withText((text, other) => text.includes(other)),
  startsWith: withText((text, other) => text.startsWith(other)),
  endsWith: withText((text, other) => text.endsWith(other)),
  lowerAscii: ofText(text => text.replace(/[A-Z]+/g, letters => letters.toLowerCase())),
  upperAscii: ofText(text => text.replace(/[a-z]+/g, letters => letters.toUpperCase())),
  trim: ofText(text => text.trim()),
  indexOf: find((text, other, from) => text.indexOf(other, from)),
  lastIndexOf: find((text, other, from) => text.lastIndexOf(other, from)),
  substring,
  split,
  join,
};
