import { z } from 'zod';
import { toRfc3339 } from '../../core/clock.ts';
import { pagingQuery } from '../paging.ts';

/** What the lists and records of the private calls share. */
export const listQuery = z.strictObject(pagingQuery);

/** Ids sort by when they were made. */
export const newestFirst = {
  keyOf: ({ id }: { readonly id: string }) => id,
  direction: 'descending',
} as const;

export const optionalTime = (epochMs: number | null): string | null =>
  epochMs === null ? null : toRfc3339(epochMs);
