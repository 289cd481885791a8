import { eventOutcomes } from '@sluice/contract/dashboard-events';
import { z } from 'zod';
import { eventStates } from '../event/event.ts';
import type { EventFilter } from '../stores/journal.ts';

/** A filter of events as the request of a job holds it. */
export const storedFilter = z.object({
  state: z.enum(eventStates).optional(),
  outcome: z.enum(eventOutcomes).optional(),
  source: z.string().optional(),
  type: z.string().optional(),
  pipeline: z.string().optional(),
  destination: z.string().optional(),
  entity: z.object({ kind: z.string(), externalId: z.string() }).optional(),
  text: z.string().optional(),
  after: z.number().optional(),
  before: z.number().optional(),
  // A criterion that is missing here would be lost on the way to storage: the job would take more events than asked for.
} satisfies Record<keyof EventFilter, z.ZodType>);
