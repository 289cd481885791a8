import { z } from 'zod';
import { textOf } from './event.ts';

/** The private call behind the palette: whatever goes by this id or this name. */
export const searchQuery = z.strictObject({ text: textOf(1, 256) });

const found = z.object({
  kind: z.enum(['event', 'delivery', 'source', 'pipeline', 'destination', 'entity', 'job']),
  id: z.string(),
  label: z.string(),
  /** The page that shows it. */
  to: z.string(),
});
export type Found = z.infer<typeof found>;
