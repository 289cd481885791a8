import { type EventRow, eventFilter } from '@sluice/contract/dashboard-events';
import { z } from 'zod';
import { seconds, toRfc3339 } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import type { StoredEvent } from '../../core/event.ts';
import type { EventFilter, Storage } from '../../core/ports.ts';
import { pagingQuery } from '../paging.ts';
import type { Calls } from './calls.ts';
import { showDelivery } from './deliveries.ts';
import { optionalTime } from './records.ts';

/** A search goes back through time for this long, then says how far it came. */
const SEARCH_BUDGET_MS = seconds(2);

/** An event has one for each destination of its pipelines, and as many again for each replay. */
const EVERY_DELIVERY = { limit: 1_000, below: null };

const eventsQuery = z.strictObject({ ...eventFilter, ...pagingQuery });

/** What came in: searched, and one at a time with its payload. */
export function eventCalls(
  calls: Calls,
  {
    storage,
  }: { readonly storage: Pick<Storage, 'listEvents' | 'findEvent' | 'listDeliveries' | 'listAttempts'> },
): void {
  calls.on('GET /events', 'read', async call => {
    const query = call.query(eventsQuery);
    const page = call.page('events', query);
    const { events, next, searchedTo } = await storage.listEvents(call.session.orgId, toFilter(query), {
      limit: page.limit,
      below: page.position,
      budgetMs: SEARCH_BUDGET_MS,
    });
    return page.answer(events.map(toRow), next, { searched_to: optionalTime(searchedTo) });
  });

  calls.on('GET /events/:id', 'read', async ({ session, param }) => {
    const event = await storage.findEvent(session.orgId, param('id'));
    if (event === null) throw new Problem('not_found');
    const deliveries = await storage.listDeliveries(session.orgId, { event: event.id }, EVERY_DELIVERY);
    const shown = await Promise.all(
      deliveries.map(async one => showDelivery(one, await storage.listAttempts(one.orgId, one.id))),
    );
    const record = JSON.stringify({ ...toRow(event), runs: [], deliveries: shown });
    // The payload goes out as the text it is stored as: read and written again, some numbers would change.
    const text = `{"data":${record.slice(0, -1)},"payload":${event.payload}}}`;
    return new Response(text, { headers: { 'Content-Type': 'application/json' } });
  });
}

function toFilter({ entity, ...query }: z.output<typeof eventsQuery>): EventFilter {
  const { state, source, type, text, after, before } = query;
  const tied = entity && { kind: entity.kind, externalId: entity.external_id };
  return { state, source, type, text, after, before, entity: tied };
}

const toRow = (event: StoredEvent): EventRow => ({
  id: event.id,
  type: event.type,
  icon: event.icon,
  state: event.state,
  sources: [...event.sources],
  entity: event.entity && { kind: event.entity.kind, external_id: event.entity.externalId },
  timestamp: toRfc3339(event.happenedAt),
  received_at: toRfc3339(event.receivedAt),
});
