import type { ExportFormat } from '@sluice/contract/dashboard-events';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { isExport, isOfLetters } from '../../components/job-progress.tsx';

type Filter = Readonly<Record<string, string>>;

interface JobRequest {
  readonly event_id?: string;
  readonly filter?: Filter;
  readonly version?: 'current' | 'original';
  readonly format?: ExportFormat;
  /** The file holds what only those who look after the members may know. */
  readonly with_addresses?: boolean;
  /** How many were picked one by one. */
  readonly selected?: number;
}

const requestOf = (job: JobRecord): JobRequest => (job.request ?? {}) as JobRequest;

const titles: Readonly<Record<string, string>> = {
  replay: 'Replay',
  'dead_letters.retry': 'Retry dead letters',
  'dead_letters.discard': 'Discard dead letters',
  'events.export': 'Export events',
  'dead_letters.export': 'Export dead letters',
  'audit.export': 'Export audit log',
};

/** What an export takes. */
const exported: Readonly<Record<string, string>> = {
  'events.export': 'all events',
  'dead_letters.export': 'all dead letters',
  'audit.export': 'the audit log',
};

export const jobTitle = ({ kind }: Pick<JobRecord, 'kind'>): string => titles[kind] ?? kind;

/** What it does, in a few words. */
export function describeJob(job: JobRecord): string {
  const { event_id, filter = {}, version, format, selected } = requestOf(job);
  const narrowed = Object.entries(filter).map(([name, value]) => `${name} ${value}`);
  const which = narrowed.length === 0 ? '' : ` with ${narrowed.join(', ')}`;
  if (isExport(job))
    return `Exports ${exported[job.kind] ?? 'all'}${which} as ${format === 'csv' ? 'CSV' : 'NDJSON'}`;
  if (isOfLetters(job)) {
    const letters = selected === undefined ? `all dead letters${which}` : `${selected} selected dead letters`;
    return `${job.kind === 'dead_letters.retry' ? 'Retries' : 'Discards'} ${letters}`;
  }
  if (job.kind !== 'replay') return '';
  const through = version === 'original' ? 'the original versions' : 'the current pipelines';
  return `Replays ${event_id === undefined ? `all events${which}` : 'one event'} through ${through}`;
}

/** Whether the file of an export is for admins alone. */
export const isForAdmins = (job: JobRecord): boolean => requestOf(job).with_addresses === true;

/** Where to see what came of it. */
export function outcomeOf(job: JobRecord): { to: string; search: Record<string, string>; label: string } {
  const { event_id, filter = {} } = requestOf(job);
  if (event_id !== undefined) return { to: `/events/${event_id}`, search: {}, label: 'View event' };
  if (isOfLetters(job))
    return {
      to: '/dead-letters',
      search: { ...filter },
      label: isExport(job) ? 'View dead letters' : 'View remaining dead letters',
    };
  if (job.kind === 'audit.export')
    return { to: '/settings/audit', search: { ...filter }, label: 'View audit log' };
  return { to: '/events', search: { ...filter }, label: 'View events' };
}
