import type { ExportFormat } from '@sluice/contract/dashboard-events';
import { eventSummaryOf } from '../../core/event/summary.ts';
import type { EventFilter, Journal } from '../../core/stores/journal.ts';
import { exportLines } from './format.ts';

/** A piece of an export: the next events that match, as text, within bounds of number, bytes and time. */
interface ExportSlice {
  readonly text: string;
  readonly events: number;
  /** Go on below this id; null at the end. */
  readonly next: string | null;
}

const SEARCH_BUDGET_MS = 500;
const MOST_EVENTS = 500;
const MOST_BYTES = 1024 * 1024;

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
    events: lines.length,
    next: covered < ids.length ? (ids[covered - 1] ?? null) : next,
  };
}
