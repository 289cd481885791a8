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

/** Fixed notation, since `1e-7s` would read as no duration. */
export const printDuration = ({ ms }: Duration): string =>
  `${(ms / 1_000).toFixed(9).replace(/\.?0+$/, '')}s`;

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

export const failureOf = (read: unknown): CelFailure | null => (read instanceof CelFailure ? read : null);

export type Evaluated = CelValue | CelFailure;

/** The kinds that functions and operators tell apart. An integer and a fraction are of one kind, as in JSON. */
export interface ValueOfKind {
  readonly null: null;
  readonly bool: boolean;
  readonly number: number | bigint;
  readonly string: string;
  readonly timestamp: Date;
  readonly duration: Duration;
  readonly list: CelList;
  readonly map: CelMap;
}
export type ValueKind = keyof ValueOfKind;

export function kindOf(value: CelValue): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'bool';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Date) return 'timestamp';
  return value instanceof Duration ? 'duration' : 'map';
}

const kindNames: Readonly<Record<ValueKind, string>> = {
  null: 'null',
  bool: 'true or false',
  number: 'a number',
  string: 'text',
  timestamp: 'a time',
  duration: 'a duration',
  list: 'a list',
  map: 'an object',
};

export const nameKind = (kind: ValueKind): string => kindNames[kind];
export const nameKindOf = (value: CelValue): string => kindNames[kindOf(value)];

export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

export const isMap = (value: CelValue): value is CelMap =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  !(value instanceof Duration);

export const isList = (value: CelValue): value is CelList => Array.isArray(value);

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
  if (value instanceof Duration) return printDuration(value);
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
