import type { Found } from '@sluice/contract/dashboard-search';
import { type IdPrefix, isId } from '../../../core/ids.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { EntityStore } from '../../../core/stores/entities.ts';
import type { JobStore } from '../../../core/stores/jobs.ts';
import type { Calls } from '../calls.ts';
import type { LimitedJournal } from './search-limit.ts';

/** More than that nobody reads: they type another letter. */
const MOST_FOUND = 20;

/** Where it is looked for. */
interface Searched {
  readonly configuration: Pick<ConfigurationStore, 'listDestinations' | 'listPipelines' | 'listSources'>;
  readonly journal: Pick<LimitedJournal, 'findEvent'>;
  readonly deliveryQueue: Pick<DeliveryQueue, 'findDelivery'>;
  readonly entities: Pick<EntityStore, 'findEntity' | 'findEntitiesByPrefix'>;
  readonly jobs: Pick<JobStore, 'findJob'>;
}

/**
 * For the palette: what has this id, what has a name with this in it, and entities whose external id begins so. All of it
 * is looked up by an index or in lists that are short, so that it is quick however much came in.
 */
export function searchCalls(calls: Calls, searched: Searched): void {
  calls.on('GET /search', 'read', async call => {
    const text = call.query().text.trim();
    if (text === '') return call.answer([]);
    const { orgId } = call.session;
    const parts = await Promise.all([
      byId(searched, orgId, text),
      byName(searched, orgId, text),
      entitiesCalled(searched, orgId, text),
    ]);
    return call.answer(parts.flat().slice(0, MOST_FOUND));
  });
}

/** What there are many of is found by its whole id; case and blanks around it do not count. */
async function byId(
  { journal, deliveryQueue, jobs }: Searched,
  orgId: string,
  text: string,
): Promise<Found[]> {
  const [prefix = '', rest = ''] = text.split('_');
  const id = `${prefix.toLowerCase()}_${rest.toUpperCase()}`;
  const is = (one: IdPrefix) => isId(one, id);
  if (is('evt')) {
    const event = await journal.findEvent(orgId, id);
    return event ? [{ kind: 'event', id, label: event.type, to: `/events/${id}` }] : [];
  }
  if (is('dlv')) {
    const delivery = await deliveryQueue.findDelivery(orgId, id);
    if (delivery === null) return [];
    const label = `${delivery.eventType} to ${delivery.destination.name}`;
    return [{ kind: 'delivery', id, label, to: `/deliveries/${id}` }];
  }
  if (is('job')) {
    const job = await jobs.findJob(orgId, id);
    return job ? [{ kind: 'job', id, label: job.kind, to: `/jobs/${id}` }] : [];
  }
  return [];
}

async function byName({ configuration }: Searched, orgId: string, text: string): Promise<Found[]> {
  const wanted = text.toLowerCase();
  const lists = [
    { kind: 'source', page: 'sources', rows: await configuration.listSources(orgId) },
    { kind: 'pipeline', page: 'pipelines', rows: await configuration.listPipelines(orgId) },
    { kind: 'destination', page: 'destinations', rows: await configuration.listDestinations(orgId) },
  ] as const;
  const found = lists.flatMap(({ kind, page, rows }) =>
    rows
      .filter(({ id, name }) => name.toLowerCase().includes(wanted) || id.toLowerCase() === wanted)
      .map(({ id, name }) => ({ kind, id, label: name, to: `/${page}/${id}` })),
  );
  const rank = ({ label }: Found) => Number(!label.toLowerCase().startsWith(wanted));
  return found.sort((a, b) => rank(a) - rank(b));
}

/** By how the external id begins, whatever the kind, or as `kind:external_id`. */
async function entitiesCalled({ entities }: Searched, orgId: string, text: string): Promise<Found[]> {
  const colon = text.indexOf(':');
  const named = { kind: text.slice(0, Math.max(0, colon)), externalId: text.slice(colon + 1) };
  const [exact, found] = await Promise.all([
    named.kind === '' ? null : entities.findEntity(orgId, named),
    entities.findEntitiesByPrefix(orgId, text, MOST_FOUND),
  ]);
  return [...(exact ? [exact] : []), ...found].map(({ kind, externalId }) => ({
    kind: 'entity',
    id: `${kind}:${externalId}`,
    label: externalId,
    to: `/entities/${encodeURIComponent(kind)}/${encodeURIComponent(externalId)}`,
  }));
}
