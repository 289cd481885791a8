import type { Scope } from '../../event/scope.ts';
import type { Json } from '../../json/json.ts';
import { ExpressionError } from '../expression-error.ts';
import type { Budget } from './budget.ts';
import { checkNode } from './check.ts';
import { outermost } from './code.ts';
import { compileNode } from './compile.ts';
import { parseExpression } from './parse.ts';
import type { CelType } from './types.ts';
import { CelFailure, type Evaluated, toJson } from './value.ts';

/** A CEL expression, read once, evaluated for every event. */
export interface Expression {
  readonly text: string;
  /** Whether it reads traits, which have to be fetched first. */
  readonly readsTraits: boolean;
  evaluate(scope: Scope, budget: Budget): Evaluated;
  /**
   * Its type. Throws an `ExpressionError` where some part of it has a value for no event. To be asked for by whoever
   * saves it or tries it out: what was stored under another rule is evaluated, and that part does not match.
   */
  check(): CelType;
}

/** Throws an `ExpressionError` where it does not read at all. */
export function compileExpression(text: string): Expression {
  if (text.trim() === '') throw new ExpressionError('An expression is expected', 0);
  const node = parseExpression(text);
  const around = outermost(text);
  const code = compileNode(node, around);
  return {
    text,
    readsTraits: around.needs.traits,
    evaluate: (scope, budget) => code({ scope, budget, locals: [] }),
    check: () => checkNode(node, new Map()),
  };
}

type ExpressionValue =
  | { readonly kind: 'value'; readonly value: Json }
  /** It reads something that is not there, or that has another type. */
  | { readonly kind: 'none'; readonly note: string };

/** The value as JSON. Throws `OverBudget` alone. */
export function evaluateToJson(expression: Expression, scope: Scope, budget: Budget): ExpressionValue {
  const value = expression.evaluate(scope, budget);
  if (value instanceof CelFailure) return { kind: 'none', note: value.note };
  const json = toJson(value, budget);
  return json === undefined
    ? { kind: 'none', note: `${expression.text} has no value in JSON` }
    : { kind: 'value', value: json };
}
