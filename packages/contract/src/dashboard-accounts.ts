import { z } from 'zod';
import { hasControlCharacters, textOf } from './event.ts';

/** Private calls about people: who is logged in, set-up, members and their organisations. */
const roleNames = ['viewer', 'member', 'admin', 'owner'] as const;
const role = z.enum(roleNames);

/** What a person calls something. */
export const label = textOf(1, 100).refine(
  name => name.trim() !== '' && !hasControlCharacters(name),
  'must not be blank, and may hold no control characters.',
);

const email = z
  .email('must be an email address.')
  .refine(text => text.length <= 254, 'may have at most 254 characters.')
  .transform(text => text.toLowerCase());

const LEAST_PASSWORD_LENGTH = 8;
const MOST_PASSWORD_LENGTH = 1_024;
export const passwordGiven = textOf(1, MOST_PASSWORD_LENGTH);
export const newPassword = textOf(LEAST_PASSWORD_LENGTH, MOST_PASSWORD_LENGTH);

/** Of the authenticator app, or a recovery code. */
const secondFactorCode = textOf(1, 64).optional();

/**
 * Any text will do as an email here: one that nobody could have is refused like one that nobody has. Where the account
 * has a second factor and the code is missing, the right password is refused with `second_factor_required`: the same
 * call is to be made again with the code.
 */
export const loginBody = z.strictObject({
  email: textOf(1, 254).transform(text => text.trim().toLowerCase()),
  password: passwordGiven,
  code: secondFactorCode,
});
export const setupBody = z.strictObject({
  code: textOf(1, 256),
  organisation: label,
  email,
  password: newPassword,
});
/** A new account needs a new password; an account that is there proves itself with its own, and with a code as a login. */
export const acceptInvitationBody = z.strictObject({ password: newPassword, code: secondFactorCode });
export const moveSessionBody = z.strictObject({ id: z.string() });

/** Whether there is no user yet, so that the set-up can be done. */
export interface SetupRecord {
  readonly open: boolean;
}

/** What whoever holds the link of an invitation may know of it. */
const invitationRecord = z.object({
  email: z.string(),
  role,
  organisation: z.object({ name: z.string() }),
  /**
   * Whether to ask for the password of an account that is there. Told only where the account and whoever made the
   * invitation share an organisation: false says nothing of an account elsewhere, whose password is then asked for all the same.
   */
  has_account: z.boolean(),
});
export type InvitationRecord = z.infer<typeof invitationRecord>;

export const inviteBody = z.strictObject({ email, role });
export const memberChange = z.strictObject({ role });

export const organisationBody = z.strictObject({ name: label });
export const organisationChange = z.strictObject({
  name: label.optional(),
  retention_days: z
    .int('must be a whole number.')
    .min(1, 'must be at least 1.')
    .max(36_500, 'may be at most 36500.')
    .optional(),
  searchable_traits: z
    .array(textOf(1, 256))
    .max(32, 'may name at most 32 traits.')
    .refine(traits => new Set(traits).size === traits.length, 'must name each trait once.')
    .optional(),
});

/** How somebody wants times to be written, wherever they log in. */
export const timeDisplay = z.strictObject({
  time_zone: z.enum(['local', 'utc']),
  clock: z.enum(['24h', '12h']),
});
export type TimeDisplay = z.infer<typeof timeDisplay>;

const whoAmI = z.object({
  user: z.object({ id: z.string(), email: z.string(), ...timeDisplay.shape }),
  organisation: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
  role,
  /** What that role allows, so that no button is shown that would be refused. */
  permissions: z.array(z.string()),
  organisations: z.array(z.object({ id: z.string(), name: z.string(), slug: z.string(), role })),
});
export type WhoAmI = z.infer<typeof whoAmI>;

const memberRecord = z.object({
  id: z.string(),
  email: z.string(),
  role,
  /** `invited`: has not accepted yet. */
  status: z.enum(['active', 'invited']),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  /** When they last logged in to this organisation, or came over from another; null: not yet. */
  last_login_at: z.string().nullable(),
});
export type MemberRecord = z.infer<typeof memberRecord>;
/** The code is answered once, when somebody is invited. */
export type NewInvitationRecord = MemberRecord & { readonly invite_code: string };

/** Where an id belongs that is none of the organisation that was asked. */
export interface Whereabouts {
  readonly organisation: { readonly name: string; readonly slug: string };
}

const organisationRecord = z.object({
  id: z.string(),
  name: z.string(),
  /** Its pages are at `/o/<slug>/…`; a rename leaves it as it is. */
  slug: z.string(),
  role,
  /** null: the installation's default, which stands beside it. */
  retention_days: z.number().nullable(),
  default_retention_days: z.number(),
  searchable_traits: z.array(z.string()),
  created_at: z.string(),
});
export type OrganisationRecord = z.infer<typeof organisationRecord>;
