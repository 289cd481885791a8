import type { ExportFormat } from '@sluice/contract/dashboard-events';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';

type Filter = Readonly<Record<string, string>>;

interface JobRequest {
  readonly event_id?: string;
  readonly filter?: Filter;
  readonly version?: 'current' | 'original';
  readonly format?: ExportFormat;
}

const requestOf = (job: JobRecord): JobRequest => (job.request ?? {}) as JobRequest;

const titles: Readonly<Record<string, string>> = {
  replay: 'Replay',
  'dead_letters.retry': 'Retry of dead letters',
  'events.export': 'Export of events',
};

export const jobTitle = ({ kind }: Pick<JobRecord, 'kind'>): string => titles[kind] ?? kind;

/** What was asked for, in a sentence. */
export function describeJob(job: JobRecord): string {
  const { event_id, filter = {}, version, format } = requestOf(job);
  const narrowed = Object.entries(filter).map(([name, value]) => `${name} ${value}`);
  const which = narrowed.length === 0 ? '' : ` with ${narrowed.join(', ')}`;
  if (job.kind === 'dead_letters.retry') return `All dead letters${which}, once more.`;
  if (job.kind === 'events.export') return `All events${which}, as ${format === 'csv' ? 'CSV' : 'NDJSON'}.`;
  if (job.kind !== 'replay') return '';
  const through = version === 'original' ? 'the original versions' : 'the current pipelines';
  return `${event_id === undefined ? `All events${which}` : 'One event'} once more through ${through}.`;
}

/** Where to see what came of it. */
export function outcomeOf(job: JobRecord): { to: string; search: Record<string, string>; label: string } {
  const { event_id, filter = {} } = requestOf(job);
  if (event_id !== undefined) return { to: `/events/${event_id}`, search: {}, label: 'The event' };
  if (job.kind === 'dead_letters.retry')
    return { to: '/dead-letters', search: { ...filter }, label: 'What still stands in the dead letters' };
  return { to: '/events', search: { ...filter }, label: 'The events' };
}
