import { z } from 'zod';
import { label } from './dashboard-accounts.ts';
import { defaultEventLimits, textOf } from './event.ts';

/** Private calls about sources. */
const authMode = z.enum(['hmac', 'bearer', 'none']);

const MOST_PER_SECOND = 1_000_000;
const LEAST_PER_SECOND = 0.001;

/** `per_second` may be a fraction, and 0 is unlimited. Without a burst, two seconds' worth stand ready. */
const rate = z
  .strictObject({
    per_second: z
      .number()
      .refine(
        n => n === 0 || (n >= LEAST_PER_SECOND && n <= MOST_PER_SECOND),
        `must be 0 (unlimited) or from ${LEAST_PER_SECOND} to ${MOST_PER_SECOND}.`,
      ),
    burst: z
      .int('must be a whole number.')
      .min(0, 'must be at least 0.')
      .max(MOST_PER_SECOND, `may be at most ${MOST_PER_SECOND}.`)
      .optional(),
  })
  .refine(({ per_second, burst }) => per_second === 0 || burst !== 0, {
    path: ['burst'],
    message: 'must be at least 1 where there is a limit.',
  })
  .transform(({ per_second, burst }) => ({
    per_second,
    burst: burst ?? Math.max(1, Math.ceil(per_second * 2)),
  }));

const defaultRate = { per_second: 100, burst: 200 } as const;

/** An exact event type or a glob: `order.paid`, `order.*`, `*`. */
const match = textOf(1, defaultEventLimits.typeLength);

export const sourceBody = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('webhook'),
      name: label,
      auth: authMode.default('hmac'),
      rate: rate.default(defaultRate),
    }),
    z.strictObject({ kind: z.literal('sdk'), name: label, match }),
  ],
  { error: issue => (issue.code === 'invalid_union' ? 'kind must be "webhook" or "sdk".' : undefined) },
);

export const webhookSourceChange = z.strictObject({
  name: label.optional(),
  enabled: z.boolean().optional(),
  auth: authMode.optional(),
  rate: rate.optional(),
});
export const sdkSourceChange = z.strictObject({
  name: label.optional(),
  enabled: z.boolean().optional(),
  match: match.optional(),
});

/** What may be changed depends on the kind of the source; which one that is, only the server knows. */
export const sourceChange = z.union([webhookSourceChange, sdkSourceChange]);

const MOST_OVERLAP_S = 30 * 86_400;
/** For how long the secret before still holds. */
export const rotateBody = z.strictObject({
  overlap_s: z
    .int('must be a whole number.')
    .min(0, 'must be at least 0.')
    .max(MOST_OVERLAP_S, `may be at most ${MOST_OVERLAP_S}.`)
    .default(86_400),
});

const sourceBase = {
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  last_event_at: z.string().nullable(),
};
const webhookSourceRecord = z.object({
  kind: z.literal('webhook'),
  ...sourceBase,
  auth: authMode,
  rate: z.object({ per_second: z.number(), burst: z.number() }),
  /** Both null for those who may not see them. */
  url: z.string().nullable(),
  token: z.string().nullable(),
  /** Until then the secret before the last rotation holds too. */
  previous_secret_until: z.string().nullable(),
});
const sdkSourceRecord = z.object({ kind: z.literal('sdk'), ...sourceBase, match: z.string() });
export type WebhookSourceRecord = z.infer<typeof webhookSourceRecord>;
export type SdkSourceRecord = z.infer<typeof sdkSourceRecord>;
export type SourceRecord = WebhookSourceRecord | SdkSourceRecord;
/** The secret of a webhook is answered once, when it is made or rotated. */
export type NewSourceRecord = SourceRecord & { readonly secret?: string };
export type RotatedSourceRecord = SourceRecord & { readonly secret: string };

const rejectionRecord = z.object({ at: z.string(), code: z.string(), message: z.string() });
export type RejectionRecord = z.infer<typeof rejectionRecord>;
