import { z } from 'zod';
import { textOf } from './event.ts';

/** What the private calls say of providers, schemes of one's own, and where a webhook event has its type from. */

/** Header names are compared without regard to case, and kept in lower case. */
const headerName = textOf(1, 128)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header.')
  .transform(name => name.toLowerCase());

const payloadPath = textOf(1, 256).refine(
  path => /^payload[.[]/.test(path),
  'must begin with payload, such as payload.event.type.',
);

const typePrefix = textOf(0, 64);

// biome-ignore lint/suspicious/noThenProperty: the name on the wire; a text there makes no promise of an object.
const appended = { then: payloadPath.optional() };

export const typeFrom = z.union(
  [
    z.strictObject({ header: headerName, prefix: typePrefix.optional(), ...appended }),
    z.strictObject({ path: payloadPath, prefix: typePrefix.optional(), ...appended }),
  ],
  {
    error:
      'must be {"header","prefix"?,"then"?} or {"path","prefix"?,"then"?}, a path beginning with payload.',
  },
);
export type TypeFrom = z.infer<typeof typeFrom>;

const MOST_TOLERANCE_S = 86_400;

/** How a sender of one's own signs: an HMAC in a header. */
export const sourceScheme = z
  .strictObject({
    header: headerName,
    algorithm: z.enum(['sha1', 'sha256', 'sha512']),
    encoding: z.enum(['hex', 'base64']),
    prefix: textOf(0, 64).optional(),
    signed: textOf(1, 256).refine(text => text.includes('{body}'), 'must contain {body}.'),
    timestamp_header: headerName.optional(),
    tolerance_s: z
      .int('must be a whole number.')
      .min(1, 'must be at least 1.')
      .max(MOST_TOLERANCE_S, `may be at most ${MOST_TOLERANCE_S}.`)
      .optional(),
    url: textOf(1, 2_048).optional(),
    format: textOf(1, 128)
      .refine(text => text.split('{signature}').length === 2, 'must contain {signature} once.')
      .refine(text => text.split('{timestamp}').length <= 2, 'may contain {timestamp} once.')
      .optional(),
  })
  .refine(
    ({ signed, timestamp_header, format }) =>
      !signed.includes('{timestamp}') || timestamp_header !== undefined || format?.includes('{timestamp}'),
    {
      path: ['timestamp_header'],
      message: 'must say where {timestamp} lies, or format must contain {timestamp}.',
    },
  )
  .refine(
    ({ signed, timestamp_header }) => timestamp_header === undefined || signed.includes('{timestamp}'),
    { path: ['signed'], message: 'must contain {timestamp} where there is a timestamp_header.' },
  );
export type SourceScheme = z.infer<typeof sourceScheme>;

export const verifyWith = z.enum(['none', 'bearer', 'hmac']);

const pastedField = z.object({ label: z.string(), hint: z.string() });

/** A provider as it describes itself. */
const providerRecord = z.object({
  name: z.string(),
  title: z.string(),
  /** Others that sign in the same way. */
  also: z.array(z.string()),
  steps: z.array(z.string()),
  documentation: z.string(),
  fields: z.object({
    secret: pastedField.extend({ is_chosen: z.boolean() }).optional(),
    public_key: pastedField.optional(),
    verify_token: pastedField.optional(),
    url: pastedField.optional(),
    verify_with: pastedField.optional(),
  }),
  signature: z.string(),
  type: z.string(),
  note: z.string().nullable(),
});
export type ProviderRecord = z.infer<typeof providerRecord>;
