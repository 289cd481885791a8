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

type Ordered = number | bigint | string | boolean | Date | Duration;

/** Below 0, 0 or above as `a` stands to `b`, of the same kind; NaN for a number that is none. */
export function order(a: Ordered, b: Ordered, budget: Budget): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : a >= b ? 0 : Number.NaN;
  if (typeof a === 'string' && typeof b === 'string') {
    budget.scan(a);
    return orderTexts(a, b, budget);
  }
  return toNumber(a) - toNumber(b);
}

const toNumber = (value: Ordered): number => (value instanceof Duration ? value.ms : Number(value));

/** By code points, as CEL says; by units, an emoji would come before the last characters of the first plane. */
function orderTexts(a: string, b: string, budget: Budget): number {
  if (a === b) return 0;
  const isBefore = a < b;
  if (!/[\ue000-\uffff]/.test(a) && !/[\ue000-\uffff]/.test(b)) return isBefore ? -1 : 1;
  let i = 0;
  while (a[i] === b[i]) i++;
  budget.spend(i);
  const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
  if (x < 0xd800 || y < 0xd800 || isSurrogate(x) === isSurrogate(y)) return isBefore ? -1 : 1;
  return isSurrogate(x) ? 1 : -1;
}

const isSurrogate = (unit: number): boolean => unit <= 0xdfff;
