import type { Budget } from './budget.ts';
import type { Operator } from './code.ts';
import { equals, order } from './compare.ts';
import { add, divide, multiply, remainder, subtract } from './numbers.ts';
import { type CelValue, Duration, type Evaluated, isList, isMap, isNumber } from './value.ts';

/** The operators of two values. Undefined where they do not go with such values: a type mismatch. */
type Calculation = (a: number | bigint, b: number | bigint) => Evaluated;

const ofNumbers =
  (calculate: Calculation): Operator =>
  (a, b) =>
    isNumber(a) && isNumber(b) ? calculate(a, b) : undefined;

const plus: Operator = (a, b, budget) => {
  if (isNumber(a)) return isNumber(b) ? add(a, b) : undefined;
  if (typeof a === 'string') return typeof b === 'string' ? concatenate(a, b, budget) : undefined;
  if (a instanceof Date) return b instanceof Duration ? shift(a, b.ms) : undefined;
  if (a instanceof Duration) {
    if (b instanceof Date) return shift(b, a.ms);
    return b instanceof Duration ? new Duration(a.ms + b.ms) : undefined;
  }
  if (a === null || !isList(a) || b === null || !isList(b)) return undefined;
  budget.build(a.length + b.length);
  return [...a, ...b];
};

function concatenate(a: string, b: string, budget: Budget): string {
  budget.build(a.length + b.length);
  return a + b;
}

/** No time where the calendar ends. */
function shift(time: Date, ms: number): Date | undefined {
  const shifted = new Date(time.getTime() + ms);
  return Number.isNaN(shifted.getTime()) ? undefined : shifted;
}

const minus: Operator = (a, b) => {
  if (isNumber(a)) return isNumber(b) ? subtract(a, b) : undefined;
  if (a instanceof Date) {
    if (b instanceof Date) return new Duration(a.getTime() - b.getTime());
    return b instanceof Duration ? shift(a, -b.ms) : undefined;
  }
  return a instanceof Duration && b instanceof Duration ? new Duration(a.ms - b.ms) : undefined;
};

const ordered =
  (decide: (order: number) => boolean): Operator =>
  (a, b, budget) => {
    const found = order(a, b, budget);
    return found === undefined ? undefined : decide(found);
  };

function isIn(item: CelValue, container: CelValue, budget: Budget): boolean | undefined {
  if (isList(container)) {
    for (const other of container) {
      budget.spend(1);
      if (equals(item, other, budget)) return true;
    }
    return false;
  }
  return isMap(container) && typeof item === 'string' ? Object.hasOwn(container, item) : undefined;
}

export const arithmetic = {
  '+': plus,
  '-': minus,
  '*': ofNumbers(multiply),
  '/': ofNumbers(divide),
  '%': ofNumbers(remainder),
} as const satisfies Record<string, Operator>;

export const comparisons = {
  '==': equals,
  '!=': (a, b, budget) => !equals(a, b, budget),
  '<': ordered(found => found < 0),
  '<=': ordered(found => found <= 0),
  '>': ordered(found => found > 0),
  '>=': ordered(found => found >= 0),
  in: isIn,
} as const satisfies Record<string, Operator>;
