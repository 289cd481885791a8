import { z } from 'zod';
import { label } from './dashboard-accounts.ts';
import { textOf } from './event.ts';

/** Private calls about saved views: filters and columns of the list of events, kept under a name. */

/** What the list of events can show of each. */
export const eventColumnNames = [
  'received',
  'type',
  'outcome',
  'deliveries',
  'source',
  'entity',
  'payload',
  'id',
] as const;
export type EventColumnName = (typeof eventColumnNames)[number];

/** As the address of the list has them: what they mean is found out when the view is applied. */
export const viewFilterNames = [
  'text',
  'outcome',
  'source',
  'type',
  'within',
  'after',
  'before',
  'state',
  'pipeline',
  'destination',
  'entity',
] as const;

const viewFilters = z.partialRecord(z.enum(viewFilterNames), textOf(1, 4_096));
const viewColumns = z
  .array(z.enum(eventColumnNames))
  .min(1, 'must have at least one column.')
  .refine(names => new Set(names).size === names.length, 'may have each column once.');

export const viewBody = z.strictObject({
  name: label,
  /** For everybody in the organisation. */
  shared: z.boolean().default(false),
  filters: viewFilters,
  columns: viewColumns,
});

export const viewChange = z
  .strictObject({ name: label, filters: viewFilters, columns: viewColumns })
  .partial();

const viewRecord = z.object({
  id: z.string(),
  name: z.string(),
  shared: z.boolean(),
  filters: viewFilters,
  columns: viewColumns,
  created_at: z.string(),
  updated_at: z.string(),
});
export type ViewRecord = z.infer<typeof viewRecord>;
