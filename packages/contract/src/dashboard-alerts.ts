import { z } from 'zod';
import { systemEventTypes } from './system-events.ts';

/** The private call about alerts: what is needed to have system events told somewhere. */
const alertsRecord = z.object({
  /** The source of the system events of this organisation. */
  source_id: z.string(),
  /** Whether alerts can carry a link: SLUICE_BASE_URL is set. */
  has_links: z.boolean(),
  /** Those that this organisation can get. */
  types: z.array(z.object({ type: z.enum(systemEventTypes), last_raised_at: z.string().nullable() })),
});
export type AlertsRecord = z.infer<typeof alertsRecord>;
