import { deliveryPolicy } from '../../packages/contract/src/dashboard-deliveries.ts';
import { describeKind } from '../../packages/server/src/core/kinds/kind.ts';
import { destinationKinds } from '../../packages/server/src/delivery/destinations/registry.ts';
import { json, kindTable, renderKind } from './kinds.ts';

/** An overview of the kinds of destinations, and a page for each, from what it says of itself. */
export function destinationPages(): Record<string, string> {
  const kinds = destinationKinds.map(describeKind);
  const overview = `# Kinds of destinations

The kinds of destinations, as they describe themselves. [destinations.md](../destinations.md) tells how they are used.

${kindTable('Destination', 'destinations', kinds)}

Every kind takes a \`name\`, a \`config\` as its page has it, and a \`policy\`, which is this unless you say otherwise:

${json(deliveryPolicy.parse({}))}
`;
  const more =
    'All kinds: [Kinds of destinations](../destinations.md), with the policy of retries that they share. When something does not\narrive: [Troubleshooting](../../troubleshooting.md).';
  return Object.fromEntries([
    ['destinations.md', overview],
    ...kinds.map(kind => [`destinations/${kind.kind}.md`, `${renderKind(kind)}\n${more}\n`] as const),
  ]);
}
