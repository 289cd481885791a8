import type { ConfigSchema, KindRecord } from '@sluice/contract/dashboard-kinds';
import { toRfc3339 } from '../../core/clock.ts';
import type { KindDescription } from '../../core/kinds/kind.ts';

/** What the lists and records of the private calls share: ids sort by when they were made. */
export const newestFirst = {
  keyOf: ({ id }: { readonly id: string }) => id,
  direction: 'descending',
} as const;

export const optionalTime = (epochMs: number | null): string | null =>
  epochMs === null ? null : toRfc3339(epochMs);

/** Its schema is JSON Schema as a library wrote it, of which the contract names what forms read. */
export const showKind = (kind: KindDescription): KindRecord => ({
  ...kind,
  schema: kind.schema as ConfigSchema,
  examples: kind.examples as KindRecord['examples'],
});
