import { type Budget, OverBudget } from './budget.ts';
import { CelFailure } from './value.ts';

/**
 * Numbers as one kind. A literal `5` arrives as BigInt and a payload's `5` as number, as JSON readers make them;
 * what is computed from whole numbers stays exact at any size, and a fraction makes a double of it. Where a result
 * would have to be rounded from a large integer, there is none: better no match than a wrong one.
 */
type Numeric = number | bigint;

/** Beyond 1,024 bits arithmetic ends, so that a chain of multiplications cannot grow without bound. */
const LARGEST = 2n ** 1024n;
const LARGEST_PRINTED = 1n << 332_192n;

const inexact = new CelFailure('mismatch', 'a result cannot be computed exactly');
const tooLarge = new CelFailure('mismatch', 'a number is too large to compute with');
const notWhole = new CelFailure('mismatch', '% needs whole numbers');
const byZero = new CelFailure('mismatch', 'a division by zero');

export const add = (a: Numeric, b: Numeric) => compute(a, b, plusDoubles, plusIntegers);
export const subtract = (a: Numeric, b: Numeric) => compute(a, b, minusDoubles, minusIntegers);
export const multiply = (a: Numeric, b: Numeric) => compute(a, b, timesDoubles, timesIntegers);

const plusDoubles = (a: number, b: number) => a + b;
const plusIntegers = (a: bigint, b: bigint) => a + b;
const minusDoubles = (a: number, b: number) => a - b;
const minusIntegers = (a: bigint, b: bigint) => a - b;
const timesDoubles = (a: number, b: number) => a * b;
const timesIntegers = (a: bigint, b: bigint) => a * b;

/** `-0.0` is not `0.0`: only what is an integer has one zero. */
export const negate = (a: Numeric): Numeric | CelFailure =>
  typeof a === 'number' || isComputable(a) ? -a : tooLarge;

function compute(
  a: Numeric,
  b: Numeric,
  ofDoubles: (a: number, b: number) => number,
  ofIntegers: (a: bigint, b: bigint) => bigint,
): Numeric | CelFailure {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = ofDoubles(a, b);
    if (Number.isSafeInteger(result) || !Number.isInteger(a) || !Number.isInteger(b)) return result;
  }
  if (isWhole(a) && isWhole(b)) {
    const [left, right] = [BigInt(a), BigInt(b)];
    return isComputable(left) && isComputable(right) ? ofIntegers(left, right) : tooLarge;
  }
  const [left, right] = [toDouble(a), toDouble(b)];
  return left === null || right === null ? inexact : ofDoubles(left, right);
}

/** Two integers of CEL divide as CEL says, without a remainder; a payload's numbers divide as numbers do. */
export function divide(a: Numeric, b: Numeric): Numeric | CelFailure {
  if (b === 0 || b === 0n) return byZero;
  if (typeof a === 'number' && typeof b === 'number') return a / b;
  if (isWhole(a) && isWhole(b)) {
    const [left, right] = [BigInt(a), BigInt(b)];
    if (!isComputable(left) || !isComputable(right)) return tooLarge;
    const bothIntegers = typeof a === 'bigint' && typeof b === 'bigint';
    if (bothIntegers || left % right === 0n) return left / right;
  }
  const [left, right] = [toDouble(a), toDouble(b)];
  return left === null || right === null ? inexact : left / right;
}

export function remainder(a: Numeric, b: Numeric): Numeric | CelFailure {
  if (!isWhole(a) || !isWhole(b)) return notWhole;
  if (b === 0 || b === 0n) return byZero;
  if (typeof a === 'number' && typeof b === 'number') return a % b;
  const [left, right] = [BigInt(a), BigInt(b)];
  return isComputable(left) && isComputable(right) ? left % right : tooLarge;
}

const isWhole = (value: Numeric): boolean => typeof value === 'bigint' || Number.isInteger(value);

const isComputable = (value: bigint): boolean => value < LARGEST && value > -LARGEST;

/** Null where a double would not be that integer. */
export function toDouble(value: Numeric): number | null {
  if (typeof value === 'number') return value;
  const double = Number(value);
  return Number.isFinite(double) && BigInt(double) === value ? double : null;
}

/** Writing a BigInt takes more than linear time; beyond 100,000 digits it would take all of the budget. */
export function printInteger(value: bigint, budget: Budget): string {
  if (!isComputable(value)) {
    if (value > LARGEST_PRINTED || value < -LARGEST_PRINTED) throw new OverBudget('size');
    budget.spend(100_000);
  }
  return value.toString();
}
