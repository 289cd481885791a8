import { type ExportFormat, MOST_EXPORTED_AT_ONCE } from '@sluice/contract/dashboard-events';
import type { exportBody } from '@sluice/contract/dashboard-exports';
import type { z } from 'zod';
import { seconds } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { type ExportActions, type ExportRequest, readExportRequest } from '../../../core/jobs/export.ts';
import { AUDIT_EXPORT_JOB, EXPORT_JOB, LETTERS_EXPORT_JOB } from '../../../core/jobs/export-job.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { JobStore } from '../../../core/stores/jobs.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { may, requirePermission } from '../permissions.ts';
import { mayKnowAddresses } from './audit.ts';
import { toSelection } from './dead-letter-filter.ts';
import { showFilter, toFilter } from './event-filter.ts';
import { showExport, showJob } from './jobs.ts';
import type { LimitedJournal } from './search-limit.ts';

/** As long as a search of the list. */
const COUNT_BUDGET_MS = seconds(2);

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
};

const actions: Readonly<Record<ExportRequest['kind'], AuditEntry['action']>> = {
  [EXPORT_JOB]: 'events.exported',
  [LETTERS_EXPORT_JOB]: 'dead_letters.exported',
  [AUDIT_EXPORT_JOB]: 'audit.exported',
};

const fileNames: Readonly<Record<ExportRequest['kind'], string>> = {
  [EXPORT_JOB]: 'events',
  [LETTERS_EXPORT_JOB]: 'dead-letters',
  [AUDIT_EXPORT_JOB]: 'audit-log',
};

/** Events that match as a file: few of them directly, many as a job whose file is fetched when it has ended. Dead letters and the audit log are such jobs too. */
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
    const { orgId, email, role } = call.session;
    const request = toRequest(await call.body(), call.session);
    const job = await exports.start(orgId, request, {
      by: email,
      isSilent: !may(role, 'events.replay'),
      record: job => call.record(actions[request.kind], job.id, showExport(job)),
    });
    return call.answer(showJob(job), 201);
  });

  calls.on('GET /jobs/:id/file', 'events.export', async call => {
    const job = await jobs.findJob(call.session.orgId, call.param('id'));
    const file = job && (await exports.findFile(job));
    if (job === null || file === null) throw new Problem('not_found');
    const request = readExportRequest(job);
    if (request.kind === AUDIT_EXPORT_JOB && request.withAddresses)
      requirePermission(call.session.role, 'members.change');
    await configuration.recordAudit(
      call.record('export.downloaded', job.id, { format: file.format, bytes: file.bytes }),
    );
    return call.respond(fileOf(file.read(), `${fileNames[request.kind]}-${job.id}`, file.format));
  });
}

function toRequest(asked: z.output<typeof exportBody>, session: SessionCall['session']): ExportRequest {
  switch (asked.what) {
    case 'dead_letters':
      return { kind: LETTERS_EXPORT_JOB, selection: toSelection(asked.filter), format: asked.format };
    case 'audit': {
      const { filter, format } = asked;
      return { kind: AUDIT_EXPORT_JOB, filter, format, withAddresses: mayKnowAddresses(session) };
    }
    default:
      return { kind: EXPORT_JOB, filter: toFilter(asked.filter), format: asked.format };
  }
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
