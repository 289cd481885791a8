import { parseTimestamp, timestamp } from '@sluice/contract';
import { toRfc3339 } from '../../clock.ts';
import type { Budget } from './budget.ts';
import type { CelFunction } from './code.ts';
import { printInteger, toDouble } from './numbers.ts';
import { textMethods } from './text.ts';
import { parseDuration, printDuration, timeMethods } from './time.ts';
import { CelFailure, type CelValue, Duration, type Evaluated, isList, isMap, isNumber } from './value.ts';

/** The functions and methods of CEL that conditions and templates may call. */

function sizeOf([value = null]: readonly CelValue[], budget: Budget): Evaluated | undefined {
  if (typeof value === 'string') return textMethods.size?.([value], budget);
  if (isList(value)) return BigInt(value.length);
  if (!isMap(value)) return undefined;
  const { length } = Object.keys(value);
  budget.spend(length);
  return BigInt(length);
}

function toText([value = null]: readonly CelValue[], budget: Budget): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return printInteger(value, budget);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return toRfc3339(value.getTime());
  return value instanceof Duration ? printDuration(value) : undefined;
}

function toInt([value = null]: readonly CelValue[]): Evaluated | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
  if (value instanceof Date) return BigInt(Math.floor(value.getTime() / 1_000));
  if (typeof value !== 'string') return undefined;
  return /^-?\d{1,300}$/.test(value) ? BigInt(value) : unreadable('an integer');
}

function toDoubleValue([value = null]: readonly CelValue[]): Evaluated | undefined {
  if (isNumber(value))
    return toDouble(value) ?? new CelFailure('mismatch', 'a number is too large for a double');
  if (typeof value !== 'string') return undefined;
  return /^[+-]?(\d{1,300}\.?\d{0,300}|\.\d{1,300})([eE][+-]?\d{1,3})?$/.test(value)
    ? Number(value)
    : unreadable('a number');
}

function toBool([value = null]: readonly CelValue[]): Evaluated | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(1|t|true|TRUE|True)$/.test(value)) return true;
  return /^(0|f|false|FALSE|False)$/.test(value) ? false : unreadable('true or false');
}

function toTimestamp([value = null]: readonly CelValue[]): Evaluated | undefined {
  if (value instanceof Date) return value;
  if (isNumber(value)) {
    const date = new Date(Number(value) * 1_000);
    return Number.isNaN(date.getTime()) ? unreadable('a time') : date;
  }
  if (typeof value !== 'string') return undefined;
  const ms = value.length <= 64 && timestamp.safeParse(value).success ? parseTimestamp(value) : null;
  return ms === null ? unreadable('an RFC 3339 time') : new Date(ms);
}

const unreadable = (what: string) => new CelFailure('mismatch', `a text does not read as ${what}`);

/** Called as `size(payload.items)`. */
export const functions: Readonly<Record<string, CelFunction>> = {
  size: sizeOf,
  string: toText,
  int: toInt,
  double: toDoubleValue,
  bool: toBool,
  timestamp: toTimestamp,
  duration: ([value = null]) =>
    value instanceof Duration ? value : typeof value === 'string' ? parseDuration(value) : undefined,
  dyn: ([value = null]) => value,
};

/** Called as `payload.items.size()`. */
export const methods: Readonly<Record<string, CelFunction>> = {
  ...textMethods,
  ...timeMethods,
  size: sizeOf,
};
