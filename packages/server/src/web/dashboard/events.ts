import type { StepTrace } from '@sluice/contract';
import { type EventRow, eventFilter } from '@sluice/contract/dashboard-events';
import type { RunRecord } from '@sluice/contract/dashboard-pipelines';
import { z } from 'zod';
import { seconds, toRfc3339 } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import type { StoredEvent } from '../../core/event.ts';
import { type JsonObject, parseJson, stringifyJson } from '../../core/json.ts';
import type { Storage } from '../../core/ports.ts';
import type { StoredRun } from '../../core/ports-storage-pipeline.ts';
import { pagingQuery } from '../paging.ts';
import type { Calls } from './calls.ts';
import { showDelivery } from './deliveries.ts';
import { toFilter } from './event-filter.ts';
import { optionalTime } from './records.ts';

/** A search goes back through time for this long, then says how far it came. */
const SEARCH_BUDGET_MS = seconds(2);

/** An event has one for each destination of its pipelines, and as many again for each replay. */
const EVERY_DELIVERY = { limit: 1_000, below: null };

const eventsQuery = z.strictObject({ ...eventFilter, ...pagingQuery });

type EventStorage = Pick<
  Storage,
  'listEvents' | 'findEvent' | 'listRuns' | 'listDeliveries' | 'listAttempts'
>;

/** What these calls ask of the pipelines; see `pipeline/desk.ts`. */
export interface TraceReader {
  showTrace(
    trace: string,
    payload: JsonObject,
  ): { readonly steps: readonly StepTrace[]; readonly cutAt: number | null };
}

/** What came in: searched, and one at a time with its payload and all that became of it. */
export function eventCalls(
  calls: Calls,
  { storage, pipelineDesk }: { readonly storage: EventStorage; readonly pipelineDesk: TraceReader },
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
    const runs = await storage.listRuns(session.orgId, event.id);
    const payload = runs.length === 0 ? {} : (parseJson(event.payload) as JsonObject);
    const record = stringifyJson({
      ...toRow(event),
      runs: runs.map(run => showRun(run, pipelineDesk.showTrace(run.trace, payload))),
      deliveries: shown,
    });
    // The payload goes out as the text it is stored as: read and written again, some numbers would change.
    const text = `{"data":${record.slice(0, -1)},"payload":${event.payload}}}`;
    return new Response(text, { headers: { 'Content-Type': 'application/json' } });
  });
}

const showRun = (run: StoredRun, { steps, cutAt }: ReturnType<TraceReader['showTrace']>): RunRecord => ({
  id: run.id,
  pipeline: { id: run.pipelineId, name: run.pipelineName, version: run.version },
  outcome: run.outcome,
  step: run.step,
  reason: run.reason,
  steps: [...steps],
  cut_at: cutAt,
  routing: [...run.notes],
  replay: run.jobId,
  at: toRfc3339(run.createdAt),
});

export const toRow = (event: StoredEvent): EventRow => ({
  id: event.id,
  type: event.type,
  icon: event.icon,
  state: event.state,
  sources: [...event.sources],
  entity: event.entity && { kind: event.entity.kind, external_id: event.entity.externalId },
  timestamp: toRfc3339(event.happenedAt),
  received_at: toRfc3339(event.receivedAt),
});
