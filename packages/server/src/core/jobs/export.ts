import { type ExportFormat, exportFormat } from '@sluice/contract/dashboard-events';
import { z } from 'zod';
import type { Job } from '../stores/jobs.ts';
import type { EventFilter } from '../stores/journal.ts';
import type { JobOrigin } from './new-job.ts';
import { storedFilter } from './stored-filter.ts';

/** Events as a file, as a job. */
export const EXPORT_JOB = 'events.export';

const exportRequest = z.object({ filter: storedFilter, format: exportFormat });
type ExportRequest = z.output<typeof exportRequest>;

export const readExportRequest = ({ request }: Pick<Job, 'request'>): ExportRequest =>
  exportRequest.parse(JSON.parse(request));

interface ExportFile {
  readonly format: ExportFormat;
  readonly bytes: number;
  /** When it is removed. */
  readonly until: number;
  /** Piece by piece; it ends early where the file is removed meanwhile. */
  read(): AsyncGenerator<string>;
}

/** What the web asks of the journal about exports. */
export interface ExportActions {
  /** Those that match, of what has been accepted by now, piece by piece; refuses where too many are under way. */
  stream(orgId: string, filter: EventFilter, format: ExportFormat): AsyncGenerator<string>;
  /** A job that writes a file; refuses where too many are under way. */
  start(orgId: string, filter: EventFilter, format: ExportFormat, origin: JobOrigin): Promise<Job>;
  /** Null where the job wrote none, has not ended, or its file is gone by now. */
  findFile(job: Job): Promise<ExportFile | null>;
}
