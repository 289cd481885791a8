import { z } from 'zod';
import { auditFilter } from './dashboard-audit.ts';
import { deadLetterFilter } from './dashboard-deliveries.ts';
import { eventFilter, exportFormat } from './dashboard-events.ts';

/** A private call for exports that are jobs: of events, of dead letters, and of the audit log. */

export const exportBody = z.discriminatedUnion(
  'what',
  [
    z.strictObject({
      what: z.literal('events').optional(),
      filter: z.strictObject(eventFilter).default({}),
      format: exportFormat.default('ndjson'),
    }),
    z.strictObject({
      what: z.literal('dead_letters'),
      filter: deadLetterFilter.default({}),
      format: exportFormat.extract(['ndjson']).default('ndjson'),
    }),
    z.strictObject({
      what: z.literal('audit'),
      filter: z.strictObject(auditFilter).default({}),
      format: exportFormat.default('ndjson'),
    }),
  ],
  {
    error: issue =>
      issue.code === 'invalid_union' ? 'what must be "events", "dead_letters" or "audit".' : undefined,
  },
);
