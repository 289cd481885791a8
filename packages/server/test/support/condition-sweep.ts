import { Budget, OverBudget } from '../../src/core/expressions/cel/budget.ts';
import { compileExpression, evaluateToJson } from '../../src/core/expressions/cel/expression.ts';
import { CelFailure } from '../../src/core/expressions/cel/value.ts';
import { ExpressionError } from '../../src/core/expressions/expression-error.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { conditionGenerator } from './condition-generator.ts';
import { scopeWith } from './scope.ts';

/** Generated conditions through the checker and the evaluator: what became of them, and what should not have. */
interface Sweep {
  readonly accepted: number;
  readonly refused: number;
  /** Neither a value nor a refusal with its place; or a type mismatch that the checker could have seen. */
  readonly wrong: readonly string[];
}

const payloads: readonly JsonObject[] = [
  {},
  { n: 5, t: 'text 😀', list: [1, 2, 'x', null], map: { a: 1, b: [true] } },
  { n: 'five', t: 12.5, list: { k: 1 }, map: null },
];

/** How the evaluator says that something does not go with such values. */
export const TYPE_MISMATCH =
  /does not go with|has no fields|not true or false|has no \[|key must be text|looks at text|needs true or false/;

export function sweepConditions(count: number, seed: number): Sweep {
  const generator = conditionGenerator(seed);
  const scopes = payloads.map(payload => scopeWith(payload, { labels: { x: 'high' } }));
  const counts = { accepted: 0, refused: 0 };
  const wrong: string[] = [];
  for (let i = 0; i < count; i++) {
    const isKnown = i % 2 === 1;
    const text = isKnown ? generator.known() : generator.any();
    try {
      const expression = compileExpression(text);
      expression.check();
      counts.accepted++;
      for (const scope of scopes) {
        // Far less than is allowed: what is generated is small, and there are many.
        const value = expression.evaluate(scope, new Budget(2_000_000));
        evaluateToJson(expression, scope, new Budget(2_000_000));
        if (isKnown && value instanceof CelFailure && TYPE_MISMATCH.test(value.note))
          wrong.push(`${text}: passed the checker, and then: ${value.note}`);
      }
    } catch (error) {
      if (error instanceof OverBudget) continue;
      if (!(error instanceof ExpressionError)) wrong.push(`${text}: ${error}`);
      else if (!(error.position >= 0 && error.position <= text.length))
        wrong.push(`${text}: ${error.position}`);
      else counts.refused++;
    }
  }
  return { ...counts, wrong };
}
