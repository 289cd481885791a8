import { z } from 'zod';
import { label } from './dashboard-accounts.ts';

/** Private calls about API keys. The secret is answered once, when the key is made. */
export const keyBody = z.strictObject({ name: label });
export const keyChange = z.strictObject({ name: label });

const keyRecord = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
export type KeyRecord = z.infer<typeof keyRecord>;
export type NewKeyRecord = KeyRecord & { readonly secret: string };
