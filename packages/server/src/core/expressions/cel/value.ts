import { toRfc3339 } from '../../clock.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { putField } from '../path.ts';
import type { Budget } from './budget.ts';

/** The values of an expression: JSON, and the two kinds of time that CEL adds to it. */
export type CelValue = null | boolean | number | bigint | string | Date | Duration | CelList | CelMap;
export type CelList = readonly CelValue[];
export interface CelMap {
  readonly [key: string]: CelValue | undefined;
}

export class Duration {
  constructor(readonly ms: number) {}
}

/**
 * Why an expression has no value. In CEL an error is a value until something absorbs it (`true || <absent>` is
 * true), so it is passed on like one and never thrown.
 */
export class CelFailure {
  constructor(
    readonly kind: 'absent' | 'mismatch',
    readonly note: string,
  ) {}
}

export type Evaluated = CelValue | CelFailure;

export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

export const isMap = (value: CelValue): value is CelMap =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  !(value instanceof Duration);

export const isList = (value: CelValue): value is CelList => Array.isArray(value);

export function nameType(value: CelValue): string {
  if (value === null) return 'null';
  if (isNumber(value)) return 'a number';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'true or false';
  if (value instanceof Date) return 'a time';
  if (value instanceof Duration) return 'a duration';
  return Array.isArray(value) ? 'a list' : 'an object';
}

/**
 * An expression's value as payloads hold values: integers are numbers as far as those are exact, times are
 * RFC 3339. Undefined where JSON has no word for it.
 */
export function toJson(value: CelValue, budget: Budget): Json | undefined {
  budget.carry(typeof value === 'string' ? value.length : 8);
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return toRfc3339(value.getTime());
  if (value instanceof Duration) return `${value.ms / 1_000}s`;
  if (isList(value)) return listToJson(value, budget);
  return isMap(value) ? mapToJson(value, budget) : undefined;
}

/** Most lists and maps come straight from a payload and are handed on as they are. */
function listToJson(list: CelList, budget: Budget): Json | undefined {
  let changed = false;
  const items: Json[] = [];
  for (const item of list) {
    const json = toJson(item, budget);
    if (json === undefined) return undefined;
    changed ||= json !== item;
    items.push(json);
  }
  return changed ? items : (list as Json[]);
}

function mapToJson(map: CelMap, budget: Budget): Json | undefined {
  let changed = false;
  const object: JsonObject = {};
  for (const key of Object.keys(map)) {
    const value = map[key];
    const json = value === undefined ? undefined : toJson(value, budget);
    if (json === undefined) return undefined;
    changed ||= json !== value;
    putField(object, key, json);
  }
  return changed ? object : (map as JsonObject);
}
