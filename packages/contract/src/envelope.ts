import { z } from 'zod';

/** Every answer is one of these two. */
export const success = <T extends z.ZodType>(data: T) => z.object({ data });

export const page = <T extends z.ZodType>(row: T) =>
  z.object({ data: z.array(row), next_cursor: z.string().nullable() });

export const failure = z.object({
  error: z.object({ message: z.string(), code: z.string(), path: z.string().optional() }),
});
export type Failure = z.infer<typeof failure>;
