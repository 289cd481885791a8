import type { DocumentedLimits } from './limits.ts';
import type { Parameter } from './operation.ts';

/** The header of both ingest endpoints that makes a retry safe, as the reference describes it. */
export const idempotencyKey = (limits: DocumentedLimits, description: string): Parameter => ({
  name: 'X-Ingest-Idempotency-Key',
  in: 'header',
  required: false,
  description: `Makes a retry safe. ${description} It is remembered as long as events are kept.`,
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLength, pattern: '^[ -~]+$' },
  example: 'order-1001-paid',
});
