import {
  type AccountStore,
  grantersOf,
  type Member,
  type Role,
  roles,
} from '../../../core/stores/accounts.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';

/** The members of organisations, with their roles. */

export const members = (db: Db, orgId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select([
      'memberships.user_id',
      'users.email',
      'memberships.role',
      'memberships.created_at',
      'memberships.last_login_at',
    ])
    .where('memberships.org_id', '=', orgId);

const toMember = (row: Omit<Schema['memberships'], 'org_id'> & { readonly email: string }): Member => ({
  userId: row.user_id,
  email: row.email,
  role: row.role as Role,
  createdAt: row.created_at,
  lastLoginAt: row.last_login_at,
});

export const listMembers: Operation<AccountStore['listMembers']> = async (db, orgId) =>
  (await members(db, orgId).orderBy('users.email').execute()).map(toMember);

/** Until this transaction ends nobody else changes who belongs to the organisation, or is invited to. */
export async function lockMembers(db: Db, orgId: string): Promise<void> {
  await db
    .updateTable('organisations')
    .set(eb => ({ id: eb.ref('id') }))
    .where('id', '=', orgId)
    .execute();
}

async function isLastOwner(db: Db, orgId: string, userId: string): Promise<boolean> {
  const owners = await members(db, orgId).where('memberships.role', '=', 'owner').execute();
  return owners.length === 1 && owners[0]?.user_id === userId;
}

export const setRole: Operation<AccountStore['setRole']> = async (db, orgId, userId, role) => {
  // Two changes at once could each leave the other's owner as the last.
  await lockMembers(db, orgId);
  if (role !== 'owner' && (await isLastOwner(db, orgId, userId))) return 'last_owner';
  const changed = await db
    .updateTable('memberships')
    .set({ role })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  if (!changed) return 'not_found';
  await withdrawInvitations(
    db,
    orgId,
    userId,
    roles.filter(granted => !grantersOf(granted).includes(role)),
  );
  return 'changed';
};

export const removeMember: Operation<AccountStore['removeMember']> = async (db, orgId, userId) => {
  await lockMembers(db, orgId);
  if (await isLastOwner(db, orgId, userId)) return 'last_owner';
  const removed = await db
    .deleteFrom('memberships')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  if (!removed) return 'not_found';
  for (const table of ['sessions', 'saved_views'] as const)
    await db.deleteFrom(table).where('org_id', '=', orgId).where('user_id', '=', userId).execute();
  await withdrawInvitations(db, orgId, userId, roles);
  return 'removed';
};

/** Those that this member made to these roles. */
async function withdrawInvitations(
  db: Db,
  orgId: string,
  userId: string,
  to: readonly Role[],
): Promise<void> {
  if (to.length === 0) return;
  await db
    .deleteFrom('invitations')
    .where('org_id', '=', orgId)
    .where('invited_by', '=', userId)
    .where('role', 'in', to)
    .execute();
}
