import type { DeliveryRecord, EventRecord } from '@sluice/contract/dashboard-letters';
import type { RunRecord, StoppedRunRecord } from '@sluice/contract/dashboard-pipelines';
import { seconds, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { FailedTry } from '../../../core/event/outcome.ts';
import { eventSummaryOf } from '../../../core/event/summary.ts';
import { type JsonObject, parseJson, stringifyJson } from '../../../core/json/json.ts';
import type { PipelineAdmin, ShownTrace } from '../../../core/kinds/pipeline-admin.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { EventQueue, PlannedRun, StoredRun } from '../../../core/stores/event-queue.ts';
import type { Calls } from '../calls.ts';
import { optionalTime } from '../records.ts';
import { MOST_LISTED, showDelivery } from './deliveries.ts';
import { toFilter } from './event-filter.ts';
import type { LimitedJournal } from './search-limit.ts';
import { showTraces } from './traces.ts';

/** A search goes back through time for this long, then says how far it came. */
const SEARCH_BUDGET_MS = seconds(2);

/** An event has a run for each of its pipelines, and as many again for each replay: so many of the latest are shown. */
const MOST_RUNS = 100;
/** An event has a delivery for each destination of its pipelines, and as many again for each replay. */
const MOST_DELIVERIES = 200;
/** Of each, so many of the latest attempts. */
const MOST_ATTEMPTS = 10;
/** Of what was sent and answered so much is shown whole, the newest first; the delivery's own call has all of it. */
const MOST_BODIES = 512 * 1024;

/** What came in: searched, and one at a time with its payload and all that became of it. */
export function eventCalls(
  calls: Calls,
  {
    deliveryQueue,
    configuration,
    journal,
    eventQueue,
    pipelineAdmin,
  }: {
    readonly configuration: Pick<ConfigurationStore, 'findPipelineVersion'>;
    readonly journal: Pick<LimitedJournal, 'excerptPayloads' | 'findEvent' | 'listEvents'>;
    readonly eventQueue: Pick<EventQueue, 'findRetry' | 'listRuns'>;
    readonly deliveryQueue: Pick<DeliveryQueue, 'listAttempts' | 'listDeliveries'>;
    readonly pipelineAdmin: Pick<PipelineAdmin, 'show' | 'showTrace'>;
  },
): void {
  async function listDeliveries(orgId: string, event: string) {
    const found = await deliveryQueue.listDeliveries(
      orgId,
      { event },
      { limit: MOST_DELIVERIES + 1, below: null },
    );
    const deliveries: DeliveryRecord[] = [];
    let room = MOST_BODIES;
    for (const delivery of found.slice(0, MOST_DELIVERIES)) {
      const attempts = await deliveryQueue.listAttempts(orgId, delivery.id, MOST_ATTEMPTS);
      deliveries.push(showDelivery(delivery, attempts, room > 0 ? undefined : MOST_LISTED));
      room -= attempts.reduce((size, { request, response }) => size + request.length + response.length, 0);
    }
    return { deliveries, deliveries_cut: found.length > deliveries.length };
  }

  /** Why it did not go to some destination: what the run noted, and each `when` of its version that was just false. */
  async function routingOf(orgId: string, run: StoredRun, deliveries: readonly DeliveryRecord[]) {
    if (run.outcome !== 'routed') return run.notes;
    const version = await configuration.findPipelineVersion(orgId, run.pipelineId, run.version);
    if (version === null) return run.notes;
    const named = new Set([
      ...run.notes.map(({ destination }) => destination),
      ...deliveries.filter(({ run_id }) => run_id === run.id).map(({ destination }) => destination.id),
    ]);
    const silent = pipelineAdmin
      .show(version.definition)
      .destinations.filter(({ id, when }) => when !== undefined && !named.has(id));
    return [...run.notes, ...silent.map(({ id, when }) => ({ destination: id, note: `${when} is false` }))];
  }

  calls.on('GET /events', 'read', async call => {
    const query = call.query();
    const page = call.page('events', query);
    const { events, next, searchedTo } = await journal.listEvents(
      call.session.orgId,
      toFilter(query),
      { limit: page.limit, below: page.position, budgetMs: SEARCH_BUDGET_MS },
      call.request.signal,
    );
    const excerpts =
      query.excerpt === 'true'
        ? await journal.excerptPayloads(
            call.session.orgId,
            events.map(({ id }) => id),
            query.text,
          )
        : {};
    const rows = events.map(event => {
      const excerpt = excerpts[event.id];
      return { ...eventSummaryOf(event), ...(excerpt && { excerpt }) };
    });
    return page.answer(rows, next, { searched_to: optionalTime(searchedTo) });
  });

  calls.on('GET /events/:id', 'read', async ({ session, param, respond }) => {
    const event = await journal.findEvent(session.orgId, param('id'));
    if (event === null) throw new Problem('not_found');
    const { deliveries, deliveries_cut } = await listDeliveries(session.orgId, event.id);
    const found = await eventQueue.listRuns(session.orgId, event.id, MOST_RUNS + 1);
    const runs = found.slice(-MOST_RUNS);
    const retry = event.state === 'accepted' ? await eventQueue.findRetry(session.orgId, event.id) : null;
    const payload = runs.length === 0 && retry === null ? {} : (parseJson(event.payload) as JsonObject);
    const traces = showTraces(runs, event.payload, trace => pipelineAdmin.showTrace(trace, payload));
    const shown = await Promise.all(
      runs.map(async (run, i) => ({
        ...showRun(run, traces[i] ?? { steps: [], cutAt: 0, tries: [] }),
        // Of a run whose deliveries are not all here, nobody can tell.
        ...(deliveries_cut ? {} : { routing: [...(await routingOf(session.orgId, run, deliveries))] }),
      })),
    );
    const record = stringifyJson({
      ...eventSummaryOf(event),
      sender_id: event.senderId,
      ...(event.headers === undefined
        ? {}
        : { headers: JSON.parse(event.headers) as Record<string, string> }),
      erased_at: optionalTime(event.erasedAt),
      waiting: retry && showRetry(retry, trace => pipelineAdmin.showTrace(trace, payload)),
      runs: shown,
      runs_cut: found.length > runs.length,
      deliveries,
      deliveries_cut,
    } satisfies Omit<EventRecord, 'payload'>);
    // The payload goes out as the text it is stored as: read and written again, some numbers would change.
    const text = `{"data":${record.slice(0, -1)},"payload":${event.payload}}}`;
    return respond(new Response(text, { headers: { 'Content-Type': 'application/json' } }));
  });
}

const showRun = (run: StoredRun, { steps, cutAt, tries }: ShownTrace): RunRecord => ({
  id: run.id,
  pipeline: { id: run.pipelineId, name: run.pipelineName, version: run.version },
  outcome: run.outcome,
  step: run.step,
  reason: run.reason,
  steps: [...steps],
  cut_at: cutAt,
  tries: tries.map(showTry),
  routing: [...run.notes],
  replay: run.jobId,
  at: toRfc3339(run.createdAt),
});

const showTry = ({ at, reason, said }: FailedTry): RunRecord['tries'][number] => ({
  at: toRfc3339(at),
  reason,
  answer: said,
});

/** What waits to be tried again; while a try is under way, its time is over. */
function showRetry(
  planned: readonly PlannedRun[],
  show: (trace: string) => ShownTrace,
): NonNullable<EventRecord['waiting']> {
  const runs = planned.flatMap(({ pipelineId, dueAt, stopped }): StoppedRunRecord[] => {
    if (stopped === undefined) return [];
    const { pipelineName, version, step, trace, tries } = stopped;
    const { steps, cutAt } = show(trace);
    return [
      {
        pipeline: { id: pipelineId, name: pipelineName, version },
        step,
        steps: [...steps],
        cut_at: cutAt,
        until: toRfc3339(dueAt),
        tries: tries.map(showTry),
      },
    ];
  });
  return {
    until: toRfc3339(Math.min(...planned.map(({ dueAt }) => dueAt))),
    retries: Math.max(0, ...planned.map(({ retries }) => retries)),
    runs,
  };
}
