import type { Scope } from '../event/scope.ts';
import { Budget, OverBudget } from './cel/budget.ts';
import { compileExpression, type Expression } from './cel/expression.ts';
import { isBoolean, nameType } from './cel/types.ts';
import { CelFailure, nameKindOf } from './cel/value.ts';
import { ExpressionError } from './expression-error.ts';

/** A CEL expression that is true or false: of `filter.match` and of a destination's `when`. */
export interface Condition {
  readonly text: string;
  readonly readsTraits: boolean;
  evaluate(scope: Scope): ConditionResult;
  /** For whoever saves it or tries it out; throws an `ExpressionError` where it could be true for no event. */
  check(): void;
}

type ConditionResult =
  /** The note says why a condition that ended in an error, or in no boolean, does not match. */
  | { readonly kind: 'decided'; readonly matches: boolean; readonly note?: string }
  | { readonly kind: 'over_budget'; readonly reason: string };

const MATCHES: ConditionResult = { kind: 'decided', matches: true };
const DOES_NOT_MATCH: ConditionResult = { kind: 'decided', matches: false };

/** Throws an `ExpressionError` that knows the character. */
export function compileCondition(text: string): Condition {
  const expression = compileExpression(text);
  return {
    text,
    readsTraits: expression.readsTraits,
    evaluate: scope => decide(expression, scope),
    check() {
      const type = expression.check();
      if (!isBoolean(type))
        throw new ExpressionError(`A condition must be true or false, and this is ${nameType(type)}`, 0);
    },
  };
}

function decide(expression: Expression, scope: Scope): ConditionResult {
  try {
    const value = expression.evaluate(scope, new Budget());
    if (value === true) return MATCHES;
    if (value === false) return DOES_NOT_MATCH;
    const note =
      value instanceof CelFailure ? value.note : `the condition is ${nameKindOf(value)}, not true or false`;
    return { kind: 'decided', matches: false, note };
  } catch (error) {
    if (error instanceof OverBudget) return { kind: 'over_budget', reason: error.message };
    throw error;
  }
}
