import { z } from 'zod';

/** Every answer is one of these two. */
export const success = <T extends z.ZodType>(data: T) => z.object({ data });

export const page = <T extends z.ZodType>(row: T) =>
  z.object({ data: z.array(row), next_cursor: z.string().nullable() });

export const failure = z.object({
  error: z.object({
    message: z.string().meta({ description: 'What is wrong, in a sentence for people.' }),
    code: z.string().meta({ description: 'What is wrong, in a stable word for programs.' }),
    path: z
      .string()
      .optional()
      .meta({ description: 'The field it is about, where there is one.', examples: ['events[2].type'] }),
  }),
});
