import { z } from 'zod';
import { newPassword, passwordGiven, timeDisplay } from './dashboard-accounts.ts';

/** Private calls about one's own account: how times are shown, the password, the sessions, the second factor. */
const account = z.object({
  email: z.string(),
  ...timeDisplay.shape,
  second_factor: z.object({
    on: z.boolean(),
    since: z.string().nullable(),
    recovery_codes_left: z.number(),
  }),
});
export type AccountRecord = z.infer<typeof account>;

export const accountChange = timeDisplay.partial();
export type AccountChange = z.infer<typeof accountChange>;

/** Ends all other sessions. */
export const passwordChange = z.strictObject({ password: passwordGiven, new_password: newPassword });

const ownSession = z.object({
  id: z.string(),
  started_at: z.string(),
  /** To the minute; null of a session that nothing is known of yet. */
  last_used_at: z.string().nullable(),
  /** Where the login came from. */
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
  /** Whether it is the one that asks. */
  current: z.boolean(),
});
export type OwnSessionRecord = z.infer<typeof ownSession>;

/** A secret for an authenticator app, and the address that a QR code of it holds. Nothing is kept of it yet. */
export interface SecondFactorOffer {
  readonly secret: string;
  readonly uri: string;
}

/** The offered secret with a code of it, which proves that the app has it. */
export const secondFactorBody = z.strictObject({
  password: passwordGiven,
  secret: z.string().regex(/^[A-Z2-7]{32}$/, 'must be the secret that was offered.'),
  code: z.string().regex(/^\d{3} ?\d{3}$/, 'must have six digits.'),
});

export const passwordProof = z.strictObject({ password: passwordGiven });

/** Answered once: only their hashes are kept. */
export interface RecoveryCodesRecord {
  readonly recovery_codes: readonly string[];
}
