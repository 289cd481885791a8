import { z } from 'zod';
import { label } from './dashboard-accounts.ts';
import {
  type SourceScheme,
  sourceScheme,
  type TypeFrom,
  typeFrom,
  verifyWith,
} from './dashboard-providers.ts';
import { defaultEventLimits, textOf } from './event.ts';

/** Private calls about sources. */
const authMode = z.enum(['hmac', 'bearer', 'none', 'provider', 'custom']);

/** What a provider gives out or lets people choose; sent as it is, blanks around it left out. */
const pasted = z.string().trim().min(1, 'must not be empty.').max(8_192, 'may have at most 8192 characters.');

/** How a sender is verified beyond hmac, bearer and none. */
const verification = {
  provider: z.string().min(1).max(64).optional(),
  secret: pasted.optional(),
  public_key: pasted.optional(),
  verify_token: pasted.optional(),
  /** The address as the provider knows it, where it signs that. */
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL.' })
    .max(2_048)
    .optional(),
  verify_with: verifyWith.optional(),
  scheme: sourceScheme.optional(),
  type_from: typeFrom.optional(),
};

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

const MOST_EXPECTED_MINUTES = 43_200;
/** An event is expected at least every so many minutes; absent: whenever one comes. */
const expectEvery = z
  .int('must be a whole number.')
  .min(1, 'must be at least 1.')
  .max(MOST_EXPECTED_MINUTES, `may be at most ${MOST_EXPECTED_MINUTES}.`)
  .optional();

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
      expect_every_minutes: expectEvery,
      ...verification,
    }),
    z.strictObject({ kind: z.literal('sdk'), name: label, match, expect_every_minutes: expectEvery }),
  ],
  { error: issue => (issue.code === 'invalid_union' ? 'kind must be "webhook" or "sdk".' : undefined) },
);

/** What a source can do without: a change may clear it. */
const clearable = { expect_every_minutes: expectEvery.nullable() };

export const webhookSourceChange = z.strictObject({
  name: label.optional(),
  enabled: z.boolean().optional(),
  auth: authMode.optional(),
  rate: rate.optional(),
  ...verification,
  ...clearable,
  url: verification.url.nullable(),
  type_from: verification.type_from.nullable(),
});
export const sdkSourceChange = z.strictObject({
  name: label.optional(),
  enabled: z.boolean().optional(),
  match: match.optional(),
  ...clearable,
});
/** It belongs to the organisation as long as that lasts: only its name is anybody's choice. */
export const systemSourceChange = z.strictObject({ name: label.optional() });

/** What may be changed depends on the kind of the source; which one that is, only the server knows. */
export const sourceChange = z.union([webhookSourceChange, sdkSourceChange, systemSourceChange]);

const MOST_OVERLAP_S = 30 * 86_400;
/** For how long the secret before still holds. */
export const rotateBody = z.strictObject({
  overlap_s: z
    .int('must be a whole number.')
    .min(0, 'must be at least 0.')
    .max(MOST_OVERLAP_S, `may be at most ${MOST_OVERLAP_S}.`)
    .default(86_400),
  /** The new one, where the provider made it; absent: one is made. */
  secret: pasted.optional(),
});

const sourceBase = {
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  last_event_at: z.string().nullable(),
};
/** Of those that others send to. */
const expected = { expect_every_minutes: z.number().nullable() };
const webhookSourceRecord = z.object({
  kind: z.literal('webhook'),
  ...sourceBase,
  ...expected,
  auth: authMode,
  rate: z.object({ per_second: z.number(), burst: z.number() }),
  /** Both null for those who may not see them. */
  url: z.string().nullable(),
  token: z.string().nullable(),
  /** Until then the secret before the last rotation holds too. */
  previous_secret_until: z.string().nullable(),
  /** Of the mode `provider`; of what follows, each where it is set. */
  provider: z.string().optional(),
  /** The address that the provider signs, where it is another than `url`. */
  signed_url: z.string().optional(),
  public_key: z.string().optional(),
  verify_token: z.object({ set: z.literal(true) }).optional(),
  verify_with: verifyWith.optional(),
  /** Of the mode `custom`. */
  scheme: z.custom<SourceScheme>().optional(),
  type_from: z.custom<TypeFrom>().optional(),
});
const sdkSourceRecord = z.object({
  kind: z.literal('sdk'),
  ...sourceBase,
  ...expected,
  match: z.string(),
});
/** The source of the service's own events: nobody sends to it, and it cannot be deleted. */
const systemSourceRecord = z.object({ kind: z.literal('system'), ...sourceBase });
export type WebhookSourceRecord = z.infer<typeof webhookSourceRecord>;
export type SdkSourceRecord = z.infer<typeof sdkSourceRecord>;
type SystemSourceRecord = z.infer<typeof systemSourceRecord>;
export type SourceRecord = WebhookSourceRecord | SdkSourceRecord | SystemSourceRecord;
/** The secret of a webhook is answered once, when it is made or rotated. */
export type NewSourceRecord = SourceRecord & {
  readonly secret?: string;
  /** The verify token, where one was made; likewise once. */
  readonly new_verify_token?: string;
};
/** Without the secret where its provider made it. */
export type RotatedSourceRecord = SourceRecord & { readonly secret?: string };

const rejectedRequest = z.object({
  at: z.string(),
  /** Where it came from; null where that is not known. */
  address: z.string().nullable(),
  /** Without credentials, signatures and whatever else may be secret. */
  headers: z.record(z.string(), z.string()),
});
const rejectionRecord = z.object({ ...rejectedRequest.shape, code: z.string(), message: z.string() });
export type RejectionRecord = z.infer<typeof rejectionRecord>;

/** Requests that were rejected for the same reason, among the last 1,000 of their source. */
const rejectionGroupRecord = z.object({
  code: z.string(),
  message: z.string(),
  count: z.number(),
  first_at: z.string(),
  last_at: z.string(),
  /** The latest of them, newest first. */
  latest: z.array(rejectedRequest),
});
export type RejectionGroupRecord = z.infer<typeof rejectionGroupRecord>;
