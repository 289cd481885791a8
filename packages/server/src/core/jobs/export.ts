import type { auditFilter } from '@sluice/contract/dashboard-audit';
import { type ExportFormat, exportFormat } from '@sluice/contract/dashboard-events';
import { z } from 'zod';
import type { Job } from '../stores/jobs.ts';
import type { EventFilter } from '../stores/journal.ts';
import { deadLetterSelection } from './dead-letters.ts';
import { AUDIT_EXPORT_JOB, EXPORT_JOB, exportJobs, LETTERS_EXPORT_JOB } from './export-job.ts';
import type { JobOrigin } from './new-job.ts';
import { storedFilter } from './stored-filter.ts';

export const isExport = ({ kind }: Pick<Job, 'kind'>): boolean => exportJobs.some(one => one === kind);

/** What it is narrowed by was known to the version that was asked: the jobs of a later one are listed here, too. */
const storedAuditFilter = z.object({
  actor: z.string().optional(),
  action: z.string().optional(),
  kind: z.string().optional(),
  after: z.number().optional(),
  before: z.number().optional(),
} satisfies Record<keyof typeof auditFilter, z.ZodType>);

const exportRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal(EXPORT_JOB), filter: storedFilter, format: exportFormat }),
  z.object({
    kind: z.literal(LETTERS_EXPORT_JOB),
    selection: deadLetterSelection,
    format: exportFormat.extract(['ndjson']),
  }),
  z.object({
    kind: z.literal(AUDIT_EXPORT_JOB),
    filter: storedAuditFilter,
    format: exportFormat,
    /** Whoever asked for it may know from where people act: the file is for those alone who may. */
    withAddresses: z.boolean(),
  }),
]);
export type ExportRequest = z.output<typeof exportRequest>;
export type ExportRequestOf<K extends ExportRequest['kind']> = Extract<ExportRequest, { kind: K }>;

export const readExportRequest = ({ kind, request }: Pick<Job, 'kind' | 'request'>): ExportRequest =>
  exportRequest.parse({ ...(JSON.parse(request) as object), kind });

/** What an export writes, piece by piece, the newest first. */
export interface ExportSource {
  /** What its file begins with. */
  readonly heading: string;
  /** `events` */
  readonly what: string;
  read(below: string | null): Promise<ExportSlice>;
}

/** The next that match, as text, within bounds of number, bytes and time. */
export interface ExportSlice {
  readonly text: string;
  readonly count: number;
  /** Go on below this id; null at the end. */
  readonly next: string | null;
}

interface ExportFile {
  readonly format: ExportFormat;
  readonly bytes: number;
  /** When it is removed. */
  readonly until: number;
  /** Piece by piece; it ends early where the file is removed meanwhile. */
  read(): AsyncGenerator<string>;
}

interface ExportOrigin extends JobOrigin {
  /** Whoever asked may have nothing sent: an event for each of his exports would be a way around that. */
  readonly isSilent?: boolean;
}

/** What the web asks of the journal about exports. */
export interface ExportActions {
  /** Those that match, of what has been accepted by now, piece by piece; refuses where too many are under way. */
  stream(orgId: string, filter: EventFilter, format: ExportFormat): AsyncGenerator<string>;
  /** A job that writes a file; refuses where too many are under way. */
  start(orgId: string, request: ExportRequest, origin: ExportOrigin): Promise<Job>;
  /** Null where the job wrote none, has not ended, or its file is gone by now. */
  findFile(job: Job): Promise<ExportFile | null>;
}
