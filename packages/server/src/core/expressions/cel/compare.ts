import type { Budget } from './budget.ts';
import { type CelList, type CelMap, type CelValue, Duration, isList, isMap, isNumber } from './value.ts';

/** Values of different types are not equal; numbers are equal whatever they are written as, exactly. */
export function equals(a: CelValue, b: CelValue, budget: Budget): boolean {
  if (typeof a === 'string') {
    if (typeof b !== 'string' || a.length !== b.length) return false;
    budget.scan(a);
    return a === b;
  }
  if (a === b) return true;
  if (isNumber(a)) {
    // biome-ignore lint/suspicious/noDoubleEquals: compares a BigInt with a double by value, without rounding.
    return isNumber(b) && a == b;
  }
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return false;
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof Duration) return b instanceof Duration && a.ms === b.ms;
  if (isList(a)) return isList(b) && listsEqual(a, b, budget);
  return isMap(a) && isMap(b) && mapsEqual(a, b, budget);
}

function listsEqual(a: CelList, b: CelList, budget: Budget): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    budget.spend(1);
    if (!equals(a[i] as CelValue, b[i] as CelValue, budget)) return false;
  }
  return true;
}

function mapsEqual(a: CelMap, b: CelMap, budget: Budget): boolean {
  const keys = Object.keys(a);
  budget.spend(keys.length * 2);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(key => Object.hasOwn(b, key) && equals(a[key] as CelValue, b[key] as CelValue, budget));
}

/** Below 0, 0 or above as `a` stands to `b`; NaN for a number that is none; undefined where they have no order. */
export function order(a: CelValue, b: CelValue, budget: Budget): number | undefined {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : a >= b ? 0 : Number.NaN;
  if (typeof a === 'string' && typeof b === 'string') {
    budget.scan(a);
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (a instanceof Duration && b instanceof Duration) return a.ms - b.ms;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return undefined;
}
