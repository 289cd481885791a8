import { catalogue, type ErrorCode } from '../../core/errors.ts';
import { entityRecordOperations } from './entities.ts';
import { entityGraphOperations } from './entities-graph.ts';
import { ingestOperation } from './ingest.ts';
import type { DocumentedLimits } from './limits.ts';
import type { PublicOperation } from './operation.ts';
import { webhookOperation } from './webhook.ts';

/** Every public call. The dashboard's own calls are private and never stand here. */
export const publicOperations = (limits: DocumentedLimits): PublicOperation[] => [
  ingestOperation(limits),
  webhookOperation(limits),
  ...entityRecordOperations(limits),
  ...entityGraphOperations(),
];

/** The codes that these calls may answer with, in the order of the catalogue. */
export function codesOf(operations: readonly PublicOperation[]): ErrorCode[] {
  const answered = new Set<ErrorCode>(operations.flatMap(({ errors }) => errors));
  return (Object.keys(catalogue) as ErrorCode[]).filter(code => answered.has(code));
}
