import { describe, expect, test } from 'bun:test';
import { samples } from '../../../../test/support/condition-generator.ts';
import { sweepConditions, TYPE_MISMATCH } from '../../../../test/support/condition-sweep.ts';
import { scopeWith } from '../../../../test/support/scope.ts';
import { ExpressionError } from '../expression-error.ts';
import { Budget } from './budget.ts';
import { checkNode } from './check.ts';
import { outermost } from './code.ts';
import { compileNode } from './compile.ts';
import { functions, methods } from './functions.ts';
import { operators } from './operators.ts';
import { parseExpression } from './parse.ts';
import { CelFailure } from './value.ts';

/** Whatever is generated has a value, none with a reason, or is refused with its place; `npm run bench` takes more. */
describe('1,000 generated conditions meet no exception, and no mismatch that the checker let pass', () => {
  test.each([11, 12, 13, 14, 15])('with the seed %d', seed => {
    const { accepted, refused, wrong } = sweepConditions(1_000, seed);
    expect(wrong).toEqual([]);
    expect(accepted).toBeGreaterThan(300);
    expect(refused).toBeGreaterThan(100);
  });
});

const scope = scopeWith({});

/** What becomes of it without the checker. */
function evaluateUnchecked(text: string): unknown {
  const value = compileNode(
    parseExpression(text),
    outermost(text),
  )({ scope, budget: new Budget(), locals: [] });
  return value instanceof CelFailure && TYPE_MISMATCH.test(value.note) ? 'mismatch' : value;
}

function verdict(text: string): string {
  try {
    checkNode(parseExpression(text), new Map());
    return 'passes';
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

/** Where the two do not say the same. A comparison is refused where it could have only one result. */
function disagreements(texts: readonly string[]): string[] {
  return texts.flatMap(text => {
    const [said, found] = [verdict(text), evaluateUnchecked(text)];
    const agrees =
      said === 'passes'
        ? found !== 'mismatch'
        : said.includes('never equals')
          ? found === text.includes('!=')
          : found === 'mismatch' || (found instanceof CelFailure && !said.includes('does not go'));
    return agrees ? [] : [`${text}: ${said}, but ${String(found)}`];
  });
}

const values = Object.values(samples).map(([first = 'null']) => first);
const pairs = values.flatMap(a => values.map(b => [a, b] as const));

/** Every choice of so many values. */
const choices = (count: number): readonly (readonly string[])[] =>
  count === 0 ? [[]] : choices(count - 1).flatMap(some => values.map(value => [...some, value]));

describe('checker and evaluator agree for values of every kind on', () => {
  for (const operator of Object.keys(operators).filter(name => name !== '[]')) {
    test(operator, () => {
      expect(disagreements(pairs.map(([a, b]) => `${a} ${operator} ${b}`))).toEqual([]);
    });
  }

  test('what else there is in the grammar', () => {
    const texts = [
      ...pairs.map(([a, b]) => `${a}[${b}]`),
      ...pairs.map(([a, b]) => `{${a}: ${b}}`),
      ...values.flatMap(a => [`!${a}`, `-${a}`, `(${a}).a`, `${a} ? 1 : 2`, `true && ${a}`, `false || ${a}`]),
      ...values.flatMap(a =>
        ['all', 'exists', 'exists_one', 'filter', 'map'].map(macro => `${a}.${macro}(x, true)`),
      ),
      ...values.map(a => `re2(${a}, "x")`),
    ];
    expect(disagreements(texts)).toEqual([]);
  });

  for (const [name, overloads] of Object.entries(functions)) {
    test(`${name}()`, () => {
      const texts = overloads.flatMap(({ params }) =>
        choices(params.length).map(args => `${name}(${args.join(', ')})`),
      );
      expect(disagreements(texts)).toEqual([]);
    });
  }

  for (const [name, overloads] of Object.entries(methods)) {
    test(`value.${name}()`, () => {
      const texts = overloads.flatMap(({ params }) =>
        choices(params.length).map(([receiver, ...args]) => `${receiver}.${name}(${args.join(', ')})`),
      );
      expect(disagreements(texts)).toEqual([]);
    });
  }
});
