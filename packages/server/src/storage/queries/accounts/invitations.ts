import type { ExpressionBuilder } from 'kysely';
import {
  type AccountStore,
  grantersOf,
  type Invitation,
  type Role,
  roles,
} from '../../../core/stores/accounts.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { findUserByEmail, toUserRow } from './accounts.ts';
import { lockMembers, members } from './members.ts';

/** Invitations: made, replaced, and accepted. */

const toInvitation = (row: Schema['invitations']): Invitation => ({
  id: row.id,
  orgId: row.org_id,
  email: row.email,
  role: row.role as Role,
  codeHash: row.code_hash,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  invitedBy: row.invited_by,
});

/** It stands while its maker may grant its role; of one whose maker nobody knows that cannot be asked. */
const stands = (eb: ExpressionBuilder<Schema, 'invitations'>) =>
  eb.or([
    eb('invitations.invited_by', 'is', null),
    eb.exists(
      eb
        .selectFrom('memberships as maker')
        .select('maker.user_id')
        .whereRef('maker.org_id', '=', 'invitations.org_id')
        .whereRef('maker.user_id', '=', 'invitations.invited_by')
        .where(maker =>
          maker.or(
            roles.map(role =>
              maker.and([maker('invitations.role', '=', role), maker('maker.role', 'in', grantersOf(role))]),
            ),
          ),
        ),
    ),
  ]);

export const createInvitation: Operation<AccountStore['createInvitation']> = async (db, invitation) => {
  await lockMembers(db, invitation.orgId);
  const replaced = await db
    .selectFrom('invitations')
    .select('role')
    .where('org_id', '=', invitation.orgId)
    .where('email', '=', invitation.email)
    .where('expires_at', '>', invitation.createdAt)
    .execute();
  for (const { role } of [invitation, ...replaced]) {
    if (!(await mayGrant(db, invitation, role as Role))) return 'may_not_grant';
  }
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
      invited_by: invitation.invitedBy,
    })
    .execute();
  return 'created';
};

async function mayGrant(db: Db, { orgId, invitedBy }: Invitation, role: Role): Promise<boolean> {
  if (invitedBy === null) return true;
  const maker = await db
    .selectFrom('memberships')
    .select('role')
    .where('org_id', '=', orgId)
    .where('user_id', '=', invitedBy)
    .executeTakeFirst();
  return maker !== undefined && grantersOf(role).includes(maker.role as Role);
}

export const findInvitation: Operation<AccountStore['findInvitation']> = async (db, codeHash, now) => {
  const row = await db
    .selectFrom('invitations')
    .selectAll()
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .where(stands)
    .executeTakeFirst();
  if (!row) return null;
  const shared = await db
    .selectFrom('users')
    .innerJoin('memberships as theirs', 'theirs.user_id', 'users.id')
    .innerJoin('memberships as makers', 'makers.org_id', 'theirs.org_id')
    .select('users.id')
    .where('users.email', '=', row.email)
    .where('makers.user_id', '=', row.invited_by)
    .executeTakeFirst();
  return { ...toInvitation(row), hasAccount: shared !== undefined };
};

export const listInvitations: Operation<AccountStore['listInvitations']> = async (db, orgId, now) =>
  (
    await db
      .selectFrom('invitations')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('expires_at', '>', now)
      .where(stands)
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
    .where(stands)
    .returningAll()
    .executeTakeFirst();
  if (!row) return null;
  await db
    .insertInto('users')
    .values(toUserRow({ ...account, email: row.email }))
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const user = await findUserByEmail(db, row.email);
  if (user?.id !== account.id || user.passwordHash !== account.passwordHash) {
    await db.insertInto('invitations').values(row).execute();
    return 'other_account';
  }
  await db
    .insertInto('memberships')
    .values({ org_id: row.org_id, user_id: user.id, role: row.role, created_at: now, last_login_at: null })
    .onConflict(conflict => conflict.columns(['org_id', 'user_id']).doNothing())
    .execute();
  return { userId: user.id, orgId: row.org_id };
};
