import type { Audited } from './configuration/audit.ts';

/** Organisations, the people in them, their sessions and invitations. */
export interface AccountStore extends Audited<Pick<AccountStore, AuditedAccountChange>> {
  /** `too_many` where the owner has as many of their own as this already; without it, whatever they have. */
  createOrganisation(org: Organisation, ownerId: string, mostOwned?: number): Promise<'created' | 'too_many'>;
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
  deleteOrganisation(id: string, now: number): Promise<'deleted' | 'last_one' | 'not_found'>;
  listOrganisationsOf(userId: string): Promise<(Organisation & { role: Role })[]>;

  hasUsers(): Promise<boolean>;
  /** The first user and organisation in one step; false when somebody was first. */
  createFirstUser(user: User, org: Organisation): Promise<boolean>;
  findUserByEmail(email: string): Promise<User | null>;
  setPassword(userId: string, passwordHash: string): Promise<void>;

  createSession(session: SessionRecord): Promise<void>;
  /** The session with the person's present role there; null when expired, ended, or no longer a member. */
  findSession(
    tokenHash: string,
    now: number,
  ): Promise<(SessionRecord & { email: string; role: Role; orgName: string }) | null>;
  moveSession(tokenHash: string, orgId: string): Promise<void>;
  deleteSession(tokenHash: string): Promise<void>;

  listMembers(orgId: string): Promise<Member[]>;
  /** An organisation never loses its last owner. */
  setRole(orgId: string, userId: string, role: Role): Promise<'changed' | 'last_owner' | 'not_found'>;
  removeMember(orgId: string, userId: string): Promise<'removed' | 'last_owner' | 'not_found'>;
  createInvitation(invitation: Invitation): Promise<'created' | 'already_member'>;
  findInvitation(codeHash: string, now: number): Promise<(Invitation & { hasAccount: boolean }) | null>;
  listInvitations(orgId: string, now: number): Promise<Invitation[]>;
  deleteInvitation(orgId: string, id: string): Promise<boolean>;
  /**
   * The invitation is spent and the person is a member; null when it was spent or has expired. Where its e-mail has
   * another account than this one, nothing happens: whoever accepts has not proved to be that one.
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
}

export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export interface User {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly createdAt: number;
}

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
}

export interface Invitation {
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly role: Role;
  readonly codeHash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SessionRecord {
  readonly tokenHash: string;
  readonly userId: string;
  readonly orgId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}
