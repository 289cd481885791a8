import { z } from 'zod';

/** Paging: the two query parameters of every list. */
const DEFAULT_LIMIT = 50;
const MOST_ROWS = 100;

/** Spread them beside a list's own filters. */
export const pagingQuery = {
  limit: z
    .string()
    .refine(
      text => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_ROWS,
      `must be a whole number from 1 to ${MOST_ROWS}.`,
    )
    .transform(Number)
    .default(DEFAULT_LIMIT),
  cursor: z.string().optional(),
};

/** A list without filters. */
export const listQuery = z.strictObject(pagingQuery);
