import type { Clock } from '../core/clock.ts';
import type { DeadLetterActions } from '../core/jobs/dead-letters.ts';
import { type ExportSource, readExportRequest } from '../core/jobs/export.ts';
import { AUDIT_EXPORT_JOB, EXPORT_JOB, LETTERS_EXPORT_JOB } from '../core/jobs/export-job.ts';
import type { ConfigurationStore } from '../core/stores/configuration.ts';
import type { Job } from '../core/stores/jobs.ts';
import type { Journal } from '../core/stores/journal.ts';
import { exportedEvents } from '../journal/export/slice.ts';
import { exportedAudit } from '../web/dashboard/monitor/audit-lines.ts';
import { exportedLetters } from '../web/dashboard/monitor/dead-letter-lines.ts';

/** What an export job writes, by its kind: each comes from a part of its own. */
export const createExportOpener =
  ({
    journal,
    deadLetters,
    configuration,
    clock,
  }: {
    readonly journal: Pick<Journal, 'listEvents' | 'readPayloads'>;
    readonly deadLetters: Pick<DeadLetterActions, 'export'>;
    readonly configuration: Pick<ConfigurationStore, 'listAudit' | 'nameAuditTargets'>;
    readonly clock: Clock;
  }) =>
  (job: Job): ExportSource => {
    const request = readExportRequest(job);
    switch (request.kind) {
      case EXPORT_JOB:
        return exportedEvents(journal, job, request);
      case LETTERS_EXPORT_JOB:
        return exportedLetters(deadLetters, job, request, clock);
      case AUDIT_EXPORT_JOB:
        return exportedAudit(configuration, job, request);
    }
  };
