import { systemSourceId } from '../core/event/system-source.ts';
import type { Trouble } from '../core/stores/alerts.ts';
import type { ConfigurationStore } from '../core/stores/configuration.ts';

/**
 * Destinations that get nothing but system events. What happens to these raises none: a chat that is down must not be
 * told of itself. Asked for one look, so that the pipelines of an organisation are read once.
 */
export function createSystemRoutes(configuration: Pick<ConfigurationStore, 'listPipelines'>) {
  const ofOrganisation = new Map<string, Promise<ReadonlySet<string>>>();

  function of(orgId: string): Promise<ReadonlySet<string>> {
    const known = ofOrganisation.get(orgId) ?? read(orgId);
    ofOrganisation.set(orgId, known);
    return known;
  }

  async function read(orgId: string): Promise<ReadonlySet<string>> {
    const system = systemSourceId(orgId);
    const [own, others] = [new Set<string>(), new Set<string>()];
    for (const { definition } of await configuration.listPipelines(orgId)) {
      const { sources, destinations } = routesIn(definition);
      const isOwn = sources.length > 0 && sources.every(id => id === system);
      for (const { id } of destinations) (isOwn ? own : others).add(id);
    }
    return own.difference(others);
  }

  return {
    /** The trouble without what is there for system events alone; null where nothing is left of it. */
    async withoutOwn(trouble: Trouble, leastWaiting: number): Promise<Trouble | null> {
      const { orgId, type, subject, counts, waitingAt } = trouble;
      if (type === 'sluice.destination.down') return (await of(orgId)).has(subject.id) ? null : trouble;
      if (waitingAt === undefined) return trouble;
      const own = await of(orgId);
      const events = counts.events ?? 0;
      const deliveries = waitingAt
        .filter(({ destinationId }) => !own.has(destinationId))
        .reduce((sum, { count }) => sum + count, 0);
      return events + deliveries < leastWaiting ? null : { ...trouble, counts: { events, deliveries } };
    },
  };
}

const routesIn = (
  definition: string,
): { readonly sources: readonly string[]; readonly destinations: readonly { readonly id: string }[] } =>
  JSON.parse(definition) as ReturnType<typeof routesIn>;
