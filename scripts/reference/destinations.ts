import { deliveryPolicy } from '../../packages/contract/src/dashboard-deliveries.ts';
import { describeKind } from '../../packages/server/src/core/kinds/kind.ts';
import { destinationKinds } from '../../packages/server/src/delivery/destinations/registry.ts';
import { json, renderKind } from './kinds.ts';

/** One section for each kind of destination, from what it says of itself. */
export function renderDestinations(): string {
  return `# Destinations

The kinds of destinations, as they describe themselves. [destinations.md](../destinations.md) tells how they are used.
Every kind takes a \`name\`, a \`config\` as below, and a \`policy\`, which is this unless you say otherwise:

${json(deliveryPolicy.parse({}))}

${destinationKinds.map(kind => renderKind(describeKind(kind))).join('\n')}`;
}
