import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { differences } from '../../../../test/corpus/cel-differences.ts';
import { scopeWith } from '../../../../test/support/scope.ts';
import { ExpressionError } from '../expression-error.ts';
import { Budget } from './budget.ts';
import { checkNode } from './check.ts';
import { outermost } from './code.ts';
import { compileNode } from './compile.ts';
import { parseExpression } from './parse.ts';
import { DYN } from './types.ts';
import { CelFailure, type CelValue, Duration, isList, isMap } from './value.ts';

/** The expressions of CEL's own conformance tests, through the checker and the evaluator. */
interface Case {
  /** `file/section/test`. */
  readonly name: string;
  readonly expr: string;
  /** Not to be checked first, as CEL's tests ask where they are about the evaluator alone. */
  readonly unchecked?: true;
  readonly bindings?: Readonly<Record<string, Encoded>>;
  readonly value?: Encoded;
  readonly error?: true;
}

/** What JSON has a word for stands for itself. */
type Encoded =
  | null
  | boolean
  | number
  | string
  | readonly Encoded[]
  | { readonly int: string }
  | { readonly double: string }
  | { readonly map: Readonly<Record<string, Encoded>> | readonly unknown[] }
  | { readonly timestamp: readonly [number, number] }
  | { readonly duration: readonly [number, number] }
  | { readonly uint: string }
  | { readonly bytes: readonly number[] }
  | { readonly type: string };

/** Of a kind that is not offered: equal to nothing. */
const NOT_OFFERED = Symbol('a value that is not offered');
type Decoded = CelValue | typeof NOT_OFFERED;

function decode(encoded: Encoded): Decoded {
  if (typeof encoded !== 'object' || encoded === null) return encoded;
  if (Array.isArray(encoded)) return encoded.map(decode) as CelValue;
  if ('int' in encoded) return BigInt(encoded.int);
  if ('double' in encoded) return Number(encoded.double);
  if ('timestamp' in encoded) return new Date(toMs(encoded.timestamp));
  if ('duration' in encoded) return new Duration(toMs(encoded.duration));
  if (!('map' in encoded) || Array.isArray(encoded.map)) return NOT_OFFERED;
  return Object.fromEntries(
    Object.entries(encoded.map).map(([key, value]) => [key, decode(value)]),
  ) as CelValue;
}

const toMs = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1_000 + nanoseconds / 1_000_000;

/** An integer is the same as a double of that value: numbers are one kind. */
function comparable(value: CelValue): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (isList(value)) return value.map(comparable);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, comparable(item ?? null)]));
}

type Outcome = 'passes' | 'differs' | 'is refused';

function run({ expr, unchecked, bindings = {}, value, error }: Case): Outcome {
  const names = Object.keys(bindings);
  const locals = names.map(name => decode(bindings[name] as Encoded) as CelValue);
  try {
    const node = parseExpression(expr);
    const code = compileNode(node, {
      ...outermost(expr),
      variables: new Map(names.map((name, slot) => [name, slot])),
      needs: { slots: names.length, traits: false },
    });
    if (!unchecked) checkNode(node, new Map(names.map(name => [name, DYN])));
    const found = code({ scope: scopeWith({}), budget: new Budget(), locals });
    if (found instanceof CelFailure || error)
      return found instanceof CelFailure && error ? 'passes' : 'differs';
    const expected = decode(value as Encoded);
    if (expected === NOT_OFFERED) return 'differs';
    return Bun.deepEquals(comparable(found), comparable(expected), true) ? 'passes' : 'differs';
  } catch (thrown) {
    if (!(thrown instanceof ExpressionError)) throw thrown;
    // What must fail for every event may as well be refused when it is saved.
    return error ? 'passes' : 'is refused';
  }
}

const [, ...lines] = readFileSync(
  new URL('../../../../test/corpus/cel-conformance.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n');
const cases = lines.map(line => JSON.parse(line) as Case);
const fileOf = ({ name }: { name: string }) => name.slice(0, name.indexOf('/'));

const known = new Map<string, string>(
  differences.flatMap(({ title, cases }) =>
    cases.flatMap(({ section, names }) =>
      names.split(/\s+/).map((name): [string, string] => [`${section}/${name}`, title]),
    ),
  ),
);

describe('a conformance test of CEL passes, unless its difference is deliberate', () => {
  for (const file of new Set(cases.map(fileOf))) {
    test(file, () => {
      const found = cases.filter(one => fileOf(one) === file).map(one => ({ ...one, outcome: run(one) }));
      const surprising = found.filter(({ name, outcome }) => (outcome === 'passes') === known.has(name));
      expect(surprising.map(({ name, expr, outcome }) => `${name} ${outcome}: ${expr}`)).toEqual([]);
    });
  }
});

describe('the deliberate differences', () => {
  test('are of cases that there are', () => {
    const names = new Set(cases.map(({ name }) => name));
    expect([...known.keys()].filter(name => !names.has(name))).toEqual([]);
  });

  test('are listed for the reader with their reasons', () => {
    const guide = readFileSync(new URL('../../../../../../docs/conditions.md', import.meta.url), 'utf8');
    expect(differences.map(({ title }) => title).filter(title => !guide.includes(title))).toEqual([]);
  });
});
