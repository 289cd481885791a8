import type { Budget } from './budget.ts';

/**
 * Looks for one text in another in linear time. The engine's own search takes the product of both lengths where they
 * repeat themselves, which for a short text is little; a longer one is looked for by Knuth, Morris and Pratt. The whole
 * of it is counted before it begins, since nothing can cut it afterwards.
 */
const LONGEST_FOR_THE_ENGINE = 32;

const isForTheEngine = (text: string, wanted: string): boolean =>
  wanted.length <= LONGEST_FOR_THE_ENGINE || wanted.length > text.length;

/** Where it begins first, not before `from`; -1 where it does not. */
export function findFirst(text: string, wanted: string, from: number, budget: Budget): number {
  if (isForTheEngine(text, wanted)) {
    countEngine(text, budget);
    return text.indexOf(wanted, from);
  }
  return find(text, wanted, bordersOf(text, wanted, budget), { from, to: text.length, last: false });
}

/** Where it begins last, not after `from`; -1 where it does not. */
export function findLast(text: string, wanted: string, from: number, budget: Budget): number {
  if (isForTheEngine(text, wanted)) {
    countEngine(text, budget);
    return text.lastIndexOf(wanted, from);
  }
  const to = Math.min(text.length, from + wanted.length);
  return find(text, wanted, bordersOf(text, wanted, budget), { from: 0, to, last: true });
}

/** What stands between a separator, which is not empty. */
export function splitAt(text: string, separator: string, budget: Budget): string[] {
  if (isForTheEngine(text, separator)) {
    countEngine(text, budget);
    return text.split(separator);
  }
  const borders = bordersOf(text, separator, budget);
  const parts: string[] = [];
  for (let from = 0; ; ) {
    const at = find(text, separator, borders, { from, to: text.length, last: false });
    if (at < 0) return [...parts, text.slice(from)];
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
}

/** At worst it compares, at every character, as many as a short text has: a few nanoseconds each. */
const countEngine = (text: string, budget: Budget): void => budget.spend(1 + (text.length >> 4));

/** For each beginning of the text that is looked for, how much of its end is a beginning too. */
function bordersOf(text: string, wanted: string, budget: Budget): Int32Array {
  budget.spend((text.length + wanted.length) >> 3);
  const borders = new Int32Array(wanted.length);
  for (let i = 1, matched = 0; i < wanted.length; i++) {
    matched = advance(wanted, borders, matched, wanted.charCodeAt(i));
    borders[i] = matched;
  }
  return borders;
}

/** How much is matched once one more character was read. */
function advance(wanted: string, borders: Int32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length - 1] as number;
  return wanted.charCodeAt(length) === unit ? length + 1 : 0;
}

function find(
  text: string,
  wanted: string,
  borders: Int32Array,
  { from, to, last }: { from: number; to: number; last: boolean },
): number {
  let found = -1;
  for (let i = from, matched = 0; i < to; i++) {
    matched = advance(wanted, borders, matched, text.charCodeAt(i));
    if (matched < wanted.length) continue;
    found = i + 1 - wanted.length;
    if (!last) return found;
    matched = borders[matched - 1] as number;
  }
  return found;
}
