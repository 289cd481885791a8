import type { TimeDisplay } from '@sluice/contract/dashboard-accounts';
import type { AccountChange } from '@sluice/contract/dashboard-own-account';
import type { Audited } from './configuration/audit.ts';

/** Organisations, the people in them, their sessions and invitations. */
export interface AccountStore extends Audited<Pick<AccountStore, AuditedAccountChange>> {
  /** `too_many` where the owner has as many of their own as this already; without it, whatever they have. */
  createOrganisation(
    org: NewOrganisation,
    ownerId: string,
    mostOwned?: number,
  ): Promise<'created' | 'too_many'>;
  listOrganisations(): Promise<Organisation[]>;
  findOrganisation(id: string): Promise<Organisation | null>;
  updateOrganisation(
    id: string,
    change: Partial<Pick<Organisation, 'name' | 'retentionDays' | 'searchableTraits'>>,
  ): Promise<boolean>;
  /**
   * Nothing answers for the organisation any more from now on; what it leaves behind goes by `pruneDeleted`. The last
   * organisation of an installation stays.
   */
  deleteOrganisation(
    id: string,
    now: number,
    /** A session that goes on in another organisation, if it has not ended by then; all others there end. */
    moved?: { readonly tokenHash: string; readonly orgId: string },
  ): Promise<'deleted' | 'last_one' | 'not_found'>;
  listOrganisationsOf(userId: string): Promise<(Organisation & { role: Role })[]>;

  hasUsers(): Promise<boolean>;
  /** The first user and organisation in one step; false when somebody was first. */
  createFirstUser(user: User, org: NewOrganisation): Promise<boolean>;
  findUserByEmail(email: string): Promise<User | null>;
  /** How they want times to be written. */
  setTimeDisplay(userId: string, change: AccountChange): Promise<void>;
  /**
   * Ends all sessions of the person but the one that is kept. Where the password of before had to be proved, false when
   * it has been changed since.
   */
  setPassword(
    userId: string,
    passwordHash: string,
    options?: {
      readonly provedHash?: string;
      readonly keepSession?: string;
      readonly turnOffSecondFactor?: boolean;
    },
  ): Promise<boolean>;

  /** For somebody who has proved this password; false where it has been changed since. */
  beginSession(session: SessionRecord & SessionOrigin, passwordHash: string): Promise<boolean>;
  /** The session with the person's present role there; null when expired, ended, or no longer a member. */
  findSession(
    tokenHash: string,
    now: number,
    /** In the organisation of this slug, in place of the session's own. */
    slug?: string,
  ): Promise<
    | (SessionRecord & {
        lastUsedAt: number | null;
        email: string;
        timeZone: TimeDisplay['time_zone'];
        clock: TimeDisplay['clock'];
        role: Role;
        orgName: string;
        orgSlug: string;
        /** Where the person was last, in any session; null where that is not known. */
        lastOrgId: string | null;
      })
    | null
  >;
  /** Those of one person in all organisations, the latest first. */
  listSessions(userId: string, now: number): Promise<ListedSession[]>;
  touchSession(tokenHash: string, now: number): Promise<void>;
  /** The person's next login leads there too. */
  moveSession(tokenHash: string, orgId: string, now: number): Promise<void>;
  /** The same for the next login alone: no session of theirs moves. */
  rememberOrganisation(userId: string, orgId: string): Promise<void>;
  /** Where the person was last; null where that is not known. */
  findLastOrganisation(userId: string): Promise<string | null>;
  /** Gives a slug to those that have none. */
  giveSlugs(): Promise<void>;
  deleteSession(tokenHash: string): Promise<void>;
  /** As above, for a session of this person only. */
  endSession(userId: string, tokenHash: string): Promise<boolean>;
  /** All of the person's but this one; false where there was no other. */
  endOtherSessions(userId: string, tokenHash: string): Promise<boolean>;

  findSecondFactor(userId: string): Promise<SecondFactor | null>;
  /** With the step of the code that confirmed it, which is spent. */
  turnOnSecondFactor(
    user: ProvedUser,
    factor: { readonly sealedSecret: string; readonly step: number; readonly createdAt: number },
    recoveryHashes: readonly string[],
  ): Promise<'changed' | 'already_on' | 'password_changed'>;
  turnOffSecondFactor(user: ProvedUser): Promise<SecondFactorChange>;
  /** The codes of before are worth nothing any more. */
  replaceRecoveryCodes(user: ProvedUser, recoveryHashes: readonly string[]): Promise<SecondFactorChange>;
  /** False where a code of this step, or of a later one, was accepted before. */
  spendTotpStep(userId: string, step: number): Promise<boolean>;
  /** False where there is no such code, or it has been used. */
  spendRecoveryCode(userId: string, codeHash: string): Promise<boolean>;

  listMembers(orgId: string): Promise<Member[]>;
  /**
   * An organisation never loses its last owner. Whoever loses a role or leaves takes with them the invitations that
   * they may no longer make.
   */
  setRole(orgId: string, userId: string, role: Role): Promise<'changed' | 'last_owner' | 'not_found'>;
  removeMember(orgId: string, userId: string): Promise<'removed' | 'last_owner' | 'not_found'>;
  /** Replaces an invitation of the same person: whoever makes it must be allowed to make both. */
  createInvitation(invitation: Invitation): Promise<'created' | 'already_member' | 'may_not_grant'>;
  /**
   * An invitation stands for as long as its maker may grant its role. That its email has an account is answered only
   * where maker and account share an organisation; of an account elsewhere its holder learns when accepting it, since
   * that then takes the account's password.
   */
  findInvitation(codeHash: string, now: number): Promise<(Invitation & { hasAccount: boolean }) | null>;
  listInvitations(orgId: string, now: number): Promise<Invitation[]>;
  deleteInvitation(orgId: string, id: string): Promise<boolean>;
  /**
   * The invitation is spent and the person is a member; null when it was spent, has expired or stands no longer. Where
   * its email has another account than this one, or one with another password, nothing happens: whoever accepts has
   * not proved to be that one. That holds for an account without any organisation, too: who acted under its id stays
   * the same person.
   */
  acceptInvitation(
    codeHash: string,
    now: number,
    account: User,
  ): Promise<{ userId: string; orgId: string } | 'other_account' | null>;
}

type AuditedAccountChange =
  | 'createOrganisation'
  | 'updateOrganisation'
  | 'deleteOrganisation'
  | 'createFirstUser'
  | 'setPassword'
  | 'beginSession'
  | 'endSession'
  | 'endOtherSessions'
  | 'turnOnSecondFactor'
  | 'turnOffSecondFactor'
  | 'replaceRecoveryCodes'
  | 'spendRecoveryCode'
  | 'setRole'
  | 'removeMember'
  | 'createInvitation'
  | 'deleteInvitation'
  | 'acceptInvitation';

export interface Organisation {
  readonly id: string;
  readonly name: string;
  /** null: the installation's default. */
  readonly retentionDays: number | null;
  readonly searchableTraits: readonly string[];
  readonly createdAt: number;
  /** By which its pages are addressed. It is made when it is stored. */
  readonly slug: string;
}

export type NewOrganisation = Omit<Organisation, 'slug'>;

export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Who may make, change and remove somebody with this role: owners everybody, admins everybody but owners. */
export const grantersOf = (role: Role): readonly Role[] =>
  role === 'owner' ? ['owner'] : ['admin', 'owner'];

export interface User {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly createdAt: number;
}

/** Somebody whose password was right a moment ago: what they asked for happens only if it still is. */
export type ProvedUser = Pick<User, 'id' | 'passwordHash'>;

type SecondFactorChange = 'changed' | 'already_off' | 'password_changed';

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
  /** To this organisation; null: not yet. */
  readonly lastLoginAt: number | null;
}

export interface Invitation {
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly role: Role;
  readonly codeHash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The user who made it; null where that was before makers were kept, and the audit log did not know either. */
  readonly invitedBy: string | null;
}

export interface SessionRecord {
  readonly tokenHash: string;
  readonly userId: string;
  readonly orgId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Where a session was begun, as far as the request told. */
interface SessionOrigin {
  readonly address?: string | null;
  readonly userAgent?: string | null;
}

export interface ListedSession {
  readonly tokenHash: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** A person's second factor: the secret of their authenticator app. */
interface SecondFactor {
  readonly sealedSecret: string;
  readonly createdAt: number;
  readonly recoveryCodesLeft: number;
}
