import { type ExportFormat, MOST_EXPORTED_AT_ONCE } from '@sluice/contract/dashboard-events';
import { seconds } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { ExportActions } from '../../../core/jobs/export.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { JobStore } from '../../../core/stores/jobs.ts';
import type { Calls } from '../calls.ts';
import { showFilter, toFilter } from './event-filter.ts';
import { showJob } from './jobs.ts';
import type { LimitedJournal } from './search-limit.ts';

/** As long as a search of the list. */
const COUNT_BUDGET_MS = seconds(2);

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
};

/** Events that match as a file: few of them directly, many as a job whose file is fetched when it has ended. */
export function exportCalls(
  calls: Calls,
  {
    exports,
    journal,
    jobs,
    configuration,
  }: {
    readonly exports: ExportActions;
    readonly journal: Pick<LimitedJournal, 'listEventTimes'>;
    readonly jobs: Pick<JobStore, 'findJob'>;
    readonly configuration: Pick<ConfigurationStore, 'recordAudit'>;
  },
): void {
  calls.on('GET /events/export', 'events.export', async call => {
    const { format, ...given } = call.query();
    const { orgId } = call.session;
    const filter = toFilter(given);
    const { more, searchedTo } = await journal.listEventTimes(
      orgId,
      filter,
      { most: MOST_EXPORTED_AT_ONCE, budgetMs: COUNT_BUDGET_MS },
      call.request.signal,
    );
    if (more || searchedTo !== null)
      throw new Problem('limit_reached', {
        message: `More than ${MOST_EXPORTED_AT_ONCE.toLocaleString('en')} events match, or finding them takes long: export them as a job.`,
      });
    const pieces = exports.stream(orgId, filter, format);
    // The first piece is there before anything is answered, so that a refusal is one.
    const first = await pieces.next();
    await configuration.recordAudit(
      call.record('events.exported', orgId, { filter: showFilter(filter), format }),
    );
    return call.respond(fileOf(pieces, 'events', format, first));
  });

  calls.on('POST /exports', 'events.export', async call => {
    const { orgId, email } = call.session;
    const { filter: given, format } = await call.body();
    const filter = toFilter(given);
    const job = await exports.start(orgId, filter, format, {
      by: email,
      record: ({ id }) => call.record('events.exported', id, { filter: showFilter(filter), format }),
    });
    return call.answer(showJob(job), 201);
  });

  calls.on('GET /jobs/:id/file', 'events.export', async call => {
    const job = await jobs.findJob(call.session.orgId, call.param('id'));
    const file = job && (await exports.findFile(job));
    if (job === null || file === null) throw new Problem('not_found');
    await configuration.recordAudit(
      call.record('export.downloaded', job.id, { format: file.format, bytes: file.bytes }),
    );
    return call.respond(fileOf(file.read(), `events-${job.id}`, file.format));
  });
}

/** Read as fast as it is fetched, and no faster. */
function fileOf(
  pieces: AsyncGenerator<string>,
  name: string,
  format: ExportFormat,
  first?: IteratorResult<string>,
): Response {
  let read = first;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = read ?? (await pieces.next());
      read = undefined;
      if (done) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'Content-Type': contentTypes[format],
      'Content-Disposition': `attachment; filename="${name}.${format}"`,
    },
  });
}
