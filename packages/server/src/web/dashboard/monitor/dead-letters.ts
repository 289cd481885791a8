import { MOST_EXPORTED_AT_ONCE } from '@sluice/contract/dashboard-events';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { eventSummaryOf } from '../../../core/event/summary.ts';
import type { DeadLetterActions } from '../../../core/jobs/dead-letters.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Journal } from '../../../core/stores/journal.ts';
import type { Calls } from '../calls.ts';
import { showSelection, toSelection } from './dead-letter-filter.ts';
import { exportedLine, showLetter } from './dead-letter-lines.ts';
import { MOST_LISTED } from './deliveries.ts';
import { showJob } from './jobs.ts';

/** Deliveries that are dead and events that failed, newest first: what did not arrive, and why. */
export function deadLetterCalls(
  calls: Calls,
  {
    deliveryQueue,
    journal,
    deadLetters,
    configuration,
    clock,
  }: {
    readonly journal: Pick<Journal, 'findEvent'>;
    readonly deliveryQueue: Pick<DeliveryQueue, 'audited' | 'listDeadGroups' | 'listFailedGroups'>;
    readonly deadLetters: DeadLetterActions;
    readonly configuration: Pick<ConfigurationStore, 'recordAudit'>;
    readonly clock: Clock;
  },
): void {
  calls.on('GET /dead-letters', 'read', async call => {
    const { limit, cursor, ...filter } = call.query();
    const page = call.page('dead-letters', { limit, cursor });
    const { letters, next } = await deadLetters.list(call.session.orgId, toSelection(filter), {
      limit: page.limit,
      below: page.position,
    });
    return page.answer(
      letters.map(letter => showLetter(letter, MOST_LISTED)),
      next,
    );
  });

  calls.on('GET /dead-letters/summary', 'read', async call => {
    const selection = toSelection(call.query());
    const { kind: _, ...filter } = selection.filter;
    const { orgId } = call.session;
    return call.answer({
      ...(await deadLetters.count(orgId, selection, MOST_COUNTED)),
      most: MOST_COUNTED,
      by_destination: selection.deliveries
        ? await deliveryQueue.listDeadGroups(orgId, filter, MOST_COUNTED)
        : [],
      by_pipeline: selection.events ? await deliveryQueue.listFailedGroups(orgId, filter, MOST_COUNTED) : [],
    });
  });

  calls.on('POST /dead-letters/retry', 'deliveries.change', async call => {
    const { filter, ids } = await call.body();
    const selection = toSelection(filter, { ids });
    const { job, isNew } = await deadLetters.retry(call.session.orgId, selection, {
      by: call.session.email,
      record: ({ id, total }) =>
        call.record('dead_letters.retried', id, { filter: showSelection(selection), total }),
    });
    return call.answer(showJob(job), isNew ? 201 : 200);
  });

  calls.on('POST /dead-letters/discard', 'deliveries.change', async call => {
    const { filter, ids, dead_for_ms } = await call.body();
    const selection = toSelection(filter, { ids, endedBy: clock.now() - dead_for_ms });
    const { job, isNew } = await deadLetters.discard(call.session.orgId, selection, {
      by: call.session.email,
      record: ({ id, total }) =>
        call.record('dead_letters.discarded', id, { filter: showSelection(selection), total }),
    });
    return call.answer(showJob(job), isNew ? 201 : 200);
  });

  calls.on('POST /events/:id/discard', 'deliveries.change', async call => {
    const event = await journal.findEvent(call.session.orgId, call.param('id'));
    if (event === null) throw new Problem('not_found');
    const changes = deliveryQueue.audited(call.record('event.discarded', event.id));
    if (!(await changes.discardFailedEvent(call.session.orgId, event.id)))
      throw new Problem('conflict', { message: 'This event is not among the dead letters.' });
    return call.answer(eventSummaryOf(event));
  });

  calls.on('GET /dead-letters/export', 'read', async call => {
    const { orgId } = call.session;
    const selection = toSelection(call.query());
    const { deliveries, events } = await deadLetters.count(orgId, selection, MOST_EXPORTED_AT_ONCE + 1);
    if (deliveries + events > MOST_EXPORTED_AT_ONCE)
      throw new Problem('limit_reached', {
        message: `More than ${MOST_EXPORTED_AT_ONCE.toLocaleString('en')} dead letters match: export them as a job.`,
      });
    await configuration.recordAudit(
      call.record('dead_letters.exported', orgId, { filter: showSelection(selection), format: 'ndjson' }),
    );
    const letters = deadLetters.export(orgId, selection);
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        for (;;) {
          const { value, done } = await letters.next();
          if (done) return controller.close();
          const { letter, payload } = value;
          if (letter !== null) return controller.enqueue(Buffer.from(exportedLine(letter, payload)));
        }
      },
      async cancel() {
        await letters.return();
      },
    });
    const file = new Response(body, {
      headers: {
        'Content-Type': 'application/x-ndjson',
        'Content-Disposition': 'attachment; filename="dead-letters.ndjson"',
      },
    });
    return call.respond(file);
  });
}
