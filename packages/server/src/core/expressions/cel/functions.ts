import { ExpressionError } from '../expression-error.ts';
import { printInteger, toDouble } from './numbers.ts';
import { type Overload, overload } from './overload.ts';
import { sizeOfText, textMethods } from './text.ts';
import { printTime, timeMethods, toDuration, toTimestamp } from './time.ts';
import { BOOL, NUMBER, STRING } from './types.ts';
import { CelFailure, type Evaluated, failureOf, printDuration } from './value.ts';

/** The functions and methods of CEL that conditions and templates may call, each with all that it takes. */

const unreadable = (what: string) => new CelFailure('mismatch', `a text cannot be converted to ${what}`);
const noInteger = unreadable('an integer');
const noNumber = unreadable('a number');
const noBoolean = unreadable('true or false');
const notFinite = new CelFailure('mismatch', 'a number is no integer');
const tooLarge = new CelFailure('mismatch', 'a number is too large for a double');

const size: readonly Overload[] = [
  overload(['string'], NUMBER, (budget, text) => BigInt(sizeOfText(text, budget))),
  overload(['list'], NUMBER, (_budget, list) => BigInt(list.length)),
  overload(['map'], NUMBER, (budget, map) => {
    const { length } = Object.keys(map);
    budget.spend(length);
    return BigInt(length);
  }),
];

const toText: readonly Overload[] = [
  overload(['string'], STRING, (_budget, text) => text),
  overload(['number'], STRING, (budget, number) =>
    typeof number === 'bigint' ? printInteger(number, budget) : String(number),
  ),
  overload(['bool'], STRING, (_budget, value) => String(value)),
  overload(['timestamp'], STRING, (_budget, time) => printTime(time)),
  overload(['duration'], STRING, (_budget, duration) => printDuration(duration)),
];

const parseInteger = (text: string): Evaluated =>
  /^[+-]?\d{1,300}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : noInteger;

const toInt: readonly Overload[] = [
  overload(['number'], NUMBER, (_budget, number) => {
    if (typeof number === 'bigint') return number;
    return Number.isFinite(number) ? BigInt(Math.trunc(number)) : notFinite;
  }),
  overload(['timestamp'], NUMBER, (_budget, time) => BigInt(Math.floor(time.getTime() / 1_000))),
  overload(
    ['string'],
    NUMBER,
    (_budget, text) => parseInteger(text),
    text => failureOf(parseInteger(text)),
  ),
];

const parseDouble = (text: string): Evaluated =>
  /^[+-]?(\d{1,300}\.?\d{0,300}|\.\d{1,300})([eE][+-]?\d{1,3})?$/.test(text) ? Number(text) : noNumber;

const toDoubleValue: readonly Overload[] = [
  overload(['number'], NUMBER, (_budget, number) => toDouble(number) ?? tooLarge),
  overload(
    ['string'],
    NUMBER,
    (_budget, text) => parseDouble(text),
    text => failureOf(parseDouble(text)),
  ),
];

function parseBoolean(text: string): Evaluated {
  if (/^(1|t|true|TRUE|True)$/.test(text)) return true;
  return /^(0|f|false|FALSE|False)$/.test(text) ? false : noBoolean;
}

const toBoolean: readonly Overload[] = [
  overload(['bool'], BOOL, (_budget, value) => value),
  overload(
    ['string'],
    BOOL,
    (_budget, text) => parseBoolean(text),
    text => failureOf(parseBoolean(text)),
  ),
];

/** Called as `size(payload.items)`. */
export const functions: Readonly<Record<string, readonly Overload[]>> = {
  size,
  string: toText,
  int: toInt,
  double: toDoubleValue,
  bool: toBoolean,
  timestamp: toTimestamp,
  duration: toDuration,
  // The very point of it is that nothing is known of what it gives.
  dyn: [overload(['any'], { kind: 'dyn' }, (_budget, value) => value)],
};

/** Called as `payload.items.size()`. */
export const methods: Readonly<Record<string, readonly Overload[]>> = {
  ...textMethods,
  ...timeMethods,
  size,
};

/** Those that take so many values, the receiver of a method included. */
export function overloadsOf(
  { name, receiver, start }: { name: string; receiver: unknown; start: number },
  count: number,
): readonly Overload[] {
  const table = receiver === null ? functions : methods;
  const known = Object.hasOwn(table, name) ? table[name] : undefined;
  if (known === undefined) throw new ExpressionError(notOffered(name, receiver !== null), start);
  const overloads = known.filter(({ params }) => params.length === count);
  if (overloads.length > 0) return overloads;
  const ofArguments = (all: number) => all - (receiver === null ? 0 : 1);
  const counts = [...new Set(known.map(({ params }) => ofArguments(params.length)))].join(' or ');
  throw new ExpressionError(
    `${name}() takes ${counts} argument${counts === '1' ? '' : 's'}, not ${ofArguments(count)}`,
    start,
  );
}

function notOffered(name: string, isMethod: boolean): string {
  if (Object.hasOwn(isMethod ? functions : methods, name))
    return isMethod
      ? `${name}() is no method: write ${name}(value)`
      : `${name}() is a method: write value.${name}()`;
  return `${name}() is not supported`;
}
