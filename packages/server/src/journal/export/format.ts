import type { EventSummary, ExportFormat } from '@sluice/contract/dashboard-events';
import { csvLine } from '../../core/csv.ts';
import { onOneLine } from '../../core/json/one-line.ts';

/** Exported events as the lines of a file. The payload goes out as the text it is stored as: read and written again, some numbers would change. */
interface ExportLines {
  /** What the file begins with. */
  readonly heading: string;
  line(event: EventSummary, payload: string): string;
}

const csvColumns: readonly (readonly [name: string, value: (event: EventSummary) => string])[] = [
  ['id', ({ id }) => id],
  ['type', ({ type }) => type],
  ['icon', ({ icon }) => icon ?? ''],
  ['state', ({ state }) => state],
  ['outcome', ({ outcome }) => outcome],
  ['delivered', ({ delivery_states }) => String(delivery_states.delivered ?? 0)],
  ['deliveries', ({ delivery_states }) => String(Object.values(delivery_states).reduce((a, b) => a + b, 0))],
  ['sources', ({ sources }) => sources.map(({ name }) => name).join('; ')],
  ['entity_kind', ({ entity }) => entity?.kind ?? ''],
  ['entity_external_id', ({ entity }) => entity?.external_id ?? ''],
  ['timestamp', ({ timestamp }) => timestamp],
  ['received_at', ({ received_at }) => received_at],
];

export const exportLines: Readonly<Record<ExportFormat, ExportLines>> = {
  ndjson: {
    heading: '',
    line: (event, payload) => `${JSON.stringify(event).slice(0, -1)},"payload":${onOneLine(payload)}}\n`,
  },
  csv: {
    heading: csvLine([...csvColumns.map(([name]) => name), 'payload']),
    line: (event, payload) => csvLine([...csvColumns.map(([, value]) => value(event)), payload]),
  },
};
