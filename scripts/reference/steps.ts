import { MOST_STEPS } from '../../packages/contract/src/pipeline.ts';
import { describeKind } from '../../packages/server/src/core/kinds/kind.ts';
import { stepKinds } from '../../packages/server/src/pipeline/steps/registry.ts';
import { renderKind } from './kinds.ts';

/** One section for each kind of step, from what it says of itself. */
export function renderSteps(): string {
  return `# Steps

The kinds of steps, as they describe themselves. [pipelines.md](../pipelines.md) tells how they are used. A pipeline takes
up to ${MOST_STEPS}, in any order, each with its \`kind\` and its \`config\` as below. Fields of type string that hold a condition or a
key are [CEL](../conditions.md).

${stepKinds.map(kind => renderKind(describeKind(kind))).join('\n')}`;
}
