import { z } from 'zod';
import { seconds } from '../../core/clock.ts';
import type { Scope } from '../../core/event/scope.ts';
import { Budget, OverBudget } from '../../core/expressions/cel/budget.ts';
import { compileExpression, type Expression, evaluateToJson } from '../../core/expressions/cel/expression.ts';
import { readAt } from '../../core/expressions/expression-error.ts';
import { canonicalJson, sha256Hex } from '../../core/json/canonical.ts';
import type { StepPorts } from '../ports/registry.ts';
import { defineStep, type RunState, type StepOutcome } from '../step.ts';

/**
 * Drops what was here before. The step only looks: a key it has not seen goes with the run and is written when
 * that is settled, where the first to commit wins, also between nodes. An event that comes again (a retry, a
 * replay) finds its own key and passes.
 */
export const dedupe = defineStep({
  name: 'dedupe',
  title: 'Deduplicate',
  class: 'control',
  needs: ['dedupe', 'clock'],
  docs:
    'Drops events whose key was seen before, within a window of time. The key is an expression in CEL; an event ' +
    'that has no such key passes. Of several at the same time the first to be settled wins.',
  config: z.strictObject({
    key: z.string().default('payload.id').meta({
      title: 'Key',
      description: 'Events with the same value of this expression are the same event',
      format: 'cel-value',
    }),
    window_s: z
      .int()
      .min(1, 'must be 1 to 31536000.')
      .max(31_536_000, 'must be 1 to 31536000.')
      .default(86_400)
      .meta({ title: 'Window in seconds' }),
  }),
  examples: [
    { title: 'By the id in the payload, within a day', config: { key: 'payload.id', window_s: 86_400 } },
    {
      title: 'One alert per host and hour',
      config: { key: '[payload.host, payload.alert]', window_s: 3_600 },
    },
  ],

  compile(config, path) {
    const key = readAt(`${path}.key`, () => compileExpression(config.key));
    const windowMs = seconds(config.window_s);
    return {
      readsTraits: key.readsTraits,
      check: () => void readAt(`${path}.key`, key.check),
      bind: ports => state => lookFor(key, windowMs, state, ports),
    };
  },
});

function lookFor(
  key: Expression,
  windowMs: number,
  state: RunState,
  ports: Pick<StepPorts, 'dedupe' | 'clock'>,
): StepOutcome | Promise<StepOutcome> {
  const found = hashKey(key, state.scope);
  if (found.kind !== 'key') return found.outcome;
  const claim = {
    scope: `${state.pipelineId}:${sha256Hex(key.text).slice(0, 16)}`,
    key: found.hash,
    windowMs,
  };
  return ports.dedupe.findClaim(state.orgId, claim.scope, claim.key, ports.clock.now()).then(first => {
    if (first === null) return { kind: 'keep', claim };
    if (first === state.event.id) return { kind: 'keep', claim, note: 'the same event again' };
    return { kind: 'drop', note: `${key.text} was seen before, in ${first}` };
  });
}

type HashedKey =
  | { readonly kind: 'key'; readonly hash: string }
  | { readonly kind: 'none'; readonly outcome: StepOutcome };

function hashKey(key: Expression, scope: Scope): HashedKey {
  try {
    const found = evaluateToJson(key, scope, new Budget());
    if (found.kind === 'value' && found.value !== null)
      return { kind: 'key', hash: sha256Hex(canonicalJson(found.value)) };
    const why = found.kind === 'none' ? found.note : `${key.text} is null`;
    return { kind: 'none', outcome: { kind: 'keep', note: `no key: ${why}` } };
  } catch (error) {
    if (error instanceof OverBudget)
      return { kind: 'none', outcome: { kind: 'fail', reason: error.message } };
    throw error;
  }
}
