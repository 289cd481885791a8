import type { ConditionCheck } from '@sluice/contract/dashboard-pipelines';
import { compileExpression } from '../../../core/expressions/cel/expression.ts';
import { compileCondition } from '../../../core/expressions/condition.ts';
import { ExpressionError } from '../../../core/expressions/expression-error.ts';
import type { Calls } from '../calls.ts';

/** Tells an editor what is wrong with a text while it is being written: an answer like any other, no refusal. */
export function conditionCalls(calls: Calls): void {
  calls.on('POST /conditions/check', 'read', async call => {
    const { condition, expression } = await call.body();
    return call.answer(
      check(() => {
        if (condition !== undefined) compileCondition(condition).check();
        else compileExpression(expression ?? '').check();
      }),
    );
  });
}

function check(compile: () => void): ConditionCheck {
  try {
    compile();
    return { valid: true };
  } catch (error) {
    if (error instanceof ExpressionError)
      return { valid: false, message: error.message, position: error.position };
    throw error;
  }
}
