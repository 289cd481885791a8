import type { ExportFormat } from '@sluice/contract/dashboard-events';
import { eventSummaryOf } from '../../core/event/summary.ts';
import type { ExportRequestOf, ExportSlice, ExportSource } from '../../core/jobs/export.ts';
import type { EXPORT_JOB } from '../../core/jobs/export-job.ts';
import type { Job } from '../../core/stores/jobs.ts';
import type { EventFilter, Journal } from '../../core/stores/journal.ts';
import { exportLines } from './format.ts';

const SEARCH_BUDGET_MS = 500;
const MOST_EVENTS = 500;
const MOST_BYTES = 1024 * 1024;

/** The events of an export job: only what had been accepted when it was asked for. */
export function exportedEvents(
  journal: Pick<Journal, 'listEvents' | 'readPayloads'>,
  { orgId, createdAt }: Job,
  { filter, format }: ExportRequestOf<typeof EXPORT_JOB>,
): ExportSource {
  const before = Math.min(filter.before ?? Number.POSITIVE_INFINITY, createdAt + 1);
  return {
    heading: exportLines[format].heading,
    what: 'events',
    read: below => readSlice(journal, orgId, { ...filter, before }, format, { below }),
  };
}

/** The next events that match, as a piece of their export. */
export async function readSlice(
  journal: Pick<Journal, 'listEvents' | 'readPayloads'>,
  orgId: string,
  filter: EventFilter,
  format: ExportFormat,
  { below, limit = MOST_EVENTS }: { readonly below: string | null; readonly limit?: number },
): Promise<ExportSlice> {
  const page = { limit: Math.min(limit, MOST_EVENTS), below, budgetMs: SEARCH_BUDGET_MS };
  const { events, next } = await journal.listEvents(orgId, filter, page);
  const ids = events.map(({ id }) => id);
  const { payloads, covered } = await journal.readPayloads(orgId, ids, MOST_BYTES);
  const lines = events.slice(0, covered).flatMap(event => {
    const payload = payloads[event.id];
    return payload === undefined ? [] : [exportLines[format].line(eventSummaryOf(event), payload)];
  });
  return {
    text: lines.join(''),
    count: lines.length,
    next: covered < ids.length ? (ids[covered - 1] ?? null) : next,
  };
}
