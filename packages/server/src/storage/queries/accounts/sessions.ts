import type { AccountStore, Role } from '../../../core/stores/accounts.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { lockProved } from './proof.ts';

/** Sessions of the dashboard. */

export const beginSession: Operation<AccountStore['beginSession']> = async (db, session, passwordHash) => {
  // Whoever begins with a password that is being replaced would outlive that.
  if (!(await lockProved(db, { id: session.userId, passwordHash }))) return false;
  await db
    .insertInto('sessions')
    .values({
      token_hash: session.tokenHash,
      user_id: session.userId,
      org_id: session.orgId,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
      last_used_at: session.createdAt,
      address: session.address ?? null,
      user_agent: session.userAgent ?? null,
    })
    .execute();
  await loggedIn(db, session.userId, session.orgId, session.createdAt);
  return true;
};

async function loggedIn(db: Db, userId: string, orgId: string, now: number): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ last_login_at: now })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute();
}

type FoundSession = NonNullable<Awaited<ReturnType<AccountStore['findSession']>>>;

export const findSession: Operation<AccountStore['findSession']> = async (db, tokenHash, now, slug) => {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('organisations', join =>
      slug === undefined
        ? join.onRef('organisations.id', '=', 'sessions.org_id')
        : join.on('organisations.slug', '=', slug),
    )
    .innerJoin('memberships', join =>
      join
        .onRef('memberships.org_id', '=', 'organisations.id')
        .onRef('memberships.user_id', '=', 'sessions.user_id'),
    )
    .selectAll('sessions')
    .select([
      'users.email',
      'users.time_zone',
      'users.clock',
      'users.last_org_id',
      'memberships.role',
      'organisations.id as there',
      'organisations.name as org_name',
      'organisations.slug as org_slug',
    ])
    .where('sessions.token_hash', '=', tokenHash)
    .where('sessions.expires_at', '>', now)
    .executeTakeFirst();
  return row
    ? {
        tokenHash: row.token_hash,
        userId: row.user_id,
        orgId: row.there,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        lastUsedAt: row.last_used_at,
        email: row.email,
        timeZone: row.time_zone as FoundSession['timeZone'],
        clock: row.clock as FoundSession['clock'],
        role: row.role as Role,
        orgName: row.org_name,
        orgSlug: row.org_slug ?? row.there,
        lastOrgId: row.last_org_id,
      }
    : null;
};

export const listSessions: Operation<AccountStore['listSessions']> = async (db, userId, now) =>
  (
    await db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .orderBy('created_at', 'desc')
      .orderBy('token_hash')
      .execute()
  ).map(row => ({
    tokenHash: row.token_hash,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    address: row.address,
    userAgent: row.user_agent,
  }));

export const touchSession: Operation<AccountStore['touchSession']> = async (db, tokenHash, now) => {
  await db.updateTable('sessions').set({ last_used_at: now }).where('token_hash', '=', tokenHash).execute();
};

export const moveSession: Operation<AccountStore['moveSession']> = async (db, tokenHash, orgId, now) => {
  const moved = await db
    .updateTable('sessions')
    .set({ org_id: orgId })
    .where('token_hash', '=', tokenHash)
    .returning('user_id')
    .executeTakeFirst();
  if (moved === undefined) return;
  await rememberOrganisation(db, moved.user_id, orgId);
  await loggedIn(db, moved.user_id, orgId, now);
};

export const rememberOrganisation: Operation<AccountStore['rememberOrganisation']> = async (
  db,
  userId,
  orgId,
) => {
  await db.updateTable('users').set({ last_org_id: orgId }).where('id', '=', userId).execute();
};

export const findLastOrganisation: Operation<AccountStore['findLastOrganisation']> = async (db, userId) => {
  const user = await db.selectFrom('users').select('last_org_id').where('id', '=', userId).executeTakeFirst();
  return user?.last_org_id ?? null;
};

export const deleteSession: Operation<AccountStore['deleteSession']> = async (db, tokenHash) => {
  await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
};

export const endSession: Operation<AccountStore['endSession']> = async (db, userId, tokenHash) =>
  (await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('token_hash', '=', tokenHash)
    .returning('token_hash')
    .executeTakeFirst()) !== undefined;

export const endOtherSessions: Operation<AccountStore['endOtherSessions']> = async (db, userId, tokenHash) =>
  (
    await db
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .where('token_hash', '!=', tokenHash)
      .returning('token_hash')
      .execute()
  ).length > 0;
