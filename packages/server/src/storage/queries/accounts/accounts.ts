import type { AccountStore, Invitation, Member, Role, User } from '../../../core/stores/accounts.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { createOrganisation } from './organisations.ts';

/** Users, members, sessions and invitations. */

const toUser = (row: Schema['users']): User => ({
  id: row.id,
  email: row.email,
  passwordHash: row.password_hash,
  createdAt: row.created_at,
});

const toUserRow = (user: User): Schema['users'] => ({
  id: user.id,
  email: user.email,
  password_hash: user.passwordHash,
  created_at: user.createdAt,
});

export const hasUsers: Operation<AccountStore['hasUsers']> = async db =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;

export const createFirstUser: Operation<AccountStore['createFirstUser']> = async (db, user, org) => {
  // The row decides between two nodes that set up at once: the second one waits for it and finds it taken.
  const claimed = await db
    .insertInto('settings')
    .values({ name: 'first_user', value: user.id })
    .onConflict(conflict => conflict.doNothing())
    .returning('name')
    .executeTakeFirst();
  if (!claimed) return false;
  await db.insertInto('users').values(toUserRow(user)).execute();
  await createOrganisation(db, org, user.id);
  return true;
};

export const findUserByEmail: Operation<AccountStore['findUserByEmail']> = async (db, email) => {
  const row = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
  return row ? toUser(row) : null;
};

export const setPassword: Operation<AccountStore['setPassword']> = async (db, userId, passwordHash) => {
  await db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute();
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
};

export const createSession: Operation<AccountStore['createSession']> = async (db, session) => {
  await db
    .insertInto('sessions')
    .values({
      token_hash: session.tokenHash,
      user_id: session.userId,
      org_id: session.orgId,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
    })
    .execute();
};

export const findSession: Operation<AccountStore['findSession']> = async (db, tokenHash, now) => {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('organisations', 'organisations.id', 'sessions.org_id')
    .innerJoin('memberships', join =>
      join
        .onRef('memberships.org_id', '=', 'sessions.org_id')
        .onRef('memberships.user_id', '=', 'sessions.user_id'),
    )
    .selectAll('sessions')
    .select(['users.email', 'memberships.role', 'organisations.name as org_name'])
    .where('sessions.token_hash', '=', tokenHash)
    .where('sessions.expires_at', '>', now)
    .executeTakeFirst();
  return row
    ? {
        tokenHash: row.token_hash,
        userId: row.user_id,
        orgId: row.org_id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        email: row.email,
        role: row.role as Role,
        orgName: row.org_name,
      }
    : null;
};

export const moveSession: Operation<AccountStore['moveSession']> = async (db, tokenHash, orgId) => {
  await db.updateTable('sessions').set({ org_id: orgId }).where('token_hash', '=', tokenHash).execute();
};

export const deleteSession: Operation<AccountStore['deleteSession']> = async (db, tokenHash) => {
  await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
};

const members = (db: Db, orgId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.user_id', 'users.email', 'memberships.role', 'memberships.created_at'])
    .where('memberships.org_id', '=', orgId);

const toMember = (row: { user_id: string; email: string; role: string; created_at: number }): Member => ({
  userId: row.user_id,
  email: row.email,
  role: row.role as Role,
  createdAt: row.created_at,
});

export const listMembers: Operation<AccountStore['listMembers']> = async (db, orgId) =>
  (await members(db, orgId).orderBy('users.email').execute()).map(toMember);

/** Locks the organisation, so that two changes at once cannot each leave the other's owner as the last. */
async function isLastOwner(db: Db, orgId: string, userId: string): Promise<boolean> {
  await db
    .updateTable('organisations')
    .set(eb => ({ id: eb.ref('id') }))
    .where('id', '=', orgId)
    .execute();
  const owners = await members(db, orgId).where('memberships.role', '=', 'owner').execute();
  return owners.length === 1 && owners[0]?.user_id === userId;
}

export const setRole: Operation<AccountStore['setRole']> = async (db, orgId, userId, role) => {
  if (role !== 'owner' && (await isLastOwner(db, orgId, userId))) return 'last_owner';
  const changed = await db
    .updateTable('memberships')
    .set({ role })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  return changed ? 'changed' : 'not_found';
};

export const removeMember: Operation<AccountStore['removeMember']> = async (db, orgId, userId) => {
  if (await isLastOwner(db, orgId, userId)) return 'last_owner';
  const removed = await db
    .deleteFrom('memberships')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  if (!removed) return 'not_found';
  await db.deleteFrom('sessions').where('org_id', '=', orgId).where('user_id', '=', userId).execute();
  return 'removed';
};

const toInvitation = (row: Schema['invitations']): Invitation => ({
  id: row.id,
  orgId: row.org_id,
  email: row.email,
  role: row.role as Role,
  codeHash: row.code_hash,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

export const createInvitation: Operation<AccountStore['createInvitation']> = async (db, invitation) => {
  const member = await members(db, invitation.orgId)
    .where('users.email', '=', invitation.email)
    .executeTakeFirst();
  if (member) return 'already_member';
  await db
    .deleteFrom('invitations')
    .where('org_id', '=', invitation.orgId)
    .where('email', '=', invitation.email)
    .execute();
  await db
    .insertInto('invitations')
    .values({
      id: invitation.id,
      org_id: invitation.orgId,
      email: invitation.email,
      role: invitation.role,
      code_hash: invitation.codeHash,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute();
  return 'created';
};

export const findInvitation: Operation<AccountStore['findInvitation']> = async (db, codeHash, now) => {
  const row = await db
    .selectFrom('invitations')
    .selectAll()
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (!row) return null;
  return { ...toInvitation(row), hasAccount: (await findUserByEmail(db, row.email)) !== null };
};

export const listInvitations: Operation<AccountStore['listInvitations']> = async (db, orgId, now) =>
  (
    await db
      .selectFrom('invitations')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('expires_at', '>', now)
      .orderBy('id')
      .execute()
  ).map(toInvitation);

export const deleteInvitation: Operation<AccountStore['deleteInvitation']> = async (db, orgId, id) =>
  (await db
    .deleteFrom('invitations')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const acceptInvitation: Operation<AccountStore['acceptInvitation']> = async (
  db,
  codeHash,
  now,
  account,
) => {
  const row = await db
    .deleteFrom('invitations')
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  if (!row) return null;
  await db
    .insertInto('users')
    .values(toUserRow({ ...account, email: row.email }))
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const user = await findUserByEmail(db, row.email);
  if (user?.id !== account.id) {
    await db.insertInto('invitations').values(row).execute();
    return 'other_account';
  }
  await db
    .insertInto('memberships')
    .values({ org_id: row.org_id, user_id: user.id, role: row.role, created_at: now })
    .onConflict(conflict => conflict.columns(['org_id', 'user_id']).doNothing())
    .execute();
  return { userId: user.id, orgId: row.org_id };
};
