import type { Budget } from './budget.ts';
import { equals, order } from './compare.ts';
import { add, divide, multiply, negate, remainder, subtract } from './numbers.ts';
import { type Overload, overload } from './overload.ts';
import { durationOf, timeAt } from './time.ts';
import { BOOL, type CelType, commonType, DURATION, DYN, NUMBER, STRING, TIMESTAMP } from './types.ts';
import {
  CelFailure,
  type CelList,
  type CelMap,
  type CelValue,
  type Evaluated,
  type ValueKind,
} from './value.ts';

/** The operators, each with all that it takes. What decides by itself (`&&`, `||`, `?:`) is compiled apart. */
type Calculation = (a: number | bigint, b: number | bigint) => Evaluated;

const ofNumbers = (calculate: Calculation): Overload =>
  overload(['number', 'number'], NUMBER, (_budget, a, b) => calculate(a, b));

const plus: readonly Overload[] = [
  ofNumbers(add),
  overload(['string', 'string'], STRING, (budget, a, b) => {
    budget.build(a.length + b.length);
    return a + b;
  }),
  overload(
    ['list', 'list'],
    types => commonType(types),
    (budget, a, b) => {
      budget.collect(a.length + b.length);
      return [...a, ...b];
    },
  ),
  overload(['timestamp', 'duration'], TIMESTAMP, (_budget, a, b) => timeAt(a.getTime() + b.ms)),
  overload(['duration', 'timestamp'], TIMESTAMP, (_budget, a, b) => timeAt(b.getTime() + a.ms)),
  overload(['duration', 'duration'], DURATION, (_budget, a, b) => durationOf(a.ms + b.ms)),
];

const minus: readonly Overload[] = [
  ofNumbers(subtract),
  overload(['timestamp', 'timestamp'], DURATION, (_budget, a, b) => durationOf(a.getTime() - b.getTime())),
  overload(['timestamp', 'duration'], TIMESTAMP, (_budget, a, b) => timeAt(a.getTime() - b.ms)),
  overload(['duration', 'duration'], DURATION, (_budget, a, b) => durationOf(a.ms - b.ms)),
];

const orderedKinds = ['number', 'string', 'timestamp', 'duration', 'bool'] as const satisfies ValueKind[];

const ordered = (decide: (order: number) => boolean): readonly Overload[] =>
  orderedKinds.map(kind => overload([kind, kind], BOOL, (budget, a, b) => decide(order(a, b, budget))));

function isInList(item: CelValue, list: CelList, budget: Budget): boolean {
  for (const other of list) {
    budget.spend(1);
    if (equals(item, other, budget)) return true;
  }
  return false;
}

/** Whoever asks knows the words for it. */
export const absentEntry = new CelFailure('absent', 'there is no such entry');

const itemAt = (list: CelList, at: number | bigint): Evaluated =>
  list[Number(at)] ?? (Number(at) in list ? null : absentEntry);

export const fieldOf = (map: CelMap, name: string): Evaluated =>
  Object.hasOwn(map, name) ? (map[name] ?? null) : absentEntry;

const itemType = ([list]: readonly CelType[]): CelType => (list?.kind === 'list' ? list.item : DYN);
const valueType = ([map]: readonly CelType[]): CelType => (map?.kind === 'map' ? map.value : DYN);

export const operators = {
  '+': plus,
  '-': minus,
  '*': [ofNumbers(multiply)],
  '/': [ofNumbers(divide)],
  '%': [ofNumbers(remainder)],
  '==': [overload(['any', 'any'], BOOL, (budget, a, b) => equals(a, b, budget))],
  '!=': [overload(['any', 'any'], BOOL, (budget, a, b) => !equals(a, b, budget))],
  '<': ordered(found => found < 0),
  '<=': ordered(found => found <= 0),
  '>': ordered(found => found > 0),
  '>=': ordered(found => found >= 0),
  in: [
    overload(['any', 'list'], BOOL, (budget, item, list) => isInList(item, list, budget)),
    overload(['any', 'map'], BOOL, (_budget, key, map) => typeof key === 'string' && Object.hasOwn(map, key)),
  ],
  '[]': [
    overload(['list', 'number'], itemType, (_budget, list, at) => itemAt(list, at)),
    overload(['map', 'string'], valueType, (_budget, map, key) => fieldOf(map, key)),
  ],
} as const satisfies Record<string, readonly Overload[]>;

export const negation: readonly Overload[] = [overload(['number'], NUMBER, (_budget, a) => negate(a))];
