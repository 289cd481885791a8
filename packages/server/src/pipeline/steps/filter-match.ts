import { z } from 'zod';
import { compileCondition } from '../../core/expressions/condition.ts';
import { readAt } from '../../core/expressions/expression-error.ts';
import { defineStep } from '../step.ts';

/** The step that keeps or drops an event by a condition. */
export const filterMatch = defineStep({
  name: 'filter.match',
  title: 'Filter',
  class: 'control',
  needs: [],
  docs:
    'Lets only those events pass that match a condition in CEL; the others are dropped, and their record says ' +
    'that this step did it. A condition that reads an absent field does not match.',
  config: z.strictObject({
    condition: z
      .string()
      .meta({ title: 'Condition', description: 'Events that match it pass', format: 'cel' }),
  }),
  examples: [
    { title: 'Only what a model found urgent', config: { condition: 'labels.severity == "critical"' } },
    { title: 'Large orders', config: { condition: 'event.type == "order.created" && payload.total >= 100' } },
  ],

  compile(config, path) {
    const at = `${path}.condition`;
    const condition = readAt(at, () => compileCondition(config.condition));
    return {
      readsTraits: condition.readsTraits,
      check: () => readAt(at, condition.check),
      bind: () => state => {
        const result = condition.evaluate(state.scope);
        if (result.kind === 'over_budget') return { kind: 'fail', reason: result.reason };
        if (result.matches) return { kind: 'keep' };
        return { kind: 'drop', note: result.note ?? `${condition.text} is false` };
      },
    };
  },
});
