import { MOST_STEPS } from '../../packages/contract/src/pipeline.ts';
import { describeKind } from '../../packages/server/src/core/kinds/kind.ts';
import { stepKinds } from '../../packages/server/src/pipeline/steps/registry.ts';
import { kindTable, renderKind } from './kinds.ts';

/** An overview of the kinds of steps, and a page for each, from what it says of itself. */
export function stepPages(): Record<string, string> {
  const kinds = stepKinds.map(describeKind);
  const overview = `# Steps

The kinds of steps, as they describe themselves. [pipelines.md](../pipelines.md) tells how they are used. A pipeline takes
up to ${MOST_STEPS}, in any order, each with its \`kind\` and its \`config\`. Fields of type string that hold a condition or a
key are [CEL](cel.md).

${kindTable('Step', 'steps', kinds)}
`;
  const more =
    'All kinds of steps: [Steps](../steps.md). How they work together: [Pipelines](../../pipelines.md).';
  return Object.fromEntries([
    ['steps.md', overview],
    ...kinds.map(kind => [`steps/${kind.kind}.md`, `${renderKind(kind)}\n${more}\n`] as const),
  ]);
}
