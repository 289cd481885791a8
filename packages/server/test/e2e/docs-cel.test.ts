import { describe, expect, test } from 'bun:test';
import {
  type CelEntry,
  functionEntries,
  macroEntries,
  methodEntries,
  operatorEntries,
  sampleOrder,
} from '../../../../scripts/reference/cel-functions.ts';
import { Budget } from '../../src/core/expressions/cel/budget.ts';
import { compileExpression, evaluateToJson } from '../../src/core/expressions/cel/expression.ts';
import { functions, methods } from '../../src/core/expressions/cel/functions.ts';
import { operators } from '../../src/core/expressions/cel/operators.ts';
import { loopMacros } from '../../src/core/expressions/cel/syntax.ts';
import { scopeWith } from '../support/scope.ts';

/** The reference of conditions, docs/reference/cel.md: nothing is missing, and every example is true. */
const all: readonly (readonly [string, Readonly<Record<string, CelEntry>>])[] = [
  ['function', functionEntries],
  ['method', methodEntries],
  ['macro', macroEntries],
  ['operator', operatorEntries],
];

test('every function, method, macro and operator that the evaluator has is described, and no other', () => {
  const names = (table: object) => Object.keys(table).sort();
  expect(names(functionEntries)).toEqual(names(functions));
  expect(names(methodEntries)).toEqual(names(methods));
  // Read by the parser itself, and so in no table.
  expect(names(macroEntries)).toEqual([...loopMacros, 'has', 're2', 'cel.bind'].sort());
  expect(names(operatorEntries)).toEqual([...Object.keys(operators), '&&', '||', '!', '?:'].sort());
});

describe('the examples of', () => {
  for (const [what, entries] of all) {
    for (const [name, { examples }] of Object.entries(entries)) {
      test(`the ${what} ${name} pass the check and have the value that is written there`, () => {
        expect(examples.length).toBeGreaterThan(0);
        for (const [text, value] of examples) {
          expect(text).toContain(name.replace(/^\[\]$/, '[').replace(/^\?:$/, ' ? '));
          const expression = compileExpression(text);
          expression.check();
          const found = evaluateToJson(expression, scopeWith(sampleOrder), new Budget());
          expect([text, found]).toEqual([text, { kind: 'value', value }]);
        }
      });
    }
  }
});
